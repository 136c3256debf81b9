// The retry rules: which failures are tried again, after which wait, and that it ends.
import { describe, expect, test } from 'vitest'
import { fc, forAll } from '../property.fixture.ts'
import { errorTypes } from './error.ts'
import { type FailedAttempt, RECOMMENDED_ATTEMPTS, backoffMs, nextRetry, parseRetryAfter } from './retry.ts'

const limits = { maxAttempts: RECOMMENDED_ATTEMPTS, maxTotalWaitMs: 60_000 }
/** Always one more attempt. */
const patient = { maxAttempts: 100, maxTotalWaitMs: Infinity }
const failed: FailedAttempt = { status: 500, retryAfter: undefined, attempt: 0, waitedMs: 0, random: 0 }

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
/** Texts that are not a number of seconds above 0. */
const unusable = ['', '0', '-1', '0.0', 'soon', 'NaN', 'Infinity', '1e3', '0x10', '5 seconds']
const header = fc.oneof(
  fc.constantFrom(null, undefined, ...unusable),
  fc.constant('Wed, 21 Oct 2026 07:28:00 GMT'),
  fc.nat(100_000).map(String),
  fc.string(),
)

describe('which failures', () => {
  test('of all statuses 429, 500 and 503 alone are tried again (RETRY-1, RETRY-2)', () => {
    forAll(fc.integer({ min: 100, max: 599 }), header, random, (status, retryAfter, random) => {
      const decision = nextRetry({ ...failed, status, retryAfter, random }, patient)
      expect('waitMs' in decision).toBe([429, 500, 503].includes(status))
    })
  })

  test('each of them is in the table of errors', () => {
    expect(Object.keys(errorTypes)).toEqual(expect.arrayContaining(['429', '500', '503']))
  })
})

describe('the wait', () => {
  test('is never shorter than a positive Retry-After of a 429 (RETRY-3)', () => {
    forAll(fc.double({ min: 0.001, max: 1e6, noNaN: true }), random, (seconds, random) => {
      const retryAfter = seconds.toFixed(3)
      const decision = nextRetry({ ...failed, status: 429, retryAfter, random }, patient)
      expect(decision).toEqual({ waitMs: expect.any(Number) })
      expect('waitMs' in decision && decision.waitMs).toBeGreaterThanOrEqual(Number(retryAfter) * 1000)
    })
  })

  test('is otherwise 1000 ms doubled for each retry, and up to 250 ms (RETRY-4, RETRY-10)', () => {
    forAll(fc.nat(20), random, fc.constantFrom(429, 500, 503), (attempt, random, status) => {
      const retryAfter = status === 429 ? '-1' : '7'
      const decision = nextRetry({ ...failed, status, retryAfter, attempt, random }, patient)
      const base = 1000 * 2 ** attempt
      expect(decision).toEqual({ waitMs: backoffMs(attempt, random) })
      expect(backoffMs(attempt, random) - base).toBeGreaterThanOrEqual(0)
      expect(backoffMs(attempt, random) - base).toBeLessThanOrEqual(250)
    })
  })
})

describe('the end', () => {
  test('a call that always fails makes a bounded number of attempts in a bounded time (RETRY-5, RETRY-7)', () => {
    forAll(
      fc.integer({ min: 1, max: 20 }),
      fc.nat(1_000_000),
      header,
      random,
      (maxAttempts, maxTotalWaitMs, retryAfter, random) => {
        let waitedMs = 0
        let attempt = 0
        for (; ; attempt++) {
          const decision = nextRetry(
            { status: 429, retryAfter, attempt, waitedMs, random },
            { maxAttempts, maxTotalWaitMs },
          )
          if ('stop' in decision) break
          waitedMs += decision.waitMs
        }
        expect(attempt + 1).toBeLessThanOrEqual(maxAttempts)
        expect(waitedMs).toBeLessThanOrEqual(maxTotalWaitMs)
      },
    )
  })

  test.each([
    ['status is not retryable', { status: 400 }],
    ['no attempts left', { attempt: 4 }],
    ['total wait exhausted', { status: 429, retryAfter: '86400' }],
    ['total wait exhausted', { status: 429, retryAfter: '9'.repeat(400) }],
    ['total wait exhausted', { waitedMs: 59_500 }],
  ])('%s', (stop, change) => {
    expect(nextRetry({ ...failed, ...change }, limits)).toEqual({ stop })
  })
})

describe('Retry-After', () => {
  test('is read as seconds if it is a positive number, with white space around it', () => {
    expect(['1', ' 20 ', '0.5', '007', '86400'].map(parseRetryAfter)).toEqual([1, 20, 0.5, 7, 86400])
  })

  test('any other text is none', () => {
    forAll(fc.string(), (text) => {
      fc.pre(!/^\s*\d+(\.\d+)?\s*$/.test(text))
      expect(parseRetryAfter(text)).toBeUndefined()
    })
    for (const none of [null, undefined, '', '0', '0.0', '-1', 'NaN', 'Infinity', '1e3', '0x10'])
      expect(parseRetryAfter(none)).toBeUndefined()
  })
})
