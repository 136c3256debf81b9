import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createResultCache } from './result-cache.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('holds at most so many entries and characters, and always the last that fits', () => {
  const sets = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), size: fc.nat(30) }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(sets, (all) => {
      const cache = createResultCache<number>({ maxEntries: 3, maxCharacters: 100 })
      for (const { key, size } of all) {
        cache.set(key, size, size)
        const kept = ['a', 'b', 'c', 'd', 'e'].flatMap((each) => cache.get(each) ?? [])
        expect(kept.length).toBeLessThanOrEqual(3)
        expect(kept.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100)
        expect(cache.get(key)).toBe(size <= 25 ? size : undefined)
      }
    }),
  )
})

test('forgets what was not asked for the longest time, and what is kept for a time after it', () => {
  const cache = createResultCache<number>({ maxEntries: 2, maxCharacters: 100 })
  cache.set('a', 1, 1)
  cache.set('b', 2, 1, 1000)
  expect(cache.get('a')).toBe(1)
  cache.set('c', 3, 1, 1000)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
  vi.advanceTimersByTime(1001)
  expect([cache.get('a'), cache.get('c')]).toEqual([1, undefined])
})
