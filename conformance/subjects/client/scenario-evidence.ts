// The evidence of a scenario in a report: its exchanges, and the times of its attempts.
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { AttemptTime } from '../../contract/result.ts'
import { type Observed, requestsOf } from './scenario.ts'
import { exchangeOf } from '../../../harness/scripted-service/received-call.ts'
import { waitsOf } from './verify/actual-waits.ts'

/** The most exchanges and attempts that a report keeps of a scenario. */
const MOST_SHOWN = 40

/** The answered requests of a scenario, in the order of arrival. */
export function exchangesOf(observed: Observed): readonly Exchange[] {
  return requestsOf(observed)
    .slice(-MOST_SHOWN)
    .flatMap((call) => exchangeOf(call) ?? [])
}

/** The arrival, status, actual wait and due wait of each attempt. */
export function attemptsOf(observed: Observed): readonly AttemptTime[] {
  const [first] = requestsOf(observed)
  const waits = new Map(waitsOf(observed).map((wait) => [wait.at, wait]))
  return observed.attempts.slice(0, MOST_SHOWN).map(({ arrivedMs, reply }, at) => {
    const wait = waits.get(at)
    return {
      atMs: Math.round(arrivedMs - (first?.arrivedMs ?? 0)),
      status: reply?.status ?? null,
      waitedMs: wait === undefined ? null : Math.round(wait.waitedMs),
      dueMs: wait?.due?.leastMs ?? null,
    }
  })
}
