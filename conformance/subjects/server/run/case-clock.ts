// The time limit of a case. The clock stops during the wait after a 429; a case that does not end in time is abandoned.
import { type Clock, systemClock } from '../../../../harness/clock.ts'
import { UncaughtError } from '../../../../harness/containment.ts'
import type { CheckEnd } from '../../../contract/result.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../../../contract/outcome.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'

/** The time limit of a case without waits, in milliseconds, and the limit of its waits. */
export const CASE_TIMEOUT_MS = 60_000
/** The number of answers that may take their whole time before a case must end. */
const SLOW_ANSWERS = 3
const CASE_WAIT_MS = 240_000

/** The time for a case to end after its signal is aborted. */
const GRACE_MS = 2_000

/** The time limit of a case for this answer timeout: a slow target gets more than a minute. */
export function caseTimeoutMs(answerTimeoutMs: number): number {
  return Math.max(CASE_TIMEOUT_MS, SLOW_ANSWERS * answerTimeoutMs)
}

/** The limit of all waits of a case, if a single request may wait this long. */
export function caseWaitMs(patienceMs: number): number {
  return Math.max(CASE_WAIT_MS, 2 * patienceMs)
}

/** Starts the clock of one case, in a run that may be aborted; `waitMs` is the additional limit of its waits. */
export function startCaseClock(
  timeoutMs: number,
  run: AbortSignal,
  waitMs = CASE_WAIT_MS,
  clock: Clock = systemClock,
) {
  const controller = new AbortController()
  const signal = AbortSignal.any([run, controller.signal])
  const end = (reason: string): void => controller.abort(new Inconclusive(reason))
  let remainingMs = timeoutMs
  let startedAt = clock.now()
  let waits = 0
  let isStopped = false
  let cancelGrace = (): void => {}
  let leave = (): void => {}
  const over = (): void => end(`not judged within ${timeoutMs / 1000} s`)
  let cancelActive = clock.after(timeoutMs, over)
  const cancelWaits = clock.after(timeoutMs + waitMs, () => end('the target kept refusing for too long'))

  return {
    /** Aborts when the time is over, and when the run is. */
    signal,
    onWait(waiting: boolean): void {
      waits += waiting ? 1 : -1
      if (waiting && waits === 1) {
        cancelActive()
        remainingMs -= clock.now() - startedAt
      }
      if (!waiting && waits === 0 && !isStopped) {
        startedAt = clock.now()
        // The time may have ended while the event loop was busy.
        cancelActive = clock.after(Math.max(0, remainingMs), over)
      }
    },
    /** Waits for the end of a case, or abandons it. */
    bound(running: Promise<void>): Promise<CheckEnd> {
      const settled = running.then<CheckEnd, CheckEnd>(
        () => ({}),
        (thrown: unknown) => {
          // The case itself does not know of it, and would go on.
          if (thrown instanceof UncaughtError) controller.abort(thrown)
          return { thrown: outcomeIn(thrown) ?? (signal.aborted ? signal.reason : thrown) }
        },
      )
      const leftBehind = new Promise<CheckEnd>((resolve) => {
        leave = () => void (cancelGrace = clock.after(GRACE_MS, () => resolve({ thrown: signal.reason })))
        signal.addEventListener('abort', leave, { once: true })
      })
      return Promise.race([settled, leftBehind])
    },
    stop(): void {
      isStopped = true
      for (const cancel of [cancelActive, cancelWaits, cancelGrace]) cancel()
      // A signal with a listener stays in memory as long as the signal of the run, with every exchange of the case.
      signal.removeEventListener('abort', leave)
    },
  }
}

/** The error that ended a case, also if a client library has wrapped it; undefined for any other error. */
function outcomeIn(thrown: unknown): unknown {
  const kinds = [CheckFailure, TransportError, NotApplicable, Inconclusive]
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (kinds.some((kind) => error instanceof kind)) return error
  return undefined
}
