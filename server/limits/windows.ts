// Fixed windows on the limiters of rate-limiter-flexible, one for each limit that keys have.
import { type IRateLimiterOptions, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import type { LimitState } from './rate-limiter.ts'

/** So many points in each window. */
export interface WindowLimit {
  readonly points: number
  readonly seconds: number
}

export interface Windows {
  /** Counts one point; refused where the window has had all of its points. */
  consume(keyId: string, limit: WindowLimit): Promise<LimitState>
  /** Where the window stands; it begins here where there is none. */
  read(keyId: string, limit: WindowLimit): Promise<LimitState>
  /** Counts points, also more than are left, but only where some are: of many at once none sees what another took. */
  reserve(keyId: string, limit: WindowLimit, points: number): Promise<LimitState>
  /** Counts points, also such as the window does not have; gives points back where they are negative. */
  charge(keyId: string, limit: WindowLimit, points: number): Promise<void>
}

/** `name` tells these windows apart from others in the same store. */
export function createWindows(
  name: string,
  makeLimiter: (options: IRateLimiterOptions) => RateLimiterAbstract,
): Windows {
  const limiters = new Map<string, RateLimiterAbstract>()

  function limiterFor({ points, seconds }: WindowLimit): RateLimiterAbstract {
    const keyPrefix = `${name}:${points}/${seconds}`
    let limiter = limiters.get(keyPrefix)
    if (limiter === undefined) {
      limiter = makeLimiter({ keyPrefix, points, duration: seconds })
      limiters.set(keyPrefix, limiter)
    }
    return limiter
  }

  return {
    async consume(keyId, limit) {
      try {
        return state(await limiterFor(limit).consume(keyId), limit, true)
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return state(refused, limit, false)
        throw refused
      }
    },
    async read(keyId, limit) {
      const result = await limiterFor(limit).penalty(keyId, 0)
      return state(result, limit, result.consumedPoints < limit.points)
    },
    async reserve(keyId, limit, points) {
      const limiter = limiterFor(limit)
      const result = await limiter.penalty(keyId, points)
      const admitted = result.consumedPoints - points < limit.points
      if (!admitted) await limiter.reward(keyId, points)
      return state(result, limit, admitted)
    },
    async charge(keyId, limit, points) {
      const limiter = limiterFor(limit)
      await (points < 0 ? limiter.reward(keyId, -points) : limiter.penalty(keyId, points))
    },
  }
}

function state(result: RateLimiterRes, limit: WindowLimit, admitted: boolean): LimitState {
  return {
    admitted,
    limit: limit.points,
    remaining: result.remainingPoints,
    resetMs: Math.max(0, result.msBeforeNext),
  }
}
