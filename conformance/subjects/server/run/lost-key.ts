// The key of the run, if the target stops accepting it midway: it was revoked, or its credits are spent. That is one cause, and
// says nothing about the requests that are refused for it.
import { type RequirementId, requirement } from '../../../../spec/catalogue/requirements.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { memoize } from '../../../../harness/memoize.ts'
import { showBody } from '../../../../harness/verify/verify.ts'
import { Refused } from '../../../contract/outcome.ts'

/** The statuses of a key that is not accepted, and of one without credits. */
const REFUSALS: ReadonlySet<number> = new Set([401, 402, 403])

/** The small chats that must be refused alike: a single one may meet a fault. */
const TRIALS = 2

/** The most of an answer that is shown, in characters. */
const SHOWN_CHARS = 150

/** A row about keys judges each refusal of one, whatever the cause. */
const isAboutKeys = (row: RequirementId | undefined): boolean =>
  row !== undefined && requirement(row).about === 'key'

interface LostKeyOptions {
  /** Sends a small chat with the key of the run, which any target answers. */
  readonly ask: () => Promise<Exchange>
  /** The number of requests so far. */
  readonly count: () => number
}

export function createLostKey({ ask, count }: LostKeyOptions) {
  let wasAccepted = false
  let ended: Refused | undefined
  const isRefusal = ({ response }: Exchange): boolean => REFUSALS.has(response.status)
  const trials = async (): Promise<boolean> => {
    for (let trial = 0; trial < TRIALS; trial++) if (!isRefusal(await ask())) return false
    return true
  }
  let confirm = memoize(trials)
  return {
    see(request: RequestSpec, { response }: Exchange): void {
      if (request.authorization === undefined && response.status < 300) wasAccepted = true
    },
    /** Whether an answer may be due to the key and not to its request. */
    isDoubted: (request: RequestSpec, exchange: Exchange, row: RequirementId | undefined): boolean =>
      wasAccepted && request.authorization === undefined && isRefusal(exchange) && !isAboutKeys(row),
    /** Throws `Refused` if small chats are refused as well. */
    async throwIfLost(exchange: Exchange): Promise<void> {
      const mine = confirm
      const isLost = await mine().finally(() => (confirm = memoize(trials)))
      if (!isLost) return
      const body = showBody(exchange).slice(0, SHOWN_CHARS)
      const { status } = exchange.response
      ended ??= new Refused(
        `the key stopped being accepted after about ${count()} requests: the target answered ${status}, ${body}; give a key that lasts for the whole run`,
      )
      throw ended
    },
    /** Throws `Refused` if the key is no longer accepted. */
    throwIfEnded(request: RequestSpec, row: RequirementId | undefined): void {
      if (ended !== undefined && request.authorization === undefined && !isAboutKeys(row)) throw ended
    },
    ended: (): Refused | undefined => ended,
  }
}
