// The actual and the due waits between the attempts of a call (RETRY-3, RETRY-4, RETRY-10, RETRY-11).
import { headerValues } from '../../../../harness/http/exchange.ts'
import { CheckFailure, Inconclusive, NotApplicable, fail } from '../../../contract/outcome.ts'
import type { Observed } from '../scenario.ts'
import { ending } from '../../../../harness/judged-program.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import {
  type Due,
  EARLY_MS,
  LATE_MS,
  dueWait,
  mustBeObeyed,
  lateMs,
  rangesOf,
  wrongWait,
} from './due-wait.ts'

/** The delay of its own timers from which the judge was too busy to blame a client for being late, in milliseconds. */
export const BUSY_MS = 40

/** A client may be late by this multiple of the judge's own delay. */
const LATER_THAN_JUDGE = 10

/** Returns whether a busy machine may be the cause: `busyMs` is the delay of the judge's own timers meanwhile. */
export function isExcused(lateMs: number, busyMs: number): boolean {
  return busyMs >= BUSY_MS && lateMs < busyMs * LATER_THAN_JUDGE
}

/** The delay of the judge's own timers may be the cause of what was observed. */
export function tooBusy(observed: string, busyMs: number): Inconclusive {
  return new Inconclusive(
    `${observed}, and the judge itself was late by ${ms(busyMs)} meanwhile: this machine is too busy to time a client`,
  )
}

/** A wait before an attempt, from the last byte of the answer before it to the arrival of its request. */
interface Wait {
  /** The index of the attempt, from 0. */
  readonly at: number
  readonly waitedMs: number
  readonly due: Due | undefined
  /** The status and the header of the answer before the wait. */
  readonly status: number
  readonly retryAfter: string | undefined
  /** The longest delay of the judge's timers meanwhile. */
  readonly busyMs: number
}

/** The waits of a call, one for each attempt after an answer; if there are several answers, after the latest. */
export function waitsOf({ attempts, busyMs }: Pick<Observed, 'attempts' | 'busyMs'>): readonly Wait[] {
  return attempts.flatMap(({ arrivedMs }, at) => {
    const before = attempts.slice(0, at).filter(({ reply }) => (reply?.lastByteMs ?? Infinity) <= arrivedMs)
    const last = before.toSorted((a, b) => endOf(a) - endOf(b)).at(-1)
    if (last?.reply === undefined) return []
    const { status } = last.reply
    const retryAfter = replyHeader(last, 'retry-after')
    const waitedMs = arrivedMs - endOf(last)
    const due = dueWait(status, retryAfter, before.length - 1, replyHeader(last, 'date'))
    return [{ at, waitedMs, due, status, retryAfter, busyMs: busyMs(endOf(last), arrivedMs + BUSY_MS) }]
  })
}

function endOf({ reply }: Call): number {
  return reply?.lastByteMs ?? -Infinity
}

/** A header of an answer, by its name in lower case. */
export function replyHeader({ reply }: Call, name: string): string | undefined {
  return headerValues(reply?.headers ?? [], name)[0]
}

/** Verifies that every retry came in time. Not applicable if there was none. */
export function waitsAreDue(observed: Observed): void {
  areDue(waitsOf(observed))
}

/** Verifies that every retry came in time after a value of `Retry-After` that a client must obey (RETRY-3). */
export function obeyedWaitsAreDue(observed: Observed): void {
  areDue(waitsOf(observed).filter(({ retryAfter }) => mustBeObeyed(retryAfter)))
}

function areDue(all: readonly Wait[]): void {
  const waits = all.filter(({ due }) => due !== undefined)
  if (waits.length === 0) throw new NotApplicable('the program did not retry')
  const wrong = waits.flatMap((wait) => wrongOf(wait) ?? [])
  const [first] = wrong
  // A wait that is certainly wrong counts before one that a busy machine may have caused.
  const certain = wrong.find((error) => error instanceof CheckFailure) ?? first
  if (certain !== undefined) throw certain
}

/**
 * Verifies the waits after a value of `Retry-After` that a client need not obey, or without one (RETRY-10). A program that
 * retries a 429 with a usable value, or one without a value, retries here as well. Only the usable value, which means a longer
 * wait, shows that a program has time for a wait that it may obey here. `place` is the index of the refusal with the value.
 */
