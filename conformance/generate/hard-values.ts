// The alphabet of hard values: texts, numbers and other values that services, libraries and gateways often change or
// refuse in one place and not in another. One list, so that checks of servers, clients and gateways try each of them in
// every place.

/** Well-formed texts, each of which reveals another kind of fault. Every JSON string may contain them. */
export const hardTexts = {
  'two-bytes': 'Z\u00FCrich stra\u00DFe \u00D1and\u00FA',
  'three-bytes': '\u6771\u4EAC \u20AC \u0E44\u0E17\u0E22',
  'four-bytes': '\u{1F600} \u{1D11E} \u{20BB7}\u{10FFFF}',
  combining: 'e\u0301 \u00E9 \u212B \u1112\u1161\u11AB',
  'joined-emoji': '\u{1F469}\u{1F3FD}\u200D\u{1F4BB}\uFE0F',
  'both-directions': '\u05D0 \u202Ea\u202C \u0634\u0643\u0631 \u200F',
  'byte-order-mark': '\uFEFFa\uFEFF',
  // Python's `splitlines` ends a line at each of these, and JavaScript's source text at the first two.
  'line-separators': 'a\u2028b\u2029c\u0085d\u000Be\u000Cf\u001Cg\u001Dh\u001Ei',
  'line-ends': 'a\nb\r\nc\rd\n\ne',
  quotes: `"a" 'b' \u0060c\u0060 \u201Cd\u201D`,
  backslashes: 'C:\\new\\table \\" \\\\',
  'looks-escaped': String.raw`\u00e9 \ud83d\ude00 \n \t \" \x41 &amp; %41`,
  'looks-like-records': '{"a":[1]}\n\ndata: [DONE]\n\n',
  'looks-like-markup': '<b>&lt;</b> {{x}} ${x} </a>',
  'looks-like-a-number': '0010',
  'looks-like-null': 'null',
  'outer-space': '  a b \t',
  tab: 'a\tb',
  delete: 'a\u007Fb',
  space: ' ',
  empty: '',
} as const satisfies Readonly<Record<string, string>>

/** Texts with NUL, in a list of their own because a schema or a database may refuse NUL. */
export const nulTexts = { nul: 'a\u0000b' } as const

/** All hard texts in one. NUL is not among them. */
export const everyHardText: string = Object.values(hardTexts).join(' | ')

/**
 * Numbers as JSON text: a double cannot represent them, or JavaScript would write them in another way. A reader has to
 * keep their digits.
 */
export const hardNumbers = {
  zero: '0',
  'minus-zero': '-0',
  'beyond-2-53': '9007199254740993',
  'beyond-minus-2-53': '-9007199254740993',
  'most-of-64-bits': '9223372036854775807',
  'least-of-64-bits': '-9223372036854775808',
  'beyond-64-bits': '9223372036854775808',
  'most-unsigned': '18446744073709551615',
  'long-fraction': '0.1234567890123456789',
  'tiny-fraction': '0.000000123',
  exponent: '1e21',
  'negative-exponent': '1E-7',
  'whole-fraction': '1.0',
} as const satisfies Readonly<Record<string, string>>

/** Values that are neither text nor numbers, and that readers confuse with an absent member. */
export const hardOthers = {
  null: null,
  false: false,
  'empty-list': [],
  'empty-object': {},
  'list-of-null': [null],
  'empty-in-list': [[], {}, ''],
} as const satisfies Readonly<Record<string, unknown>>

/** Names of members that readers of JSON mistake for something else, or lose. Every JSON object may have them. */
export const hardNames = [
  'stra\u00DFe',
  '\u6771\u4EAC',
  '\u{1F600}',
  'a b',
  'a.b',
  'a/b~c',
  '$a',
  'a"b',
  'a\\b',
  'a\u2028b',
  '0',
  'type',
  'properties',
  'required',
  // Not `constructor`: the judge sends that word as a key, too, and recordings replace it.
  'prototype',
] as const

/** The JSON text of an object of these members, each the JSON text of its value. */
export function objectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`
}

const jsonTexts = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]))

/** The JSON text of every hard value by its name, NUL apart. */
export const hardMembers: Readonly<Record<string, string>> = {
  ...jsonTexts(hardTexts),
  ...hardNumbers,
  ...jsonTexts(hardOthers),
  ...jsonTexts(Object.fromEntries(hardNames.map((name) => [name, name]))),
}

/** The JSON text of one object with every hard value and NUL, for example the arguments of a call. */
export const hardObjectText: string = objectText({ ...hardMembers, ...jsonTexts(nulTexts) })
