// Holds guessing of the password to a few failures per address and per window, and all addresses together to a few
// more. Only failures count, so that the right password is never throttled by its own use.
import { RateLimiterMemory } from 'rate-limiter-flexible'

export interface SignInLimits {
  /** Failures that one address has in each window. */
  readonly failuresPerAddress: number
  /** Failures that all addresses have together. Bounds the memory too: no more addresses than this are remembered. */
  readonly failures: number
  readonly windowSeconds: number
  /** Attempts that wait for their turn; further ones are turned away. */
  readonly waiting: number
}

export const DEFAULT_SIGN_IN_LIMITS: SignInLimits = {
  failuresPerAddress: 10,
  failures: 100,
  windowSeconds: 600,
  waiting: 32,
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
 * costly verifications only one runs at any moment.
 */
export function createSignInThrottle(limits: SignInLimits = DEFAULT_SIGN_IN_LIMITS): SignInThrottle {
  const { failuresPerAddress, failures, windowSeconds } = limits
  const byAddress = new RateLimiterMemory({ points: failuresPerAddress, duration: windowSeconds })
  const everywhere = new RateLimiterMemory({ points: failures, duration: windowSeconds })
  const ALL = 'all'
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  async function judge(address: string, verify: () => Promise<boolean>): Promise<SignInVerdict> {
    const wait = Math.max(
      await millisecondsToWait(byAddress, address),
      await millisecondsToWait(everywhere, ALL),
    )
    if (wait > 0) return { refused: 'too many failures', retryAfterSeconds: Math.ceil(wait / 1000) }
    if (await verify()) {
      await byAddress.delete(address)
      return 'right'
    }
    await Promise.all([byAddress.penalty(address), everywhere.penalty(ALL)])
    return 'wrong'
  }

  return {
    async attempt(address, verify) {
      if (waiting >= limits.waiting) return { refused: 'busy', retryAfterSeconds: 1 }
      waiting += 1
      const turn = last.then(() => judge(address, verify))
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        waiting -= 1
      }
    },
  }
}

async function millisecondsToWait(limiter: RateLimiterMemory, key: string): Promise<number> {
  const state = await limiter.get(key)
  return state !== null && state.remainingPoints === 0 ? Math.max(0, state.msBeforeNext) : 0
}
