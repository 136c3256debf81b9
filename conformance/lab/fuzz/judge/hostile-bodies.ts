// Hostile contents of an answer, a request or a recording: JSON and events that no reader expects.
import type { Chances } from './chances.ts'

/** Depths of nesting that exhaust the stack of a recursive reader, in levels. */
const DEPTHS = [1_000, 10_000, 100_000, 1_000_000] as const

/** The longest text and number, in characters. */
const LONG = 200_000

/** Texts of JSON that take the place of any value. */
const VALUES: readonly [string, ...string[]] = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '"x"',
  '-1',
  '0.5',
  '-0',
  '1e400',
  '4294967294',
  '4294967296',
  '1e9',
  '9007199254740993',
  '[null]',
  '[[[]]]',
  '[{}]',
  '{"":null}',
  '{"__proto__":{"a":1},"constructor":{"prototype":1},"toString":0,"length":-1,"then":1}',
  '{"error":null}',
  '{"error":"no"}',
  String.raw`"\ud800"`,
  String.raw`"\u0000\u2028\ufeff"`,
  String.raw`"[DONE]\n\ndata: {}"`,
  '"\u001b[2J\u001b]0;x\u0007"',
  'NaN',
  '.5',
  '01',
  "'x'",
]

/** A nested list or object as JSON text, with or without its end. */
function deep(chances: Chances): string {
  const depth = chances.pick(DEPTHS)
  const [open, close] = chances.pick<readonly [string, string]>([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"":', '}]'],
  ])
  return `${open.repeat(depth)}1${chances.happens(0.8) ? close.repeat(depth) : ''}`
}

function large(chances: Chances): string {
  return chances.pick([
    () => '9'.repeat(LONG),
    () => `0.${'3'.repeat(LONG)}`,
    () => `1e${'9'.repeat(20)}`,
    () => `"${'x'.repeat(LONG)}"`,
    () => `"${'😀'.repeat(LONG / 10)}"`,
    () => `[${'{},'.repeat(LONG / 10)}{}]`,
    () => `{${Array.from({ length: LONG / 20 }, (_, at) => `"k${at}":${at}`).join()}}`,
  ])()
}

export const hostileValue = (chances: Chances): string =>
  chances.happens(0.1) ? deep(chances) : chances.happens(0.15) ? large(chances) : chances.pick(VALUES)

/** Matches the strings, numbers and literals of a JSON text that are values. */
const PLACES = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|\b(?:true|false|null)\b/g

/** Replaces one value in a text of JSON, or adds a member to an object in it. `value` makes the value. */
export function mutatedJson(text: string, chances: Chances, value = hostileValue): string {
  if (chances.happens(0.1)) return value(chances)
  if (chances.happens(0.3)) {
    const at = nth(text, /\{/g, chances)
    const member = chances.pick(['id', 'choices', 'error', 'usage', '__proto__', 'x', '', 'message', 'index'])
    return at === undefined
      ? text
      : `${text.slice(0, at.index + 1)}${JSON.stringify(member)}:${value(chances)},${text.slice(at.index + 1)}`
  }
  const at = nth(text, PLACES, chances)
  return at === undefined
    ? value(chances)
    : text.slice(0, at.index) + value(chances) + text.slice(at.index + at[0].length)
}

function nth(text: string, pattern: RegExp, chances: Chances): RegExpExecArray | undefined {
  const found = Array.from(text.matchAll(pattern))
  return found[chances.below(found.length)]
}

/** Faults in the framing of an event stream. */
function mutatedEvents(text: string, chances: Chances): string {
  return chances.pick([
    () => text.replaceAll('\n', '\r'),
    () => text.replaceAll('\n\n', '\n'),
    () => text.replaceAll('\n\n', '\n'.repeat(5)),
    () => `\ufeff${text}`,
    () => text.replaceAll('data: ', 'data:'),
    () => text.replaceAll('data: ', `id: ${'7'.repeat(1_000)}\nevent: error\nretry: 1e9\ndata: `),
    () => text.replace('data: [DONE]', ''),
    () => text.repeat(2),
    () => `${text}${'data: [DONE]\n\n'.repeat(1_000)}`,
    () => `${': x\n'.repeat(50_000)}${text}`,
    () => `data: ${'x'.repeat(2 ** 21)}`,
    () => `${'data:\n\n'.repeat(100_000)}${text}`,
    () => `${'data: {"choices":[]}\n\n'.repeat(20_000)}${text}`,
  ])()
}

/** Bytes that are not text. */
export function mutatedBytes(body: Buffer, chances: Chances): Buffer {
  const at = chances.below(body.length + 1)
  const [before, after] = [body.subarray(0, at), body.subarray(at)]
  return chances.pick([
    () => Buffer.concat([before, Buffer.from([0xff, 0xfe, 0x80]), after]),
    () => Buffer.concat([before, Buffer.from([0xf0, 0x9f, 0x98]), after]),
    () => Buffer.concat([before, Buffer.from([0xed, 0xa0, 0x80]), after]),
    () => Buffer.concat([before, Buffer.from([0]), after]),
    () => Buffer.from(body.toString(), 'utf16le'),
    () => Buffer.concat([Buffer.from('\ufeff'), body]),
    () => before,
    () => Buffer.concat([body, before]),
    () => Buffer.alloc(0),
  ])()
}

/** A body whose values, events or bytes are hostile. */
export function hostileBody(body: Buffer, isStream: boolean, chances: Chances): Buffer {
  if (chances.happens(0.2)) return mutatedBytes(body, chances)
  const text = body.toString()
  if (!isStream) return Buffer.from(mutatedJson(text, chances))
  if (chances.happens(0.3)) return Buffer.from(mutatedEvents(text, chances))
  const events = text.split('\n\n')
  const at = chances.below(events.length)
  const event = events[at] ?? ''
  return Buffer.from(
    events.with(at, `data: ${mutatedJson(event.replace(/^data: /, ''), chances)}`).join('\n\n'),
  )
}
