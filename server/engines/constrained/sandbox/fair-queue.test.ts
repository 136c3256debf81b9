// Keys take turns: between two entries of one key, every other key that waits is served once.
import { expect, test } from 'vitest'
import { fc, forAll } from '../../../../spec/property.fixture.ts'
import { createFairQueue } from './fair-queue.ts'

const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })

test('each key is served in its order, and none twice before another that waits', () => {
  forAll(keys, (waiting) => {
    const queue = createFairQueue<number>({ maxWaiting: 100, maxWaitingOfOneKey: 100 })
    waiting.forEach((key, entry) => queue.add(key, entry))
    const left = new Map(Object.entries(Object.groupBy([...waiting.entries()], ([, key]) => key)))
    let turn = new Set<string>()
    while (queue.size() > 0) {
      const taken = queue.take(() => true)
      expect(taken?.entry).toBe(left.get(taken?.key ?? '')?.shift()?.[0])
      if (turn.has(taken?.key ?? '')) {
        // A new round starts only after each waiting key had a turn.
        for (const [key, entries] of left) if (entries.length > 0) expect(turn).toContain(key)
        turn = new Set()
      }
      turn.add(taken?.key ?? '')
    }
    expect([...left.values()].flat()).toEqual([])
  })
})

test('skips a key that may not run, and never returns a removed entry', () => {
  const queue = createFairQueue<string>({ maxWaiting: 10, maxWaitingOfOneKey: 10 })
  for (const [key, entry] of ['a1', 'a2', 'b1'].map((each) => [each.slice(0, 1), each] as const))
    queue.add(key, entry)
  expect(queue.take((key) => key !== 'a')).toEqual({ key: 'b', entry: 'b1' })
  expect(queue.take((key) => key !== 'a')).toBeUndefined()
  queue.remove('a', 'a1')
  expect(queue.take(() => true)).toEqual({ key: 'a', entry: 'a2' })
  expect(queue.size()).toBe(0)
})

test('both bounds hold', () => {
  const queue = createFairQueue<number>({ maxWaiting: 3, maxWaitingOfOneKey: 2 })
  const added = ['a', 'a', 'a', 'b', 'c'].map((key, entry) => queue.add(key, entry))
  expect(added).toEqual([true, true, false, true, false])
  expect(queue.clear()).toEqual([0, 1, 3])
  expect(queue.add('c', 5)).toBe(true)
})
