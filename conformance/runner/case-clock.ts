// The time that a case may take. It stands still while a 429 is waited out; a case that does not end when it is over is
// left behind.
import type { CheckEnd } from './check-result.ts'
import { CheckFailure, Inconclusive, NotApplicable } from './outcomes.ts'
import { TransportError } from '../../harness/http/transport-error.ts'

/** What any case may take, waits for a 429 aside, in milliseconds; and what it may wait in all. */
export const CASE_TIMEOUT_MS = 60_000
/** Answers that may take their whole time before a case must end. */
const SLOW_ANSWERS = 3
const CASE_WAIT_MS = 240_000

/** How long a case that was asked to end may take to end. */
const GRACE_MS = 2_000

/** What a case may take of a target whose answers may take so long: a slow target is given more than a minute. */
export function caseTimeoutMs(answerTimeoutMs: number): number {
  return Math.max(CASE_TIMEOUT_MS, SLOW_ANSWERS * answerTimeoutMs)
}

export interface CaseClock {
  /** Aborts when the time is over, and when the run is. */
  readonly signal: AbortSignal
  onWait(waiting: boolean): void
  /** Waits for the end of a case, or leaves it behind. */
  bound(running: Promise<void>): Promise<CheckEnd>
  stop(): void
}

/** What a case may wait in all, where a single request may wait so long. */
export function caseWaitMs(patienceMs: number): number {
  return Math.max(CASE_WAIT_MS, 2 * patienceMs)
}

/** Starts the time of one case, within a run that may be aborted; `waitMs` is what it may wait beside that. */
export function startCaseClock(timeoutMs: number, run: AbortSignal, waitMs = CASE_WAIT_MS): CaseClock {
  const controller = new AbortController()
  const signal = AbortSignal.any([run, controller.signal])
  const end = (reason: string): void => controller.abort(new Inconclusive(reason))
  let remainingMs = timeoutMs
  let startedAt = performance.now()
  let waits = 0
  let isStopped = false
  let grace: NodeJS.Timeout | undefined
  let leave = (): void => {}
  const over = (): void => end(`not judged within ${timeoutMs / 1000} s`)
  let active = setTimeout(over, timeoutMs)
  const allWaits = setTimeout(() => end('the target kept refusing for too long'), timeoutMs + waitMs)

  return {
    signal,
    onWait(waiting) {
      waits += waiting ? 1 : -1
      if (waiting && waits === 1) {
        clearTimeout(active)
        remainingMs -= performance.now() - startedAt
      }
      if (!waiting && waits === 0 && !isStopped) {
        startedAt = performance.now()
        active = setTimeout(over, remainingMs)
      }
    },
    bound(running) {
      const settled = running.then<CheckEnd, CheckEnd>(
        () => ({}),
        (thrown: unknown) => ({ thrown: outcomeIn(thrown) ?? (signal.aborted ? signal.reason : thrown) }),
      )
      const leftBehind = new Promise<CheckEnd>((resolve) => {
        leave = () => void (grace = setTimeout(() => resolve({ thrown: signal.reason }), GRACE_MS))
        signal.addEventListener('abort', leave, { once: true })
      })
      return Promise.race([settled, leftBehind])
    },
    stop() {
      isStopped = true
      for (const timer of [active, allWaits, grace]) clearTimeout(timer)
      // A signal that somebody listens to is kept for as long as the run's own, with all that the case has seen.
      signal.removeEventListener('abort', leave)
    },
  }
}

/** What a case was ended by, also where a client library has wrapped it; undefined for anything else. */
function outcomeIn(thrown: unknown): unknown {
  const kinds = [CheckFailure, TransportError, NotApplicable, Inconclusive]
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (kinds.some((kind) => error instanceof kind)) return error
  return undefined
}
