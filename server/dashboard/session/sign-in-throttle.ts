// Throttles guesses of the password. After a few failures of a network, each further one doubles its wait, up to a maximum:
// a typing error costs a second, an attacker waits a minute. After too many failures of all networks, each network that
// failed waits the maximum; the others can still sign in, so an attacker cannot lock the operator out.
import { setTimeout as sleep } from 'node:timers/promises'
import { networkOf } from '../../addresses/client-address.ts'

export interface SignInLimits {
  /** Failures that one address (of IPv6: one network of 64 bits) has before it waits. */
  readonly failuresPerAddress: number
  /** The longest that it waits; the first time it is one second. */
  readonly maxDelaySeconds: number
  /** Failures of all together, after which an address that has failed waits the longest. */
  readonly failures: number
  /** How long the failures of an address are remembered after its last one. */
  readonly windowSeconds: number
  /** The time that a wrong password takes at least: it bounds the guesses of all together. */
  readonly pauseMs: number
  /** Attempts that wait for their turn; further ones are refused. */
  readonly waiting: number
  /** How many of them may be of one address. */
  readonly waitingPerAddress: number
}

export const DEFAULT_SIGN_IN_LIMITS: SignInLimits = {
  failuresPerAddress: 5,
  maxDelaySeconds: 60,
  failures: 100,
  windowSeconds: 600,
  pauseMs: 100,
  waiting: 64,
  waitingPerAddress: 32,
}

/** The result of an attempt. `retryAfterSeconds` is a whole number, at least 1. */
export type SignInVerdict =
  | 'right'
  | 'wrong'
  | { readonly refused: 'too many failures' | 'busy'; readonly retryAfterSeconds: number }

export interface SignInThrottle {
  /** Calls `verify` unless the address has to wait. */
  attempt(address: string, verify: () => Promise<boolean>): Promise<SignInVerdict>
}

/** The failures of one address, and when the last one was, in milliseconds of `performance.now()`. */
interface Failed {
  readonly count: number
  readonly at: number
}

/**
 * Attempts are judged one at a time: the count of failures is then exact however many arrive together, and of the
 * costly verifications only one runs at any moment. That also bounds what is remembered: as many failures as fit into
 * a window one after another.
 */
export function createSignInThrottle(limits: SignInLimits = DEFAULT_SIGN_IN_LIMITS): SignInThrottle {
  const { failuresPerAddress, maxDelaySeconds, failures, windowSeconds, pauseMs } = limits
  /** By address; who failed last stands last. */
  const failed = new Map<string, Failed>()
  let all = 0
  const waiting = new Map<string, number>()
  let allWaiting = 0
  let last: Promise<unknown> = Promise.resolve()

  function forget(address: string): void {
    all -= failed.get(address)?.count ?? 0
    failed.delete(address)
  }

  /** How long an address waits after its last failure, in seconds. */
  function delayOf({ count }: Failed): number {
    if (all >= failures) return maxDelaySeconds
    if (count < failuresPerAddress) return 0
    return Math.min(maxDelaySeconds, 2 ** (count - failuresPerAddress))
  }

  async function judge(address: string, verify: () => Promise<boolean>): Promise<SignInVerdict> {
    for (const [other, { at }] of failed) {
      if (performance.now() - at < windowSeconds * 1000) break
      forget(other)
    }
    const own = failed.get(address)
    if (own !== undefined) {
      const waitMs = own.at + delayOf(own) * 1000 - performance.now()
      if (waitMs > 0) return { refused: 'too many failures', retryAfterSeconds: Math.ceil(waitMs / 1000) }
    }
    if (await verify()) {
      forget(address)
      return 'right'
    }
    const count = (own?.count ?? 0) + 1
    forget(address)
    failed.set(address, { count, at: performance.now() })
    all += count
    await sleep(pauseMs)
    return 'wrong'
  }

  return {
    async attempt(client, verify) {
      const address = networkOf(client)
      const ownWaiting = waiting.get(address) ?? 0
      if (allWaiting >= limits.waiting || ownWaiting >= limits.waitingPerAddress)
        return { refused: 'busy', retryAfterSeconds: 1 }
      waiting.set(address, ownWaiting + 1)
      allWaiting += 1
      const turn = last.then(() => judge(address, verify))
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        allWaiting -= 1
        const left = (waiting.get(address) ?? 1) - 1
        if (left === 0) waiting.delete(address)
        else waiting.set(address, left)
      }
    },
  }
}
