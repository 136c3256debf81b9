// The evidence of a scenario in a report: its exchanges, and the times of its attempts.
import type { Exchange } from '../../harness/http/exchange.ts'
import type { AttemptTime } from '../runner/check-result.ts'
import type { Attempt, Observed } from './scenario.ts'
import { waitsOf } from './verify/waits.ts'

/** The most exchanges and attempts that a report keeps of a scenario. */
const MOST_SHOWN = 40

/** The answered requests of a scenario, in the order of arrival. */
export function exchangesOf({ attempts, strays, elsewhere }: Observed): readonly Exchange[] {
  return [...attempts, ...strays, ...elsewhere]
    .toSorted((a, b) => a.arrivedMs - b.arrivedMs)
    .slice(-MOST_SHOWN)
    .flatMap(exchangeOf)
}

function exchangeOf({ request, reply, arrivedMs, hungUpMs }: Attempt): readonly Exchange[] {
  if (reply === undefined) return []
  const endMs = reply.lastByteMs ?? hungUpMs ?? reply.firstByteMs
  return [
    {
      request,
      response: {
        status: reply.status,
        headers: reply.headers,
        body: reply.body,
        chunks: [],
        end:
          reply.end === 'complete'
            ? hungUpMs === undefined
              ? 'complete'
              : 'hung-up'
            : reply.end === 'cut'
              ? 'broken'
              : 'hung-up',
      },
      timings: { firstByteMs: reply.firstByteMs - arrivedMs, totalMs: endMs - arrivedMs },
    },
  ]
}

/** The arrival, status, actual wait and due wait of each attempt. */
export function attemptsOf(observed: Observed): readonly AttemptTime[] {
  const waits = new Map(waitsOf(observed).map((wait) => [wait.at, wait]))
  return observed.attempts.slice(0, MOST_SHOWN).map(({ arrivedMs, reply }, at) => {
    const wait = waits.get(at)
    return {
      atMs: round(arrivedMs),
      status: reply?.status ?? null,
      waitedMs: wait === undefined ? null : round(wait.waitedMs),
      dueMs: wait?.due === undefined ? null : wait.due.leastMs,
    }
  })
}

function round(ms: number): number {
  return Math.round(ms)
}
