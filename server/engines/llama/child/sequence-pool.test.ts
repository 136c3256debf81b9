// What is kept of earlier prompts is found again, and is never more than the prompt begins with.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSequencePool } from './sequence-pool.ts'

const GRAIN = 3
// Few different tokens, so that prompts have beginnings in common.
const prompts = fc.array(fc.array(fc.nat(1), { minLength: 1, maxLength: 20 }), {
  minLength: 1,
  maxLength: 12,
})

test('the place with the longest common beginning is taken, to a multiple of the grain, and two tokens are left', () => {
  fc.assert(
    fc.property(prompts, (asked) => {
      const pool = createSequencePool<number>(3, GRAIN)
      const kept = new Map([0, 1, 2].map((index): [number, readonly number[]] => [index, []]))
      for (const prompt of asked) {
        const taken = pool.take(prompt)
        if (taken === undefined) throw new Error('a place was free')
        const { place, common } = taken
        expect(place.kept).toEqual(kept.get(place.index))
        expect(common % GRAIN).toBe(0)
        expect(common).toBeLessThanOrEqual(Math.max(0, prompt.length - 2))
        expect(place.kept.slice(0, common)).toEqual(prompt.slice(0, common))
        for (const other of kept.values()) {
          const most = Math.max(0, Math.min(beginning(other, prompt), prompt.length - 2))
          expect(common).toBeGreaterThan(most - GRAIN)
        }
        place.kept = prompt
        kept.set(place.index, place.kept)
        pool.give(place)
      }
    }),
  )
})

test('where nothing is common the place that was free for longest is taken, and none twice', () => {
  const pool = createSequencePool<number>(2, 1)
  const taken = [pool.take([1]), pool.take([1])].flatMap((one) => (one === undefined ? [] : [one.place]))
  expect(taken.map(({ index }) => index)).toEqual([0, 1])
  expect(pool.take([1])).toBeUndefined()
  for (const place of taken.toReversed()) pool.give(place)
  expect(pool.take([1])?.place.index).toBe(1)
})

test('where nothing is common a neighbour of those in use is taken', () => {
  const pool = createSequencePool<number>(5, 1)
  const [a, b, c] = [pool.take([1]), pool.take([1]), pool.take([1])].map((taken) => taken?.place)
  expect([a, b, c].map((place) => place?.index)).toEqual([0, 1, 2])
  if (b !== undefined) pool.give(b)
  expect(pool.take([1])?.place.index).toBe(1)
  if (a !== undefined) pool.give(a)
  if (c !== undefined) pool.give(c)
  expect([pool.take([1]), pool.take([1])].map((taken) => taken?.place.index)).toEqual([0, 2])
})

function beginning(kept: readonly number[], prompt: readonly number[]): number {
  let length = 0
  while (length < kept.length && kept[length] === prompt[length]) length += 1
  return length
}
