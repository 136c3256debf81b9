// Strings and numbers that a JSON Schema may accept, the most likely first; always the same ones.
import type { Alternative } from './schema-alternatives.ts'
import { boundsIn, numbersIn, textsIn } from './joined-keywords.ts'

const FORMATS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    'date-time': '2026-01-01T00:00:00Z',
    date: '2026-01-01',
    time: '00:00:00Z',
    duration: 'P1D',
    email: 'a@example.com',
    hostname: 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uri: 'https://example.com/',
    uuid: '00000000-0000-4000-8000-000000000000',
  }),
)

/** Strings that match most common patterns: words, numbers, identifiers, and the formats above. */
const PATTERN_TEXTS = [
  ...'a A 0 1 ab abc Abc ABC a1 A1 a-b a_b 00 000 0000 00000 123456 0.0 1.0.0 #000000 +15550100 a.b /a'.split(
    ' ',
  ),
  ...FORMATS.values(),
]

/** Strings of at least `least` characters. */
export function* strings(parts: Alternative, least: number): Generator<string> {
  yield* textsIn(parts, 'format').flatMap((format) => FORMATS.get(format) ?? [])
  if (textsIn(parts, 'pattern').length > 0) yield* PATTERN_TEXTS
  yield 'a'.repeat(least)
  // Different values for `uniqueItems`.
  for (let count = 0; count < 100; count += 1) yield String(count).padStart(least, 'a')
}

export function* numbers(parts: Alternative, type: 'integer' | 'number'): Generator<number> {
  const [step = type === 'integer' ? 1 : 0] = numbersIn(parts, 'multipleOf')
  const bounds = boundsIn(parts)
  const from = Math.max(...bounds.filter(({ side }) => side === 1).map(({ value }) => value))
  const to = Math.min(...bounds.filter(({ side }) => side === -1).map(({ value }) => value))
  const start = from > 0 ? from : to < 0 ? to : 0
  if (step > 0) {
    const first = (start > 0 ? Math.ceil(start / step) : Math.floor(start / step)) * step
    for (let count = 0; count < 100; count += 1) yield first + (to <= 0 ? -count : count) * step
  } else {
    yield start
    yield Number.isFinite(from) && Number.isFinite(to) ? (from + to) / 2 : start + (to <= 0 ? -1 : 1)
    for (let count = 1; count < 100; count += 1) yield start + count
  }
}
