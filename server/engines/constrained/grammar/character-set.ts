// Sets of Unicode code points as sorted, disjoint ranges, and the grammar of one character of such a set in a JSON string.
import { all, byte, type Grammar, literal, one } from './byte-grammar.ts'
import { spend } from './effort.ts'

export type Range = readonly [low: number, high: number]
export type CharacterSet = readonly Range[]

/** Each code point that UTF-8 can encode: all except surrogates. */
export const EVERY: CharacterSet = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
]

export function union(...sets: readonly CharacterSet[]): CharacterSet {
  const joined: Range[] = []
  for (const [low, high] of sets.flat().toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last === undefined || low > last[1] + 1) joined.push([low, high])
    else joined[joined.length - 1] = [last[0], Math.max(last[1], high)]
  }
  return joined
}

export function intersection(a: CharacterSet, b: CharacterSet): CharacterSet {
  return a.flatMap(([low, high]) =>
    b.flatMap(([from, to]): Range[] =>
      Math.max(low, from) <= Math.min(high, to) ? [[Math.max(low, from), Math.min(high, to)]] : [],
    ),
  )
}

/** The code points of `EVERY` that are not in `set`. */
export function complement(set: CharacterSet): CharacterSet {
  const gaps: Range[] = []
  let from = 0
  for (const [low, high] of union(set)) {
    if (from < low) gaps.push([from, low - 1])
    from = high + 1
  }
  if (from <= 0x10ffff) gaps.push([from, 0x10ffff])
  return intersection(EVERY, gaps)
}

export const characters = (text: string): CharacterSet =>
  union(Array.from(text, (character): Range => [codePoint(character), codePoint(character)]))

const codePoint = (character: string): number => character.codePointAt(0) ?? 0

/** Steps to test each code point. They count the same whether the result is cached or not. */
const STEPS_OF_ALL = 50_000

const PLANE = 0x10000
const matching = new Map<string, CharacterSet>()

/** The code points that `expression`, a Unicode property escape, matches. There are some hundreds of properties. */
export function charactersMatching(expression: string): CharacterSet {
  spend(STEPS_OF_ALL)
  const found = matching.get(expression) ?? intersection(EVERY, [...rangesMatching(expression)])
  matching.set(expression, found)
  return found
}

function* rangesMatching(expression: string): Generator<Range> {
  const runs = new RegExp(`(?:${expression})+`, 'gu')
  for (let plane = 0; plane <= 0x10ffff; plane += PLANE) {
    const text = EVERY.filter(([low, high]) => low < plane + PLANE && high >= plane)
      .map(([low, high]) => consecutive(Math.max(low, plane), Math.min(high, plane + PLANE - 1)))
      .join('')
    for (const [run] of text.matchAll(runs)) {
      const last = run.codePointAt(run.length - (run.length > 1 && /[\udc00-\udfff]$/.test(run) ? 2 : 1)) ?? 0
      yield [codePoint(run), last]
    }
  }
}

/** The characters from `low` to `high`. */
function consecutive(low: number, high: number): string {
  let text = ''
  for (let value = low; value <= high; value += 1) text += String.fromCodePoint(value)
  return text
}

/** The characters that a JSON string must escape. */
const ESCAPED = union([[0, 0x1f]], characters('"\\'))
export const UNESCAPED = complement(ESCAPED)

/** One character of `set` in a JSON string: unescaped if JSON allows it, otherwise its shortest escape. */
export function inString(set: CharacterSet): Grammar {
  const escaped = intersection(set, ESCAPED).flatMap(([low, high]) =>
    Array.from({ length: high - low + 1 }, (_, index) =>
      literal(JSON.stringify(String.fromCodePoint(low + index)).slice(1, -1)),
    ),
  )
  return one(...intersection(set, UNESCAPED).flatMap(([low, high]) => utf8(low, high)), ...escaped)
}

/** The last code points with one, two, three and four bytes. */
const LAST_OF_LENGTH = [0x7f, 0x7ff, 0xffff, 0x10ffff]

/** The code points from `low` to `high` in UTF-8. */
function utf8(low: number, high: number): Grammar[] {
  const end = LAST_OF_LENGTH.find((last) => low <= last) ?? 0x10ffff
  if (high > end) return [...utf8(low, end), ...utf8(end + 1, high)]
  return sequences([...encoded(low)], [...encoded(high)])
}

function encoded(value: number): Buffer {
  return Buffer.from(String.fromCodePoint(value))
}

/** All UTF-8 sequences between two sequences of the same length. */
function sequences(low: readonly number[], high: readonly number[]): Grammar[] {
  const [first = 0, ...lowRest] = low
  const [last = 0, ...highRest] = high
  if (lowRest.length === 0) return [byte(first, last)]
  const lowest = lowRest.map(() => 0x80)
  const highest = lowRest.map(() => 0xbf)
  const tail = (from: readonly number[], to: readonly number[]): Grammar => one(...sequences(from, to))
  if (first === last) return [all(byte(first), tail(lowRest, highRest))]
  const lowWhole = lowRest.every((value) => value === 0x80)
  const highWhole = highRest.every((value) => value === 0xbf)
  const from = lowWhole ? first : first + 1
  const to = highWhole ? last : last - 1
  return [
    ...(lowWhole ? [] : [all(byte(first), tail(lowRest, highest))]),
    ...(from <= to ? [all(byte(from, to), tail(lowest, highest))] : []),
    ...(highWhole ? [] : [all(byte(last), tail(lowest, highRest))]),
  ]
}
