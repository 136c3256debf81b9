// The only place that decides when a request is sent: at its planned time in the open model, and when the one before has
// ended in the closed model. It knows nothing about requests and answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { type LatencyPlan, arrivalTimes } from './stream-plan.ts'

/** The pause of a caller of the closed model after a failure, in milliseconds, so that a service that is down is not flooded. */
const PAUSE_AFTER_FAILURE_MS = 100

/** A caller with a fixed number of requests gives up after this number of failures in a row. */
const MOST_FAILURES = 5

export interface OfferedLoad {
  readonly plan: Pick<LatencyPlan, 'load' | 'seconds' | 'seed'>
  /** The number of this segment, from 1. */
  readonly segment: number
  readonly segments: number
  /** The time for preparing a request before its planned time, in milliseconds. */
  readonly prepareMs: number
  /** No further request begins after it is aborted. */
  readonly signal: AbortSignal
}

/**
 * Calls `send` for each request of a segment, with its index in the whole load and its planned time on the clock of
 * `performance.now`. `send` resolves to whether the request succeeded. Resolves at the end of the last one to the
 * numbers of begun and planned requests.
 */
export async function offerLoad(
  { plan, segment, segments, prepareMs, signal }: OfferedLoad,
  send: (index: number, dueMs: number) => Promise<boolean>,
): Promise<{ readonly begun: number; readonly planned: number }> {
  const startsAt = performance.now()
  const isOwn = (index: number): boolean => index % segments === segment - 1
  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)
  let begun = 0
  if (plan.load.model === 'open') {
    const own = arrivalTimes(plan).flatMap((ms, index) =>
      isOwn(index) ? [[index, startsAt + ms] as const] : [],
    )
    const running: Promise<boolean>[] = []
    for (const [index, dueMs] of own) {
      const wait = dueMs - performance.now() - prepareMs
      if (wait > 0) await pause(wait)
      if (signal.aborted) break
      begun += 1
      running.push(send(index, dueMs))
    }
    await Promise.all(running)
    return { begun, planned: own.length }
  }
  const { concurrency, requestsEach } = plan.load
  const endsAt = startsAt + plan.seconds * 1000
  const call = async (caller: number): Promise<void> => {
    let [succeeded, failures] = [0, 0]
    const goesOn = (): boolean =>
      requestsEach === undefined
        ? performance.now() < endsAt
        : succeeded < requestsEach && failures < MOST_FAILURES
    for (let index = caller; goesOn() && !signal.aborted; index += concurrency) {
      begun += 1
      if (await send(index, performance.now())) [succeeded, failures] = [succeeded + 1, 0]
      else {
        failures += 1
        await pause(PAUSE_AFTER_FAILURE_MS)
      }
    }
  }
  await Promise.all(
    Array.from({ length: concurrency }, (_, caller) => caller)
      .filter(isOwn)
      .map(call),
  )
  return { begun, planned: begun }
}
