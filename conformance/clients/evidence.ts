// The evidence of a scenario in a report: its exchanges, and the times of its attempts.
import type { Exchange } from '../../harness/http/exchange.ts'
import type { AttemptTime } from '../runner/check-result.ts'
import type { Attempt, Observed } from './scenario.ts'
import type { Call } from './scripted-service/call.ts'
import { waitsOf } from './verify/waits.ts'

/** The most exchanges and attempts that a report keeps of a scenario. */
const MOST_SHOWN = 40

/** The answered requests of a scenario, in the order of arrival. */
export function exchangesOf({ attempts, strays, elsewhere }: Observed): readonly Exchange[] {
  return [...attempts, ...strays, ...elsewhere]
    .toSorted((a, b) => a.arrivedMs - b.arrivedMs)
    .slice(-MOST_SHOWN)
    .flatMap((attempt) => exchangeOf(attempt) ?? [])
}

/** An attempt and its answer; undefined if it got none. */
export function exchangeOf({ request, reply, arrivedMs, hungUpMs }: Attempt): Exchange | undefined {
  if (reply === undefined) return undefined
  const { status, headers, body, end, firstByteMs, lastByteMs = hungUpMs ?? firstByteMs } = reply
  const isComplete = end === 'complete' && hungUpMs === undefined
  return {
    request,
    response: {
      status,
      headers,
      body,
      chunks: [],
      end: isComplete ? 'complete' : end === 'cut' ? 'broken' : 'hung-up',
    },
    timings: { firstByteMs: firstByteMs - arrivedMs, totalMs: lastByteMs - arrivedMs },
  }
}

/** A call of the scripted service, with times since `originMs`. */
export function attemptOf({ arrivedMs, request, reply, hungUpMs }: Call, originMs: number): Attempt {
  const since = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms - originMs)
  return {
    arrivedMs: arrivedMs - originMs,
    request,
    hungUpMs: since(hungUpMs),
    reply: reply && {
      status: reply.status,
      headers: reply.headers,
      body: Buffer.concat(reply.pieces),
      end: reply.end,
      firstByteMs: reply.firstByteMs - originMs,
      lastByteMs: since(reply.lastByteMs),
    },
  }
}

/** The arrival, status, actual wait and due wait of each attempt. */
export function attemptsOf(observed: Observed): readonly AttemptTime[] {
  const waits = new Map(waitsOf(observed).map((wait) => [wait.at, wait]))
  return observed.attempts.slice(0, MOST_SHOWN).map(({ arrivedMs, reply }, at) => {
    const wait = waits.get(at)
    return {
      atMs: Math.round(arrivedMs),
      status: reply?.status ?? null,
      waitedMs: wait === undefined ? null : Math.round(wait.waitedMs),
      dueMs: wait?.due?.leastMs ?? null,
    }
  })
}
