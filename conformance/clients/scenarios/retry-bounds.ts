// A call ends: bounds on attempts and on the total wait, and the request rate of a refused program (RETRY-5, RETRY-6,
// RETRY-7, RETRY-9).
import { refuse } from '../scripted-service/answers.ts'
import { type Scenario, withOneCheck } from '../scenario.ts'
import { atMostFive, endsByItself, givesUp, slowsDown } from '../verify/course.ts'
import { waitsAreDue } from '../verify/waits.ts'
import { reportsFailure } from './retry-statuses.ts'

/** Longer than the waits of five attempts, so that a call without a bound makes more attempts than that. */
const ENDLESS_MS = 24_000

export const scenarios: readonly Scenario[] = [
  {
    name: 'endless-500',
    script: [refuse(500)],
    boundMs: ENDLESS_MS,
    checks: [
      { id: 'retry.endless-500', requirement: 'RETRY-5', title: '500 without end', verify: endsByItself },
      { id: 'retry.five-500', requirement: 'RETRY-6', title: '500 without end', verify: atMostFive },
      {
        id: 'retry.backoff-doubles',
        requirement: 'RETRY-4',
        title: 'the wait doubles with each 500',
        verify: waitsAreDue,
      },
      reportsFailure('read.status-500', '500 without end is a failure'),
    ],
  },
  {
    name: 'endless-429',
    script: [refuse(429, { 'retry-after': '1' })],
    boundMs: ENDLESS_MS,
    checks: [
      {
        id: 'retry.endless-429',
        requirement: 'RETRY-5',
        title: '429 with `Retry-After: 1` without end',
        verify: endsByItself,
      },
      {
        id: 'retry.five-429',
        requirement: 'RETRY-6',
        title: '429 with `Retry-After: 1` without end',
        verify: atMostFive,
      },
      {
        id: 'retry.slows-down',
        requirement: 'RETRY-9',
        title: '429 without end to one call',
        verify: slowsDown,
      },
      reportsFailure('read.status-429', '429 without end is a failure'),
    ],
  },
  withOneCheck({
    id: 'retry.slows-down-at-once',
    name: 'sixteen-at-once',
    requirement: 'RETRY-9',
    title: '429 without end to several calls at once',
    verify: slowsDown,
    clients: 16,
    script: [refuse(429, { 'retry-after': '1' })],
    boundMs: ENDLESS_MS,
  }),
  {
    name: 'wait-a-day',
    script: [refuse(429, { 'retry-after': '86400' })],
    // A program that waits less than `Retry-After` and retries a few times has ended by then.
    boundMs: 20_000,
    checks: [
      {
        id: 'retry.wait-a-day',
        requirement: 'RETRY-7',
        title: '429 with `Retry-After: 86400`',
        verify: givesUp,
      },
      {
        id: 'retry.not-before-a-day',
        requirement: 'RETRY-3',
        title: '429 with `Retry-After: 86400` is not retried sooner',
        verify: waitsAreDue,
      },
    ],
  },
  withOneCheck({
    id: 'retry.not-before-a-month',
    name: 'wait-a-month',
    requirement: 'RETRY-3',
    title: '429 with `Retry-After: 2592000` is not retried sooner',
    verify: waitsAreDue,
    // More milliseconds than 31 bits hold: a timer that overflows fires at once.
    script: [refuse(429, { 'retry-after': '2592000' })],
    boundMs: 4_000,
  }),
]
