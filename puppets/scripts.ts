// The scripts of all families: the texts of a model, apart from the format of its family.
import type { PuppetScript } from '../spec/schemas/puppet.ts'
import type { Family, Part, WrittenCall } from './family.ts'
import { literal, structure } from './family.ts'

/** The content of a script. `texts` are before and after the calls; `quotes` makes a text of the family's markup. */
export interface Say {
  readonly id: string
  readonly kind: PuppetScript['kind']
  readonly thoughts?: string
  readonly before?: string
  readonly calls?: readonly WrittenCall[]
  readonly after?: string
  /** The call names a function that is not offered, so that it is text. */
  readonly isUnknown?: true
  /** Text in which the family's markup is quoted, from a call of the family as it is written. */
  readonly quotes?: (call: string) => string
}

type Schema = Readonly<Record<string, unknown>>

const tool = (
  name: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
): PuppetScript['tools'][number] => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties } },
})

/** The functions that each request with a script offers. */
export const TOOLS: PuppetScript['tools'] = [
  tool('get_weather', 'The weather of a city', { city: { type: 'string' }, days: { type: 'integer' } }),
  tool('get_time', 'The time now', {}),
  tool('save_note', 'Saves a note', {
    title: { type: 'string' },
    body: { type: 'string' },
    number: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    // An engine that constrains calls by the schema must let all arguments of the scripts pass.
    meta: { type: 'object', additionalProperties: true },
    parent: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    done: { type: 'boolean' },
    size: { type: 'number' },
  }),
]

const paris: WrittenCall = { name: 'get_weather', values: { city: 'Paris' } }
const oslo: WrittenCall = { name: 'get_weather', values: { city: 'Oslo', days: 3 } }
const saved = (values: WrittenCall['values']): WrittenCall[] => [{ name: 'save_note', values }]
const BEFORE = 'Let me look that up.'
const AFTER = 'Both lookups are on their way.'
const THOUGHTS = 'The user names a city.\nA forecast is needed, so a lookup comes first.'

/** Four hundred different words, so that no cut of them is ambiguous. */
const LONG = Array.from({ length: 400 }, (_, index) => wordOf(index)).join(' ')

function wordOf(index: number): string {
  const [onsets, vowels, codas] = ['bdfgklmnpr', 'aeiou', 'lmnrstkd']
  const at = (letters: string, place: number): string => letters.charAt(place % letters.length)
  return `${at(onsets, index)}${at(vowels, Math.floor(index / 10))}${at(codas, Math.floor(index / 50))}`
}

export function scriptsFor(family: Family): Say[] {
  const { calls, thoughts, mostCalls = Infinity, beforeCalls, afterCalls } = family
  const texts: Say[] = [
    { id: 'plain', kind: 'text', before: 'A plain answer, without any markup.' },
    { id: 'spaces', kind: 'text', before: '  Two spaces, a tab\t and  gaps;\n\n\na blank line \n' },
    { id: 'characters', kind: 'text', before: 'Wide: 😀 rocket 🚀, 漢字, naïve café, \u00a0no break.' },
    {
      id: 'fence',
      kind: 'text',
      before: 'Code:\n```python\nif a < b:\n    print("a", {"b": [1]})\n```\nIt ends here.',
    },
    { id: 'long', kind: 'text', before: LONG },
    { id: 'json', kind: 'quoted', before: 'An object {"city": "Paris"} is data, and [1, 2] too.' },
  ]
  const thinking: Say[] = [
    { id: 'thoughts-text', kind: 'thoughts', thoughts: THOUGHTS, before: 'It is sunny in Paris.' },
    { id: 'thoughts-only', kind: 'thoughts', thoughts: THOUGHTS },
    { id: 'thoughts-empty', kind: 'thoughts', thoughts: '', before: 'No thoughts, only this.' },
    ...(calls === undefined
      ? []
      : [{ id: 'thoughts-call', kind: 'thoughts', thoughts: THOUGHTS, calls: [paris] } satisfies Say]),
  ]
  const marker = [...family.markers, ...family.control].find((text) => /call|tag/i.test(text)) ?? family.end
  const calling: Say[] = [
    { id: 'call', kind: 'call', calls: [paris] },
    { id: 'no-parameters', kind: 'call', calls: [{ name: 'get_time', values: {} }] },
    { id: 'arguments-nested', kind: 'arguments', calls: saved(NESTED) },
    { id: 'arguments-text', kind: 'arguments', calls: saved(TEXTS) },
    {
      id: 'arguments-marker',
      kind: 'arguments',
      calls: saved({ title: 'On markers', body: `Write ${marker} first` }),
    },
    {
      id: 'quoted-prose',
      kind: 'quoted',
      quotes: (call) => `To call it, a model writes ${call} and then stops.`,
    },
    {
      id: 'quoted-fence',
      kind: 'quoted',
      quotes: (call) => `For example:\n\`\`\`\n${call}\n\`\`\`\nThat is all.`,
    },
    {
      id: 'never-closed',
      kind: 'quoted',
      quotes: (call) => `It begins with ${call.slice(0, Math.ceil(call.length / 2))}`,
    },
  ]
  const unknown: Say = {
    id: 'unknown-function',
    kind: 'quoted',
    calls: [{ name: 'launch_rocket', values: { city: 'Paris' } }],
    isUnknown: true,
  }
  const two: Say = {
    id: 'two-calls',
    kind: 'calls',
    calls: [paris, { name: 'get_weather', values: { days: 3 } }],
  }
  const same: Say = { id: 'two-functions', kind: 'calls', calls: [oslo, { name: 'get_time', values: {} }] }
  const before: Say = { id: 'text-call', kind: 'text-and-call', before: BEFORE, calls: [paris] }
  const after: Say = { id: 'call-text', kind: 'text-and-call', calls: [oslo], after: AFTER }
  const both: Say = {
    id: 'text-call-text',
    kind: 'text-and-call',
    before: BEFORE,
    calls: [paris],
    after: AFTER,
  }
  return [
    ...texts,
    ...(thoughts === undefined ? [] : thinking),
    ...(calls === undefined ? [] : [...calling, unknown]),
    ...(calls === undefined || mostCalls < 2 ? [] : [two, same]),
    ...(calls === undefined || beforeCalls === undefined ? [] : [before]),
    ...(calls === undefined || afterCalls === undefined ? [] : [after]),
    ...(calls === undefined || beforeCalls === undefined || afterCalls === undefined ? [] : [both]),
  ]
}

