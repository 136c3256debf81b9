// The cached prefix of an earlier prompt is reused, and is never longer than the common prefix.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSequencePool, type Reusable } from './sequence-pool.ts'

const GRAIN = 3
/** All but two tokens, to a multiple of `grain`. */
const multiplesOf =
  (grain: number): Reusable =>
  (common, { length }) => {
    const most = Math.min(common, length - 2)
    return Math.max(0, most - (most % grain))
  }
// Few different tokens, so that prompts have beginnings in common.
const prompts = fc.array(fc.array(fc.nat(1), { minLength: 1, maxLength: 20 }), {
  minLength: 1,
  maxLength: 12,
})

test('the slot with the longest common beginning is taken, to a multiple of the grain, and two tokens are left', () => {
  fc.assert(
    fc.property(prompts, (asked) => {
      const pool = createSequencePool<number>(3, multiplesOf(GRAIN))
      const cached = new Map([0, 1, 2].map((index): [number, readonly number[]] => [index, []]))
      for (const prompt of asked) {
        const taken = pool.take(prompt)
        if (taken === undefined) throw new Error('a slot was free')
        const { slot, common } = taken
        expect(slot.cached).toEqual(cached.get(slot.index))
        expect(common % GRAIN).toBe(0)
        expect(common).toBeLessThanOrEqual(Math.max(0, prompt.length - 2))
        expect(slot.cached.slice(0, common)).toEqual(prompt.slice(0, common))
        for (const other of cached.values()) {
          const most = Math.max(0, Math.min(beginning(other, prompt), prompt.length - 2))
          expect(common).toBeGreaterThan(most - GRAIN)
        }
        slot.cached = prompt
        cached.set(slot.index, slot.cached)
        pool.release(slot)
      }
    }),
  )
})

test('without a common prefix the slot that was free for longest is taken, and no slot twice', () => {
  const pool = createSequencePool<number>(2, multiplesOf(1))
  const taken = [pool.take([1]), pool.take([1])].flatMap((one) => (one === undefined ? [] : [one.slot]))
  expect(taken.map(({ index }) => index)).toEqual([0, 1])
  expect(pool.take([1])).toBeUndefined()
  for (const slot of taken.toReversed()) pool.release(slot)
  expect(pool.take([1])?.slot.index).toBe(1)
})

test('without a common prefix a neighbour of the slots in use is taken', () => {
  const pool = createSequencePool<number>(5, multiplesOf(1))
  const [a, b, c] = [pool.take([1]), pool.take([1]), pool.take([1])].map((taken) => taken?.slot)
  expect([a, b, c].map((slot) => slot?.index)).toEqual([0, 1, 2])
  if (b !== undefined) pool.release(b)
  expect(pool.take([1])?.slot.index).toBe(1)
  if (a !== undefined) pool.release(a)
  if (c !== undefined) pool.release(c)
  expect([pool.take([1]), pool.take([1])].map((taken) => taken?.slot.index)).toEqual([0, 2])
})

function beginning(cached: readonly number[], prompt: readonly number[]): number {
  let length = 0
  while (length < cached.length && cached[length] === prompt[length]) length += 1
  return length
}
