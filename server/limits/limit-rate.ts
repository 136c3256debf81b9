// The limits of a key: requests in each window, concurrent requests, tokens in each minute. What counts is every
// request with a valid key, whatever becomes of it; a request without one costs nobody anything.
import type { MiddlewareHandler } from 'hono'
import { errorCodes } from '../../spec/protocol/error.ts'
import type { AppEnv } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { RequestLimit } from '../keys/key-store.ts'
import type { Admission, LimitState, RateLimiter } from './rate-limiter.ts'

/** What holds for a key that says nothing of its own. */
export interface DefaultLimits extends RequestLimit {
  /** Concurrent requests; null for any number. */
  readonly concurrency: number | null
  /** Tokens of prompts and answers in a minute; null for any number. */
  readonly tokensPerMinute: number | null
}

/** For what is not limited. */
const UNLIMITED: Admission = { reserve: async () => {}, charge() {}, end() {}, keep() {} }

/** A refusal for too many concurrent requests: nobody knows when one ends, so that one may as well try soon. */
const CONCURRENCY_RETRY_SECONDS = 1

/** How far the end of a minute may be off between the clock that counts it and this one's. */
const CLOCKS_APART_MS = 100

/** Whole seconds, rounded up, so that a request after them finds the next window (LIMIT-3). */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

/** Refuses a request over a limit of its key with a 429 before anything is read or generated (LIMIT-1, LIMIT-2). */
export function limitRate(limiter: RateLimiter, defaults: DefaultLimits): MiddlewareHandler<AppEnv> {
  return async function limitRate(c, next) {
    const key = c.get('apiKey')
    const perMinute = key.tokensPerMinute ?? defaults.tokensPerMinute
    const counted = limiter.consume(key.id, key.limit ?? defaults)
    const tokens = perMinute === null ? undefined : await limiter.tokens(key.id, perMinute)
    const requests = await counted
    const headers = requestHeaders(requests)
    c.set('limitHeaders', tokens === undefined ? headers : { ...headers, ...tokenHeaders(tokens) })
    if (!requests.admitted || tokens?.admitted === false) throw refusalOf(requests, tokens)

    const most = key.concurrency ?? defaults.concurrency
    if (most === null && perMinute === null) {
      c.set('admission', UNLIMITED)
      return await next()
    }
    const release = most === null ? () => {} : await limiter.acquire(key.id, most)
    if (release === undefined)
      throw tooMany(`This key's limit of ${most} concurrent requests is reached.`, CONCURRENCY_RETRY_SECONDS)
    let goesOn = false
    let reserved = { tokens: 0, until: 0 }
    c.set('admission', {
      async reserve(expected) {
        if (perMinute === null) return
        const count = expected()
        const left = await limiter.reserve(key.id, perMinute, count)
        if (!left.admitted) {
          c.set('limitHeaders', { ...headers, ...tokenHeaders(left) })
          throw refusalOf(requests, left)
        }
        reserved = { tokens: count, until: performance.now() + left.resetMs - CLOCKS_APART_MS }
      },
      charge(used) {
        // What was reserved in a minute that is over cannot be given back to the next one.
        const owed = used - reserved.tokens
        if (perMinute !== null && (owed > 0 || (owed < 0 && performance.now() < reserved.until)))
          void limiter.charge(key.id, perMinute, owed)
      },
      end: release,
      keep() {
        goesOn = true
      },
    })
    try {
      await next()
    } finally {
      if (!goesOn) release()
    }
  }
}

function requestHeaders({ limit, remaining, resetMs }: LimitState): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': `${wholeSeconds(resetMs)}s`,
  }
}

function tokenHeaders({ limit, remaining, resetMs }: LimitState): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-tokens': String(limit),
    'x-ratelimit-remaining-tokens': String(remaining),
    'x-ratelimit-reset-tokens': `${wholeSeconds(resetMs)}s`,
  }
}

/** Where two limits are exhausted, the longer wait is the one that admits. */
function refusalOf(requests: LimitState, tokens: LimitState | undefined): ApiError {
  const ofTokens = tokens?.admitted === false && (requests.admitted || tokens.resetMs > requests.resetMs)
  const [{ limit, resetMs }, what] = ofTokens ? [tokens, 'tokens'] : [requests, 'requests']
  return tooMany(`This key's limit of ${limit} ${what} is exhausted.`, Math.max(1, wholeSeconds(resetMs)))
}

function tooMany(message: string, seconds: number): ApiError {
  return new ApiError(429, errorCodes.rateLimitExceeded, `${message} Retry in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
