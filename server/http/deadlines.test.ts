import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeadlines } from './deadlines.ts'

const TIMEOUT_MS = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const items = fc.array(fc.record({ after: fc.nat(700), endsAfter: fc.option(fc.nat(999)) }), {
  minLength: 1,
  maxLength: 8,
})

test('each item is late at its own time, and an item that ended before is never late', () => {
  fc.assert(
    fc.property(items, (all) => {
      const lateAt: number[] = []
      const deadlines = createDeadlines<number>(TIMEOUT_MS, (item) => (lateAt[item] = performance.now()))
      const expected = all.map(({ after, endsAfter }, item) => {
        vi.advanceTimersByTime(after)
        deadlines.start(item)
        if (endsAfter !== null) setTimeout(() => deadlines.end(item), endsAfter)
        return endsAfter === null ? performance.now() + TIMEOUT_MS : undefined
      })
      vi.advanceTimersByTime(2 * TIMEOUT_MS)
      for (const [item, at] of expected.entries()) {
        if (at === undefined) expect(lateAt[item]).toBeUndefined()
        else expect(Math.abs((lateAt[item] ?? NaN) - at)).toBeLessThanOrEqual(1)
      }
      expect([...deadlines.items()]).toEqual([])
    }),
    { numRuns: 50 },
  )
})

test('a second start gives an item its whole time again', () => {
  const late = vi.fn<(item: string) => void>()
  const deadlines = createDeadlines(TIMEOUT_MS, late)
  deadlines.start('a')
  vi.advanceTimersByTime(TIMEOUT_MS - 10)
  deadlines.start('a')
  vi.advanceTimersByTime(TIMEOUT_MS - 10)
  expect([deadlines.has('a'), late.mock.calls]).toEqual([true, []])
  vi.advanceTimersByTime(10)
  expect([deadlines.has('a'), late.mock.calls]).toEqual([false, [['a']]])
})