export function fallsBack(
  observed: Observed,
  usable: Observed,
  absent: Observed = observed,
  place = 0,
): void {
  const [end] = observed.ends
  const refused = observed.attempts[place]
  if (refused === undefined) throw new NotApplicable('the program did not retry the 429 before it')
  const value = replyHeader(refused, 'retry-after')
  const due = dueWait(429, value, place, replyHeader(refused, 'date'))
  const mayWait = due?.or?.mostMs === Infinity
  const retried = (mayWait ? [usable] : [usable, absent]).find((other) =>
    waitsOf(other).some(({ at }) => at > place),
  )
  if (observed.attempts.length > place + 1 || retried === undefined || end === undefined)
    return areDue(waitsOf(observed).filter(({ at }) => at > place))
  if (end.isOverdue && mayWait)
    throw new Inconclusive(`the program had not ended after ${ms(observed.boundMs)}`)
  const other = retried === usable ? 'a usable value' : 'no value'
  fail(
    `a retry of a 429${headerText(value)}, as after ${other} (scenario ${retried.scenario.name})`,
    end.isOverdue ? `no retry within ${ms(observed.boundMs)}` : ending(end),
  )
}

/** Fewer waits than these may be equal by chance. */
const LEAST_WAITS = 10
/** Waits that differ by less are equal, in milliseconds: timers are not exact. */
const SAME_MS = 20

/** The waits before the first retry of a call, in milliseconds: one, or none. */
export function firstWaits(call: Observed): readonly number[] {
  return waitsOf(call).flatMap(({ at, waitedMs }) => (at === 1 ? waitedMs : []))
}

/**
 * Verifies that the waits before the first retry of several calls are not all equal (RETRY-11). A busy machine delays some
 * of them: waits without jitter are those of which three quarters are equal.
 */
export function waitsVary(firsts: readonly number[]): void {
  const waits = firsts.toSorted((a, b) => a - b)
  if (waits.length < LEAST_WAITS)
    throw new NotApplicable(`${waits.length} calls were retried: fewer than ${LEAST_WAITS} show no jitter`)
  const most = Math.ceil(waits.length * 0.75)
  const from = waits.findIndex((wait, index) => (waits[index + most - 1] ?? Infinity) - wait < SAME_MS)
  if (from !== -1)
    fail(
      'random jitter of up to 250 ms in the waits before the first retry',
      `${most} of ${waits.length} waits between ${ms(waits[from] ?? 0)} and ${ms(waits[from + most - 1] ?? 0)}`,
    )
}

function wrongOf(wait: Wait): CheckFailure | Inconclusive | undefined {
  const { at, waitedMs, due, status, busyMs } = wait
  const wrong = due === undefined ? undefined : wrongWait(waitedMs, due)
  if (due === undefined || wrong === undefined) return undefined
  const after = `before retry ${at - 1}, after ${status}${headerOf(wait)}`
  if (wrong === 'late' && isExcused(lateMs(waitedMs, due), busyMs))
    return tooBusy(`the wait ${after} was ${ms(waitedMs)}`, busyMs)
  const tolerance = wrong === 'early' ? `no more than ${EARLY_MS} ms less` : `no more than ${LATE_MS} ms more`
  return new CheckFailure({
    expected: `${dueText(due)} ${after} (measured ${tolerance})`,
    actual: ms(waitedMs),
  })
}

/** A due wait, as text. */
function dueText(due: Due): string {
  const ranges = rangesOf(due).map(({ leastMs, mostMs }) => {
    if (mostMs === Infinity) return `at least ${ms(leastMs)}`
    return mostMs === 0 ? 'no wait' : `${ms(leastMs)} to ${ms(mostMs)}`
  })
  return ranges.join(', or ')
}

function headerOf({ status, retryAfter }: Wait): string {
  if (retryAfter === undefined && status !== 429) return ''
  const read =
    retryAfter === undefined || mustBeObeyed(retryAfter) ? '' : ', which is not a positive whole number'
  return `${headerText(retryAfter)}${read}`
}

const headerText = (value: string | undefined): string =>
  value === undefined ? ' without `Retry-After`' : ` with \`Retry-After: ${value}\``

/** A time, as text. */
export function ms(value: number): string {
  return `${Math.round(value)} ms`
}
