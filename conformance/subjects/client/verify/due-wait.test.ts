// The rule that judges and the rule that is judged were written apart: they must say the same.
import { expect, test } from 'vitest'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { nextRetry } from '../../../../spec/protocol/retry.ts'
import { EARLY_MS, LATE_MS, dueWait, lateMs, rangesOf, wrongWait } from './due-wait.ts'

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
      const isWithin = rangesOf(due).some(
        ({ leastMs, mostMs }) => decision.waitMs >= leastMs && decision.waitMs <= mostMs,
      )
      expect(isWithin).toBe(true)
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

const NOW = 'Thu, 01 Jan 2026 00:00:10 GMT'
const at = (second: string): string => NOW.replace('10 GMT', `${second} GMT`)

test.each([
  ['1.5', [1000, 1250, 1500, 9000], [0, 900]],
  ['0.5', [500, 1000, 1250], [0, 400]],
  [at('14'), [1000, 1250, 3000, 4000], [0, 900, 2000]],
  [at('09'), [0, 100, 1000, 1250], [400, 900, 2000]],
  [at('10'), [0, 1250], [500]],
  ['0', [1000], [0, 2000]],
])('after `Retry-After: %s` a client backs off, or obeys it', (value, right, wrong) => {
  const due = dueWait(429, value, 0, NOW) ?? expect.unreachable()
  expect(right.filter((waitedMs) => wrongWait(waitedMs, due) !== undefined)).toEqual([])
  expect(wrong.filter((waitedMs) => wrongWait(waitedMs, due) === undefined)).toEqual([])
})

test('a date of an answer that has no `Date` is not judged, and a wait is late after the range that it missed', () => {
  expect(wrongWait(1, dueWait(429, NOW, 0) ?? expect.unreachable())).toBeUndefined()
  const due = dueWait(429, at('09'), 0, NOW) ?? expect.unreachable()
  expect([lateMs(LATE_MS + 5, due), lateMs(1250 + LATE_MS + 5, due)]).toEqual([5, 5])
})
