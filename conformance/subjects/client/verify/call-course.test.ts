// The number of started programs, which a flag may reduce, is the bound of requests in flight. A program
// that a busy machine delayed, or that had to be ended, is not blamed for a rule that it could not show.
import { expect, test } from 'vitest'
import { NOTHING_OBSERVED, type Observed } from '../scenario.ts'
import type { ProgramEnd } from '../../../../harness/judged-program.ts'
import { attempt, errorOf } from '../observed.fixture.ts'
import { MAX_REQUESTS } from '../../../../harness/scripted-service/scripted-service.ts'
import { closesWhenStopped, endsByItself, givesUp, sameCourse, slowsDown } from './call-course.ts'

const end: ProgramEnd = { exitCode: 1, signal: null, isOverdue: false, stdout: '', stderr: '' }
const overdue: ProgramEnd = { ...end, exitCode: null, isOverdue: true }

/** Attempts that arrive at these times and are refused after 10 ms. */
const refused = (...times: readonly number[]) => times.map((time) => attempt(time, time + 10, 429))

test.each([
  ['no more than the two programs', 2, [0, 1, 1000, 1001, 3000, 3001], undefined],
  ['a third of two programs, if 16 were requested', 2, [0, 1, 1000, 1001, 1002], 'CheckFailure'],
  ['one retry, which shows no rate', 1, [0, 1010], 'NotApplicable'],
  ['no retries', 2, [0, 1], 'NotApplicable'],
  ['fewer than the 16 that the judge did not start', 0, [0, 1, 1000], 'NotApplicable'],
])('requests under continual refusals: %s', (_, programs, times, error) => {
  const scenario = { name: 'made', script: [], checks: [], clients: 16 }
  const ends = Array.from({ length: programs }, () => end)
  const observed = { ...NOTHING_OBSERVED, scenario, attempts: refused(...times), ends }
  expect(errorOf(() => slowsDown(observed))).toBe(error)
})

test.each([
  ['in time', 3_400, 0, undefined],
  ['too late', 4_000, 0, 'CheckFailure'],
  ['too late, as the judge was', 4_000, 60, 'Inconclusive'],
])('a connection is closed %s', (_, hungUpMs, busyMs, error) => {
  const attempts = [{ ...attempt(0, 10, 429), hungUpMs }]
  const observed = { ...NOTHING_OBSERVED, attempts, stoppedMs: 500, busyMs: () => busyMs }
  expect(errorOf(() => closesWhenStopped(observed, 3_000))).toBe(error)
})

function made(count: number, how: ProgramEnd): Observed {
  const attempts = refused(...Array.from({ length: count }, (_, at) => at * 1000))
  return { ...NOTHING_OBSERVED, attempts, ends: [how] }
}

test.each([
  [1, end, 1, end, undefined],
  [1, end, 2, end, 'CheckFailure'],
  [2, overdue, 1, end, 'CheckFailure'],
  [1, overdue, 1, end, 'Inconclusive'],
  [1, end, 1, overdue, 'Inconclusive'],
  [1, overdue, 2, end, 'Inconclusive'],
])(
  'a program that had to be ended is blamed for more attempts alone (%#)',
  (count, how, usual, usually, error) => {
    expect(errorOf(() => sameCourse(made(count, how), made(usual, usually), 'usual'))).toBe(error)
  },
)

test('a program that waits less than a day again and again is not judged', () => {
  expect(errorOf(() => givesUp(made(1, overdue)))).toBe('CheckFailure')
  expect(errorOf(() => givesUp(made(2, overdue)))).toBe('Inconclusive')
})

test.each([
  [14, end, undefined],
  [14, overdue, 'Inconclusive'],
  [15, overdue, 'CheckFailure'],
  [MAX_REQUESTS, end, 'CheckFailure'],
])('a program that made %i attempts has a bound if it ended by itself (%#)', (count, how, error) => {
  expect(errorOf(() => endsByItself(made(count, how)))).toBe(error)
})
