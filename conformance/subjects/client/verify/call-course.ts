// The course of a call: its end, its number of attempts, and that failures which differ only in their message have the
// same course (RETRY-5 to RETRY-9, READ-4).
import { Inconclusive, NotApplicable, fail } from '../../../contract/outcome.ts'
import type { Observed } from '../scenario.ts'
import { MAX_REQUESTS } from '../../../../harness/scripted-service/scripted-service.ts'
import { retriesOf } from './request-rules.ts'
import { isExcused, ms, replyHeader, tooBusy, waitsOf } from './actual-waits.ts'

/** A call with this number of attempts that has not ended counts as endless. */
const ENDLESS_ATTEMPTS = 15

/**
 * Longer than the waits before a sixth attempt, 31 s and jitter, so that a call without a bound makes more than five, in
 * milliseconds.
 */
export const ENDLESS_MS = 36_000

/** Verifies that the program ends by itself (RETRY-5). One that goes on after `endless` attempts has no bound. */
export function endsByItself(observed: Observed, endless = ENDLESS_ATTEMPTS): void {
  const count = observed.attempts.length
  // The service refuses more requests than these, which may have ended the program.
  if (count >= MAX_REQUESTS) fail('a bound on the number of attempts', `${count} attempts, and more`)
  if (!isOverdue(observed)) return
  if (count >= endless)
    fail('a bound on the number of attempts', `${count} attempts in ${ms(observed.boundMs)}, and no end`)
  throw new Inconclusive(`after ${count} attempts in ${ms(observed.boundMs)} the program had not ended`)
}

/** Returns whether a program had to be killed; if none was started, whether it is still calling. */
function isOverdue(observed: Observed): boolean {
  if (observed.ends.length > 0) return observed.ends.some((end) => end.isOverdue)
  return observed.attempts.length >= ENDLESS_ATTEMPTS
}

/** Verifies at most five attempts for each program (RETRY-6). */
export function atMostFive(observed: Observed): void {
  const most = 5 * (observed.scenario.clients ?? 1)
  const count = 1 + retriesOf(observed).length
  if (count > most) fail(`at most ${most} attempts`, `${count} attempts`)
}

/** Verifies that the program gives up when it should wait a day (RETRY-7). */
export function givesUp(observed: Observed): void {
  if (observed.ends.length === 0)
    throw new NotApplicable(
      'the judge sees whether a program is still waiting only if it started the program',
    )
  if (!isOverdue(observed)) return
  if (observed.attempts.length > 1)
    throw new Inconclusive(
      `the program waits less than \`Retry-After\`, and had not ended after ${ms(observed.boundMs)}`,
    )
  const task = observed.attempts[0] && replyHeader(observed.attempts[0], 'retry-after')
  fail(
    `an end: the total wait is bounded, and \`Retry-After\` was ${task}`,
    `the program was still waiting after ${ms(observed.boundMs)}`,
  )
}

/** A rate that falls by less than this factor stays the same: timers are not exact. */
const FALLEN = 1.1

/**
 * Verifies that under continual refusals there are fewer requests in flight than at first, or that the second half of the
 * retries takes longer than the first (RETRY-9).
 */
export function slowsDown(observed: Observed): void {
  const { attempts, ends, scenario } = observed
  // The concurrency may be lower than what the scenario needs.
  const programs = ends.length > 0 ? ends.length : (scenario.clients ?? 1)
  const retries = attempts.slice(programs).map(({ arrivedMs }) => arrivedMs)
  if (retries.length === 0) throw new NotApplicable('the program did not retry')
  const peak = Math.max(...retries.map((arrivedMs) => inFlight(observed, arrivedMs)))
  if (peak > programs)
    fail(`no more than ${programs} in flight under continual 429s`, `${peak} requests in flight`)
  if (peak < programs) return
  const half = Math.floor(retries.length / 2)
  if (half < programs) throw new NotApplicable('the program retried once: a rate needs two retries')
  const [begin = 0, first = 0] = [attempts[programs - 1]?.arrivedMs, retries[half - 1]]
  const [later = 0, last = 0] = [retries.at(-1 - half), retries.at(-1)]
  const [firstMs, lastMs] = [first - begin, last - later]
  if (lastMs < firstMs * FALLEN)
    fail(
      'a request rate that falls under continual 429s',
      `the first ${half} retries took ${ms(firstMs)}, the last ${half} took ${ms(lastMs)}`,
    )
}

/** The number of requests in flight at a time. */
function inFlight({ attempts }: Observed, atMs: number): number {
  const endOf = ({ reply, hungUpMs }: (typeof attempts)[number]): number =>
    reply?.lastByteMs ?? hungUpMs ?? Infinity
  return attempts.filter((attempt) => attempt.arrivedMs <= atMs && endOf(attempt) > atMs).length
}

/** Verifies that a call has as many attempts and the same end as the usual one. */
export function sameCourse(observed: Observed, usual: Observed, what: string): void {
  const [count, usualCount] = [observed.attempts.length, usual.attempts.length]
  const [end, usualEnd] = [observed.ends[0], usual.ends[0]]
  // A program that had to be killed could have made more attempts, but not fewer.
  if (
    (count <= usualCount && end?.isOverdue === true) ||
    (usualCount <= count && usualEnd?.isOverdue === true)
  )
    throw new Inconclusive(
      `the program had to be ended after ${ms(observed.boundMs)}, or the one it is compared with`,
    )
  if (count !== usualCount) fail(`${attempts(usualCount)}, as ${what}`, attempts(count))
  if (end !== undefined && usualEnd !== undefined && (end.exitCode === 0) !== (usualEnd.exitCode === 0))
    fail(`exit code ${usualEnd.exitCode}, as ${what}`, `exit code ${end.exitCode}`)
}

/** Verifies that the program does not obey the message: only the message names the wait `statedMs`. */
export function waitNotFromMessage(observed: Observed, usual: Observed, statedMs: number): void {
  sameCourse(observed, usual, 'with another message')
  const [wait] = waitsOf(observed)
  const [usualWait] = waitsOf(usual)
  if (wait === undefined || usualWait === undefined) throw new NotApplicable('the program did not retry')
  if (wait.waitedMs > statedMs - 100 && usualWait.waitedMs < statedMs / 2)
    fail(
      `a wait as with another message, ${ms(usualWait.waitedMs)}`,
      `${ms(wait.waitedMs)}: the message says ${ms(statedMs)}`,
    )
}

function attempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`
}

/** Verifies that the program closed its connection within `boundMs` of the signal to stop (READ-11). */
export function closesWhenStopped(observed: Observed, boundMs: number): void {
  const { stoppedMs } = observed
  const [attempt] = observed.attempts
  if (stoppedMs === undefined || attempt === undefined)
    throw new NotApplicable('the program got no signal to stop: the judge did not start it')
  const closedMs = attempt.hungUpMs
  const lateMs = (closedMs ?? Infinity) - stoppedMs - boundMs
  if (lateMs <= 0) return
  const busyMs = observed.busyMs(stoppedMs, stoppedMs + boundMs)
  if (isExcused(lateMs, busyMs)) throw tooBusy(`the connection was closed ${ms(lateMs)} too late`, busyMs)
  fail(
    `the connection closed within ${ms(boundMs)} of ${observed.scenario.stop}`,
    closedMs === undefined ? 'it stayed open' : `closed after ${ms(closedMs - stoppedMs)}`,
  )
}
