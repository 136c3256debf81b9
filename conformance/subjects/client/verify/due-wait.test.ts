// The rule that judges and the rule that is judged were written apart: they must say the same.
import { expect, test } from 'vitest'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { nextRetry } from '../../../../spec/protocol/retry.ts'
import { EARLY_MS, LATE_MS, dueWait, wrongWait } from './due-wait.ts'

const status = fc.oneof(
  fc.constantFrom(400, 401, 404, 408, 429, 500, 503),
  fc.integer({ min: 300, max: 599 }),
)
const retryAfter = fc.oneof(
  fc.constantFrom(undefined, '', ' 2 ', ...'0 0.0 00 -1 1 1.5 abc 5abc 1e3 +1 .5 1. 86400'.split(' ')),
  fc.integer({ min: -5, max: 100 }).map(String),
  fc.double({ min: 0.001, max: 1000, noNaN: true }).map((seconds) => seconds.toFixed(3)),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.string({ maxLength: 6 }),
)
const limits = { maxAttempts: Infinity, maxTotalWaitMs: Infinity }

test('what the client of this project waits is due, and what it does not retry is not (RETRY-1 to RETRY-4, RETRY-10)', () => {
  forAllWith(
    { numRuns: 2_000 },
    status,
    retryAfter,
    fc.nat(6),
    fc.double({ min: 0, max: 0.999, noNaN: true }),
    (code, named, retry, random) => {
      const asked = { status: code, retryAfter: named, attempt: retry, waitedMs: 0, random }
      const decision = nextRetry(asked, limits)
      const due = dueWait(code, named, retry)
      expect(due === undefined).toBe('stop' in decision)
      if ('stop' in decision || due === undefined) return
      expect(wrongWait(decision.waitMs, due)).toBeUndefined()
      expect(decision.waitMs).toBeGreaterThanOrEqual(due.leastMs)
      expect(decision.waitMs).toBeLessThanOrEqual(due.mostMs)
    },
  )
})

test('the bounds are those of the client: its least and its most jitter reach them', () => {
  for (const retry of [0, 1, 2, 3]) {
    const [least, most] = [0, 1].map((random) =>
      nextRetry({ status: 500, retryAfter: undefined, attempt: retry, waitedMs: 0, random }, limits),
    )
    expect([least, most]).toEqual([
      { waitMs: dueWait(500, undefined, retry)?.leastMs },
      { waitMs: dueWait(500, undefined, retry)?.mostMs },
    ])
  }
})

test('a wait is wrong beyond the tolerance, and not within it', () => {
  const due = { leastMs: 1000, mostMs: 1250 }
  expect(wrongWait(1000 - EARLY_MS - 1, due)).toBe('early')
  expect(wrongWait(1000 - EARLY_MS, due)).toBeUndefined()
  expect(wrongWait(1250 + LATE_MS, due)).toBeUndefined()
  expect(wrongWait(1250 + LATE_MS + 1, due)).toBe('late')
  expect(wrongWait(86_400_000, { leastMs: 1000, mostMs: Infinity })).toBeUndefined()
})
