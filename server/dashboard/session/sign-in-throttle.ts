// Throttles guesses of the password. After a few failures of a network, each further one doubles its wait, up to a maximum: a
// typing error costs a second, an attacker waits a minute, and no other network waits for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../addresses/client-address.ts'

export interface SignInLimits {
  /** Failures that one address (of IPv6: one network of 64 bits) has before it waits. */
  readonly failuresPerAddress: number
  /** The longest that it waits; the first time it is one second. */
  readonly maxDelaySeconds: number
  /** How long the failures of an address are remembered after its last one. */
  readonly windowSeconds: number
  /** The minimum time of a wrong attempt, which bounds the guesses of all networks together. */
  readonly pauseMs: number
  /** The maximum number of attempts in progress or waiting, of all addresses and of one. Further ones are refused. */
  readonly waiting: number
  readonly waitingPerAddress: number
}

export const DEFAULT_SIGN_IN_LIMITS: SignInLimits = {
  failuresPerAddress: 5,
  maxDelaySeconds: 60,
  windowSeconds: 600,
  pauseMs: 100,
  waiting: 64,
  waitingPerAddress: 8,
}

/** The result of an attempt. `retryAfterSeconds` is a whole number, at least 1. */
export type SignInVerdict =
  | 'right'
  | 'wrong'
  | { readonly refused: 'too many failures' | 'busy'; readonly retryAfterSeconds: number }

/** The most networks whose failures are remembered; beyond it the one that failed the longest ago is forgotten. */
const MAX_NETWORKS = 10_000

/**
 * Attempts are judged one at a time, in the order of their arrival: the count of failures stays exact, and only one
 * costly verification runs at any moment.
 */
export function createSignInThrottle(limits: SignInLimits = DEFAULT_SIGN_IN_LIMITS) {
  const failed = new LRUCache<string, { readonly count: number; readonly at: number }>({
    max: MAX_NETWORKS,
    ttl: limits.windowSeconds * 1000,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  })
  const waiting: string[] = []
  let last: Promise<unknown> = Promise.resolve()

  /** The refusal of a network that has to wait after its failures. */
  function delayed(network: string): SignInVerdict | undefined {
    const { count, at } = failed.get(network) ?? { count: 0, at: 0 }
    if (count < limits.failuresPerAddress) return undefined
    const seconds = Math.min(limits.maxDelaySeconds, 2 ** (count - limits.failuresPerAddress))
    const waitMs = at + seconds * 1000 - performance.now()
    if (waitMs <= 0) return undefined
    return { refused: 'too many failures', retryAfterSeconds: Math.ceil(waitMs / 1000) }
  }

  async function judge(network: string, verify: () => Promise<boolean>): Promise<SignInVerdict> {
    const refusal = delayed(network)
    if (refusal !== undefined) return refusal
    if (await verify()) {
      failed.delete(network)
      return 'right'
    }
    failed.set(network, { count: (failed.get(network)?.count ?? 0) + 1, at: performance.now() })
    await sleep(limits.pauseMs)
    return 'wrong'
  }

  return {
    /** Calls `verify` unless the address has to wait. */
    async attempt(client: string, verify: () => Promise<boolean>): Promise<SignInVerdict> {
      const network = networkOf(client)
      const refusal = delayed(network)
      if (refusal !== undefined) return refusal
      const own = waiting.filter((other) => other === network).length
      if (waiting.length >= limits.waiting || own >= limits.waitingPerAddress)
        return { refused: 'busy', retryAfterSeconds: 1 }
      waiting.push(network)
      const turn = last.then(() => judge(network, verify))
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        waiting.splice(waiting.indexOf(network), 1)
      }
    },
  }
}