const NESTED = {
  title: '',
  tags: ['a', 'b c', ''],
  meta: { level: { deep: [1, 2.5, -3], empty: {}, none: [] } },
  parent: null,
  done: false,
  size: 1e21,
}

const TEXTS = {
  title: 'Grüße 😀 "quoted" \\ back/slash',
  body: 'line one\nline two\ttabbed',
  number: '007',
  tags: ['1', 'true', 'null'],
  size: 9007199254740991,
}

/** The text of a script in the format of the family. */
export function write(say: Say, family: Family): Part[] {
  const { thoughts: marks, calls: writeCalls } = family
  const opened = marks?.isOpened === true
  const thoughts: Part[] =
    marks === undefined || (say.thoughts === undefined && !opened)
      ? []
      : [
          ...(opened ? [] : [structure(marks.open)]),
          literal(say.thoughts ?? ''),
          structure(opened && !say.thoughts ? marks.close.trimStart() : marks.close),
        ]
  const quoted = say.quotes?.(
    (writeCalls?.([paris]) ?? []).map((part) => ('literal' in part ? part.literal : part.structure)).join(''),
  )
  const before = say.before ?? quoted ?? ''
  const calls = say.calls === undefined ? [] : (writeCalls?.(say.calls) ?? [])
  return [
    ...thoughts,
    literal(before),
    structure(before !== '' && calls.length > 0 ? (family.beforeCalls ?? '') : ''),
    ...calls,
    structure(say.after === undefined ? '' : (family.afterCalls ?? '')),
    literal(say.after ?? ''),
  ]
}

/** The answer that a client must get for a script. */
export function expectationOf(say: Say, family: Family, raw: string): PuppetScript['expect'] {
  const isExact = say.calls === undefined && say.thoughts === undefined && family.thoughts?.isOpened !== true
  const isQuoted = say.quotes !== undefined || say.isUnknown === true
  const texts = isQuoted ? [raw] : [say.before, say.after]
  const opened = family.thoughts?.isOpened === true && isQuoted
  const close = family.thoughts?.close.trimStart() ?? ''
  return {
    content: (opened ? [raw.slice(raw.indexOf(close) + close.length)] : texts).filter(
      (text) => text !== undefined && text !== '',
    ) as string[],
    isExact,
    reasoning: say.thoughts === undefined || say.thoughts === '' ? null : say.thoughts,
    tool_calls: (say.isUnknown ? [] : (say.calls ?? [])).map(({ name, values }) => ({
      name,
      arguments: { ...values },
    })),
  }
}
