// The course of a call as a whole: its end, its number of attempts, and that two failures which differ in their words
// alone take the same one (RETRY-5 to RETRY-9, READ-4).
import { CheckFailure, Inconclusive, NotApplicable } from '../../runner/outcomes.ts'
import type { Seen } from '../scenario.ts'
import { retriesOf } from './requests.ts'
import { isExcused, ms, waitsOf } from './waits.ts'

/** From so many attempts on a call that has not ended has no end, in a judge's time. */
const ENDLESS_ATTEMPTS = 15

/** The program ends by itself (RETRY-5). */
export function endsByItself(seen: Seen): void {
  if (!isOverdue(seen)) return
  const count = seen.attempts.length
  if (count >= ENDLESS_ATTEMPTS)
    throw new CheckFailure({
      expected: 'a bound on the number of attempts',
      actual: `${count} attempts in ${ms(seen.boundMs)}, and no end`,
    })
  throw new Inconclusive(`after ${count} attempts in ${ms(seen.boundMs)} the program had not ended`)
}

/** Whether a program had to be ended; where none was started, whether it calls still. */
function isOverdue(seen: Seen): boolean {
  if (seen.ends.length > 0) return seen.ends.some((end) => end.isOverdue)
  return seen.attempts.length >= ENDLESS_ATTEMPTS
}

/** At most five attempts for each program (RETRY-6). */
export function atMostFive(seen: Seen): void {
  const most = 5 * (seen.scenario.clients ?? 1)
  const count = 1 + retriesOf(seen).length
  if (count > most)
    throw new CheckFailure({ expected: `at most ${most} attempts`, actual: `${count} attempts` })
}

/** Told to wait a day, the program gives up (RETRY-7). */
export function givesUp(seen: Seen): void {
  if (seen.ends.length === 0)
    throw new NotApplicable('whether a program waits still is seen only where the judge has started it')
  if (!isOverdue(seen)) return
  if (seen.attempts.length > 1)
    throw new Inconclusive(
      `the program waits less than it is told, and had not ended after ${ms(seen.boundMs)}`,
    )
  const told = seen.attempts[0]?.reply?.headers.find(([name]) => name === 'retry-after')?.[1]
  throw new CheckFailure({
    expected: `an end: the total wait is bounded, and \`Retry-After\` was ${told}`,
    actual: `the program was still waiting after ${ms(seen.boundMs)}`,
  })
}

/**
 * Refused again and again, the program does not press harder: no more requests in flight than at first, and no waits
 * that get shorter and shorter (RETRY-9).
 */
export function slowsDown(seen: Seen): void {
  const { attempts, ends, scenario } = seen
  // Fewer than the scenario wants are started where the flag allows fewer side by side.
  const programs = ends.length > 0 ? ends.length : (scenario.clients ?? 1)
  if (attempts.length <= programs) throw new NotApplicable('the program did not retry')
  const peak = Math.max(...attempts.map(({ arrivedMs }) => inFlight(seen, arrivedMs)))
  if (peak > programs)
    throw new CheckFailure({
      expected: `no more than ${programs} in flight under continual 429s`,
      actual: `${peak} requests in flight`,
    })
  if (programs > 1) return
  const waits = waitsOf(seen).map(({ waitedMs }) => waitedMs)
  const [first = 0, last = 0] = [waits[0], waits.at(-1)]
  const isFalling = waits.every((wait, index) => index === 0 || wait < (waits[index - 1] ?? 0))
  if (waits.length >= 3 && isFalling && last < first / 2)
    throw new CheckFailure({
      expected: 'a request rate that does not rise under continual 429s',
      actual: `waits that get shorter: ${waits.map(ms).join(', ')}`,
    })
}

/** How many requests were without their whole answer at a time. */
function inFlight({ attempts }: Seen, atMs: number): number {
  const endOf = ({ reply, hungUpMs }: (typeof attempts)[number]): number =>
    reply?.lastByteMs ?? hungUpMs ?? Infinity
  return attempts.filter((attempt) => attempt.arrivedMs <= atMs && endOf(attempt) > atMs).length
}

/** What differs in words alone is taken alike: as many attempts, the same end, and no wait that the words ask for. */
export function sameCourse(seen: Seen, usual: Seen, what: string): void {
  const [count, usualCount] = [seen.attempts.length, usual.attempts.length]
  const [end, usualEnd] = [seen.ends[0], usual.ends[0]]
  // Who had to be ended might have made more attempts, but no fewer.
  if (
    (count <= usualCount && end?.isOverdue === true) ||
    (usualCount <= count && usualEnd?.isOverdue === true)
  )
    throw new Inconclusive(
      `the program had to be ended after ${ms(seen.boundMs)}, or the one it is compared with`,
    )
  if (count !== usualCount)
    throw new CheckFailure({ expected: `${attempts(usualCount)}, as ${what}`, actual: attempts(count) })
  if (end !== undefined && usualEnd !== undefined && (end.exitCode === 0) !== (usualEnd.exitCode === 0))
    throw new CheckFailure({
      expected: `exit code ${usualEnd.exitCode}, as ${what}`,
      actual: `exit code ${end.exitCode}`,
    })
}

/** The wait is not one that the message asks for: `toldMs` stands in its words, and in nothing else. */
export function waitNotFromMessage(seen: Seen, usual: Seen, toldMs: number): void {
  sameCourse(seen, usual, 'with another message')
  const [wait] = waitsOf(seen)
  const [usualWait] = waitsOf(usual)
  if (wait === undefined || usualWait === undefined) throw new NotApplicable('the program did not retry')
  if (wait.waitedMs > toldMs - 100 && usualWait.waitedMs < toldMs / 2)
    throw new CheckFailure({
      expected: `a wait as with another message, ${ms(usualWait.waitedMs)}`,
      actual: `${ms(wait.waitedMs)}: the message says ${ms(toldMs)}`,
    })
}

function attempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`
}

/** The program closed its connection within `boundMs` of being told to stop (READ-11). */
export function closesWhenStopped(seen: Seen, boundMs: number): void {
  const { stoppedMs } = seen
  const [attempt] = seen.attempts
  if (stoppedMs === undefined || attempt === undefined)
    throw new NotApplicable('the program was not told to stop: the judge has not started it')
  const closedMs = attempt.hungUpMs
  const lateMs = (closedMs ?? Infinity) - stoppedMs - boundMs
  if (lateMs <= 0) return
  const busyMs = seen.busyMs(stoppedMs, stoppedMs + boundMs)
  if (isExcused(lateMs, busyMs))
    throw new Inconclusive(
      `the connection was closed ${ms(lateMs)} too late, and the judge itself was late by ${ms(busyMs)} meanwhile: this machine is too busy to time a client`,
    )
  throw new CheckFailure({
    expected: `the connection closed within ${ms(boundMs)} of ${seen.scenario.stop}`,
    actual: closedMs === undefined ? 'it stayed open' : `closed after ${ms(closedMs - stoppedMs)}`,
  })
}
