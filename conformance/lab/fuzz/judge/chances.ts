// Choices that depend only on the given parts, not on the order in which a judge sends its requests.
import { createHash } from 'node:crypto'

export interface Chances {
  /** A whole number from 0 to below this one. */
  below(count: number): number
  pick<Value>(values: readonly [Value, ...Value[]]): Value
  /** Whether an event of this probability happens. */
  happens(probability: number): boolean
}

export function chancesOf(...parts: readonly (string | number)[]): Chances {
  let state = createHash('sha256').update(parts.join('\n')).digest().readUInt32BE()
  // Mulberry32: any even distribution is good enough.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    pick: ([first, ...others]) => {
      const at = below(others.length + 1)
      return at === 0 ? first : (others[at - 1] ?? first)
    },
    happens: (probability) => next() < probability,
  }
}
