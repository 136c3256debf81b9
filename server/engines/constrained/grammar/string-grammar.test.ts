// The grammar of a pattern accepts exactly the strings in which JavaScript finds it; that of a format has only strings that
// others who know the format accept.
import { isIP } from 'node:net'
import formats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { begin } from './byte-grammar.ts'
import { textOf } from './grammar.fixture.ts'
import { automataOf } from './regular-expression.ts'
import { STRING_FORMATS } from './string-formats.ts'
import { acceptsText, stringGrammar } from './string-grammar.ts'

const PATTERNS = [
  '',
  'a',
  '^a*b+c?$',
  '^(?:ab|c){2,3}$',
  '(a|^b|c$)',
  '[^a-c]b',
  '^[\\w.-]+@[a-c]+$',
  '\\d\\D\\s?\\S',
  '^.$',
  '^[\\u{61}\\x62\\u0063\\-\\]]{2}$',
  '^\\u{1F600}|\\ud83d\\ude01$',
  '^(?=.*a)(?=.*b)(?!.*c).{3,}$',
  'a{2,}?$',
  '^(?<name>a)\\.b\\/\\n$',
  '^(a*)*b$',
  '$^',
  '[]|b',
  '^\\p{L}+$',
  '^\\P{Script=Latin}[\\p{Nd}\\p{Emoji_Presentation}]$',
  '[^]c',
  // A part that matches only the empty text, repeated too often to count.
  '^(?:){9999999999}a$',
  '^(?:){0,9999999999}a$',
  '^(?:(?:)(?:)){9999999999}b$',
]
/** Patterns that are only valid without the flag `u`. */
const OLD_PATTERNS = ['^a\\-b\\_$', '[\\w-.]@', '^a{,2}', ']|}', '^\\c{1}a', '\\a\\141$', '^[\\-a-\\d]+$']
const texts = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', '.', '@', '-', ']', '1', ' ', '\n', '/', 'é', '😀', '😁'),
  maxLength: 8,
})

describe.each([
  ...PATTERNS.map((source) => [source, 'u'] as const),
  ...OLD_PATTERNS.map((source) => [source, ''] as const),
])('the pattern %j with the flags %j', (source, flags) => {
  const automata = automataOf(source)
  const expression = new RegExp(source, flags)

  it('accepts what JavaScript accepts', () => {
    forAllWith({ numRuns: 200 }, texts, (text) => {
      expect(acceptsText(automata, text)).toBe(expression.test(text))
    })
  })

  it('has a grammar with these strings and no others', () => {
    const grammar = stringGrammar(automata)
    if (grammar === undefined) throw new Error('no string')
    forAllWith({ numRuns: 20 }, fc.nat(), fc.nat(12), texts, (seed, wander, text) => {
      expect(JSON.parse(textOf(grammar, seed, wander))).toMatch(expression)
      expect(begin(grammar).after(Buffer.from(JSON.stringify(text)))?.mayEnd === true).toBe(
        expression.test(text),
      )
    })
  })
})

it.each(['(a)\\1', '\\bb', 'a(?=b)', '(?<=a)b', '(?=a)b', '^(?=a)b|c', '.{6000}', '(?:(?:){9}){9999999999}'])(
  'reports that it cannot read %s',
  (source) => {
    expect(() => automataOf(source)).toThrow(expect.objectContaining({ keyword: 'pattern' }))
  },
)

const ajv = formats.default(new Ajv2020())

/** Independent validators of the formats. */
const JUDGES: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) =>
    z.string().datetime({ offset: true }).safeParse(text).success && !Number.isNaN(Date.parse(text)),
  date: (text) => new Date(`${text}T00:00:00Z`).toISOString().startsWith(text),
  time: (text) => !Number.isNaN(Date.parse(`2026-01-01T${text}`)),
  duration: (text) => z.string().duration().safeParse(text).success,
  email: (text) => z.string().email().safeParse(text).success,
  hostname: (text) =>
    text.length <= 253 && text.split('.').every((label) => /^(?!-)[a-z\d-]{1,63}(?<!-)$/i.test(label)),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  'json-pointer': (text) => text === '' || text.startsWith('/'),
  regex: (text) => new RegExp(text, 'u') instanceof RegExp,
  'relative-json-pointer': (text) => Number.isInteger(Number(text.split('/')[0])),
  uri: (text) => URL.canParse(text),
  'uri-reference': (text) => URL.canParse(text, 'https://example.com'),
  'uri-template': (text) => URL.canParse(text),
  uuid: (text) => z.string().uuid().safeParse(text).success,
}

describe.each(Object.entries(STRING_FORMATS))('the format %s', (name, source) => {
  const grammar = stringGrammar(automataOf(source))
  if (grammar === undefined) throw new Error('no string')

  it('has only strings of the format', () => {
    forAllWith({ numRuns: 20 }, fc.nat(), fc.nat(40), (seed, wander) => {
      const text: unknown = JSON.parse(textOf(grammar, seed, wander))
      expect(text).toSatisfy(JUDGES[name] ?? (() => false))
      expect(ajv.validate({ format: name }, text)).toBe(true)
    })
  })
})

it.each([
  ['date', '2024-02-29', true],
  ['date', '2100-02-29', false],
  ['date', '2000-02-29', true],
  ['date-time', '2026-11-21T10:56:56.123+02:00', true],
  ['email', 'first.last+tag@mail.example.com', true],
  ['ipv6', '2001:db8::1', true],
  ['ipv6', '::', true],
  ['ipv6', '1:2:3:4:5:6:7::', true],
  ['ipv6', '1::2::3', false],
  ['ipv4', '192.0.2.256', false],
  ['uri', 'https://example.com/a?b=c', false],
  ['duration', 'P1DT12H', true],
])('%s: %s is %s', (format, text, accepted) => {
  expect(acceptsText(automataOf(STRING_FORMATS[format] ?? ''), text)).toBe(accepted)
})
