// Holds guessing of the password to a few failures per network and window. When all networks together have failed more
// often, each has one attempt left: whoever did not fail still gets in with the right password, so that nobody locks the
// operator out. Only failures count; the right password is never throttled by its own use.
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from '../../http/client-address.ts'

export interface SignInLimits {
  /** Failures that one address (of IPv6: one network of 64 bits) has in each window. */
  readonly failuresPerAddress: number
  /** Failures of all together, after which an address that has failed in this window waits for the next one. */
  readonly failures: number
  readonly windowSeconds: number
  /** Attempts that wait for their turn; further ones are refused. */
  readonly waiting: number
  /** How many of them may be of one address. */
  readonly waitingPerAddress: number
}

export const DEFAULT_SIGN_IN_LIMITS: SignInLimits = {
  failuresPerAddress: 10,
  failures: 100,
  windowSeconds: 600,
  waiting: 64,
  waitingPerAddress: 32,
}

/** What came of an attempt; `retryAfterSeconds` is a whole number, at least 1. */
export type SignInVerdict =
  | 'right'
  | 'wrong'
  | { readonly refused: 'too many failures' | 'busy'; readonly retryAfterSeconds: number }

export interface SignInThrottle {
  /** Calls `verify` unless the address has to wait. */
  attempt(address: string, verify: () => Promise<boolean>): Promise<SignInVerdict>
}

/**
 * Attempts are judged one at a time: the count of failures is then exact however many arrive together, and of the
 * costly verifications only one runs at any moment. That also bounds what is remembered: as many failures as one core
 * verifies in a window.
 */
export function createSignInThrottle(limits: SignInLimits = DEFAULT_SIGN_IN_LIMITS): SignInThrottle {
  const { failuresPerAddress, failures, windowSeconds } = limits
  const byAddress = new RateLimiterMemory({ points: failuresPerAddress, duration: windowSeconds })
  const everywhere = new RateLimiterMemory({ points: failures, duration: windowSeconds })
  const ALL = 'all'
  const waiting = new Map<string, number>()
  let allWaiting = 0
  let last: Promise<unknown> = Promise.resolve()

  async function judge(address: string, verify: () => Promise<boolean>): Promise<SignInVerdict> {
    const [own, all] = await Promise.all([byAddress.get(address), everywhere.get(ALL)])
    const hasFailed = own !== null && own.consumedPoints > 0
    const isSpent = own !== null && own.remainingPoints === 0
    const allSpent = all !== null && all.remainingPoints === 0
    if (isSpent || (hasFailed && allSpent))
      return { refused: 'too many failures', retryAfterSeconds: seconds(own.msBeforeNext) }
    if (await verify()) {
      await byAddress.delete(address)
      return 'right'
    }
    await Promise.all([byAddress.penalty(address), everywhere.penalty(ALL)])
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

function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}
