// A call ends: bounds on attempts and on the total wait, and the request rate of a refused program (RETRY-5, RETRY-6,
// RETRY-7, RETRY-9), and the jitter of its waits (RETRY-11).
import {
  completion,
  jsonReply,
  plain,
  refuse,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import {
  type Asked,
  type Reply,
  type Step,
  reset,
} from '../../../../harness/scripted-service/scripted-reply.ts'
import { type ClientCheck, type Scenario, check, scenario } from '../scenario.ts'
import { ENDLESS_MS, atMostFive, endsByItself, givesUp, slowsDown } from '../verify/call-course.ts'
import { firstWaits, waitsAreDue, waitsVary } from '../verify/actual-waits.ts'
import { reportsFailure } from './retry-statuses.ts'

/** A doubling wait leaves no time for more attempts than these within `ENDLESS_MS`. */
const ENDLESS_BACKED_OFF = 6

/** The other scenarios with a back-off before the first retry. */
const BACKED_OFF = `backoff-500 backoff-503 backoff-mixed endless-503 retry-after-absent retry-after-zero
  retry-after-negative retry-after-word retry-after-empty same-body says-never-500 says-never-503 says-server-error-500
  says-overloaded-503 type-never-500`.split(/\s+/)

/** A refusal of every attempt, with the checks that each of them has and some more. */
function endless(status: 429 | 500 | 503, ...more: readonly ClientCheck[]): Scenario {
  const isTimed = status === 429
  const title = `${status}${isTimed ? ' with `Retry-After: 1`' : ''} without end`
  return {
    name: `endless-${status}`,
    script: [refuse(status, isTimed ? { 'retry-after': '1' } : {})],
    boundMs: ENDLESS_MS,
    checks: [
      check(`retry.endless-${status}`, 'RETRY-5', title, (observed) =>
        endsByItself(observed, isTimed ? undefined : ENDLESS_BACKED_OFF),
      ),
      check(`retry.five-${status}`, 'RETRY-6', title, atMostFive),
      ...more,
    ],
  }
}

/** The check that a program does not repeat a call for ever whose connection breaks each time. */
export function boundsReconnects(name: string, what: string): ClientCheck {
  return check(`retry.endless-${name}`, 'RETRY-5', `${what}, each time`, (seen) => endsByItself(seen), {})
}

/** A connection that breaks each time, before an answer or within a plain one. */
const broken = (name: string, what: string, step: Step): Scenario => ({
  name,
  requested: { stream: false },
  script: [step],
  boundMs: ENDLESS_MS,
  checks: [boundsReconnects(name, what)],
})

/** The first half of the good answer. */
function cutAnswer(asked: Asked): Reply {
  const reply = jsonReply(200, completion(asked))
  const pieces = reply.pieces.map(({ bytes }) => ({ bytes: bytes.subarray(0, bytes.length / 2), afterMs: 0 }))
  return { ...reply, pieces, end: 'cut' }
}

export const scenarios: readonly Scenario[] = [
  broken('reset', 'a connection that breaks before the answer', reset),
  broken('answer-cut', 'a plain answer that breaks off', plain(cutAnswer)),
  endless(
    500,
    check('retry.backoff-doubles', 'RETRY-4', 'the wait doubles with each 500', waitsAreDue),
    check(
      'retry.jitter',
      'RETRY-11',
      'the first back-offs of several calls are not all equal',
      (observed, beside) => waitsVary([observed, ...BACKED_OFF.map(beside)].flatMap(firstWaits)),
      { beside: BACKED_OFF },
    ),
    reportsFailure('read.status-500', '500 without end is a failure'),
  ),
  endless(503),
  endless(
    429,
    check('retry.slows-down', 'RETRY-9', '429 without end to one call', slowsDown),
    reportsFailure('read.status-429', '429 without end is a failure'),
  ),
  scenario('retry.slows-down-at-once', 'RETRY-9', '429 without end to several calls at once')
    .with({
      name: 'sixteen-at-once',
      clients: 16,
      script: [refuse(429, { 'retry-after': '1' })],
      boundMs: ENDLESS_MS,
    })
    .verify(slowsDown),
  {
    name: 'wait-a-day',
    script: [refuse(429, { 'retry-after': '86400' })],
    // A program that waits less than `Retry-After` and retries a few times has ended by then.
    boundMs: 20_000,
    checks: [
      check('retry.wait-a-day', 'RETRY-7', '429 with `Retry-After: 86400`', givesUp),
      check(
        'retry.not-before-a-day',
        'RETRY-3',
        '429 with `Retry-After: 86400` is not retried sooner',
        waitsAreDue,
      ),
    ],
  },
  scenario('retry.not-before-a-month', 'RETRY-3', '429 with `Retry-After: 2592000` is not retried sooner')
    .with({
      name: 'wait-a-month',
      // More milliseconds than 31 bits hold: a timer that overflows fires at once.
      script: [refuse(429, { 'retry-after': '2592000' })],
      boundMs: 4_000,
    })
    .verify(waitsAreDue),
]
