// The number of started programs, which a flag may reduce, is the bound of requests in flight. A program
// that a busy machine delayed, or that had to be ended, is not blamed for a rule that it could not show.
import { expect, test } from 'vitest'
import { CheckFailure, Inconclusive, NotApplicable } from '../../../contract/outcome.ts'
import type { ProgramEnd, Observed } from '../scenario.ts'
import type { Call } from '../../../../harness/scripted-service/call.ts'
import { attempt, observedWith } from '../observed.fixture.ts'
import { closesWhenStopped, givesUp, sameCourse, slowsDown } from './course.ts'

const end: ProgramEnd = { exitCode: 1, signal: null, isOverdue: false, stdout: '', stderr: '' }

/** An attempt that arrives and is refused at these times. */
const refused = (arrivedMs: number, lastByteMs: number) => attempt(arrivedMs, lastByteMs, 429)

function observed(programs: number, ...attempts: readonly Call[]): Observed {
  const scenario = { name: 'made', script: [], checks: [], clients: 16 }
  return observedWith({ scenario, attempts, ends: Array.from({ length: programs }, () => end) })
}

test('with two programs started, more than two requests in flight fail, even if 16 were requested', () => {
  const first = [refused(0, 10), refused(1, 10)] as const
  const second = [refused(1000, 1010), refused(1001, 1010)] as const
  const later = [refused(3000, 3010), refused(3001, 3010)] as const
  expect(() => slowsDown(observed(2, ...first, ...second, ...later))).not.toThrow()
  const pressing = [refused(1000, 1010), refused(1001, 1010), refused(1002, 1010)]
  expect(() => slowsDown(observed(2, ...first, ...pressing))).toThrow(CheckFailure)
})

test('a rate that stays the same fails, and one that falls or that one retry shows does not', () => {
  const at = (...times: readonly number[]): Observed =>
    observed(1, ...times.map((time) => refused(time, time + 10)))
  expect(() => slowsDown(at(0, 1010, 2020, 3030))).toThrow(CheckFailure)
  expect(() => slowsDown(at(0, 1010, 3020, 7030))).not.toThrow()
  expect(() => slowsDown(at(0, 1010))).toThrow(NotApplicable)
})

test('programs that do not retry are not judged, and those that the judge did not start are as many as are wanted', () => {
  expect(() => slowsDown(observed(2, refused(0, 10), refused(1, 10)))).toThrow(NotApplicable)
  expect(() => slowsDown(observed(0, refused(0, 10), refused(1, 10), refused(1000, 1010)))).toThrow(
    NotApplicable,
  )
})

test('a connection that is closed too late is a failure, unless the judge was late as well', () => {
  const closed = (hungUpMs: number, busyMs: number): Observed =>
    observedWith({ attempts: [{ ...refused(0, 10), hungUpMs }], stoppedMs: 500, busyMs: () => busyMs })
  expect(() => closesWhenStopped(closed(3_400, 0), 3_000)).not.toThrow()
  expect(() => closesWhenStopped(closed(4_000, 0), 3_000)).toThrow(CheckFailure)
  expect(() => closesWhenStopped(closed(4_000, 60), 3_000)).toThrow(Inconclusive)
})

test('who had to be ended is blamed for more attempts, never for fewer or for its end', () => {
  const made = (count: number, isOverdue: boolean): Observed => {
    const exitCode = isOverdue ? null : 1
    const attempts = Array.from({ length: count }, (_, at) => refused(at * 1000, at * 1000 + 10))
    return observedWith({ attempts, ends: [{ ...end, exitCode, isOverdue }] })
  }
  expect(() => sameCourse(made(1, false), made(1, false), 'usual')).not.toThrow()
  expect(() => sameCourse(made(1, false), made(2, false), 'usual')).toThrow(CheckFailure)
  expect(() => sameCourse(made(2, true), made(1, false), 'usual')).toThrow(CheckFailure)
  expect(() => sameCourse(made(1, true), made(1, false), 'usual')).toThrow(Inconclusive)
  expect(() => sameCourse(made(1, false), made(1, true), 'usual')).toThrow(Inconclusive)
  expect(() => sameCourse(made(1, true), made(2, false), 'usual')).toThrow(Inconclusive)
})

test('who still waits for a day is a failure, who waits less again and again is not judged', () => {
  const overdue = { ...end, exitCode: null, isOverdue: true }
  expect(() => givesUp(observedWith({ attempts: [refused(0, 10)], ends: [end] }))).not.toThrow()
  expect(() => givesUp(observedWith({ attempts: [refused(0, 10)], ends: [overdue] }))).toThrow(CheckFailure)
  const attempts = [refused(0, 10), refused(8000, 8010)]
  expect(() => givesUp(observedWith({ attempts, ends: [overdue] }))).toThrow(Inconclusive)
})
