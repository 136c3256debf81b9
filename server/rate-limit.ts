// Requests per key and window. What is counted: every request with a valid key, whatever becomes of it; a request
// without one costs nobody anything.
import type { MiddlewareHandler } from 'hono'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { errorCodes } from '../spec/error.ts'
import type { AppEnv } from './context.ts'
import { ApiError } from './errors.ts'
import type { RequestLimit } from './keys/key-store.ts'

/** Where a key stands after one more request. */
export interface LimitState {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the window ends, in milliseconds. */
  readonly resetMs: number
}

/** Counts requests. One limiter serves all keys; each key has a count of its own (LIMIT-5). */
export interface RateLimiter {
  /** Counts one request of this key against `limit`. */
  consume(keyId: string, limit: RequestLimit): Promise<LimitState>
}

/** Fixed windows in this process's memory: a key's window starts with its first request and lasts `windowSeconds`. */
export function createMemoryRateLimiter(): RateLimiter {
  const limiters = new Map<string, RateLimiterMemory>()

  function limiterFor({ requests, windowSeconds }: RequestLimit): RateLimiterMemory {
    const name = `${requests}/${windowSeconds}`
    let limiter = limiters.get(name)
    if (limiter === undefined) {
      limiter = new RateLimiterMemory({ keyPrefix: name, points: requests, duration: windowSeconds })
      limiters.set(name, limiter)
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
  }
}

function state(result: RateLimiterRes, limit: RequestLimit, admitted: boolean): LimitState {
  return {
    admitted,
    limit: limit.requests,
    remaining: result.remainingPoints,
    resetMs: Math.max(0, result.msBeforeNext),
  }
}

/** `Retry-After` for a window that ends in `resetMs`: whole seconds, rounded up, so that waiting it admits (LIMIT-3). */
export function retryAfterSeconds(resetMs: number): number {
  return Math.max(1, Math.ceil(resetMs / 1000))
}

/** Refuses a request over its key's limit with a 429 before anything is read or generated (LIMIT-1, LIMIT-2). */
export function limitRate(limiter: RateLimiter, fallback: RequestLimit): MiddlewareHandler<AppEnv> {
  return async function limitRate(c, next) {
    const key = c.get('apiKey')
    const { admitted, limit, remaining, resetMs } = await limiter.consume(key.id, key.limit ?? fallback)
    c.set('limitHeaders', {
      'x-ratelimit-limit-requests': String(limit),
      'x-ratelimit-remaining-requests': String(remaining),
      'x-ratelimit-reset-requests': `${retryAfterSeconds(resetMs)}s`,
    })
    if (!admitted) {
      const seconds = retryAfterSeconds(resetMs)
      throw new ApiError(
        429,
        errorCodes.rateLimitExceeded,
        `This key's limit of ${limit} requests is used up. Retry in ${seconds} s.`,
        {
          headers: { 'Retry-After': String(seconds) },
        },
      )
    }
    await next()
  }
}
