// The limits of a key: requests in each window, requests under way at once, tokens in each minute. What counts is every
// request with a valid key, whatever becomes of it; a request without one costs nobody anything.
import type { MiddlewareHandler } from 'hono'
import { errorCodes } from '../spec/error.ts'
import type { AppEnv } from './context.ts'
import { ApiError } from './errors.ts'
import type { RequestLimit } from './keys/key-store.ts'
import type { LimitState, RateLimiter, Release } from './limits/rate-limiter.ts'

/** What holds for a key that says nothing of its own. */
export interface DefaultLimits extends RequestLimit {
  /** Requests under way at once; null for any number. */
  readonly concurrency: number | null
  /** Tokens of prompts and answers in a minute; null for any number. */
  readonly tokensPerMinute: number | null
}

/** What an admitted request still owes to its limits. */
export interface Admission {
  /** Charges the tokens that it used. */
  charge(tokens: number): void
  /** Frees its slot. Safe to call twice. */
  readonly end: Release
  /** The answer goes on when its handler is done: whoever says so calls `end`. */
  keep(): void
}

/** For what is not limited. */
const UNLIMITED: Admission = { charge() {}, end() {}, keep() {} }

/** A refusal for requests under way: nobody knows when one ends, so that one may as well try soon. */
const CONCURRENCY_RETRY_SECONDS = 1

/** Whole seconds, rounded up, so that a request after them finds the next window (LIMIT-3). */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

/** Refuses a request over a limit of its key with a 429 before anything is read or generated (LIMIT-1, LIMIT-2). */
export function limitRate(limiter: RateLimiter, defaults: DefaultLimits): MiddlewareHandler<AppEnv> {
  return async function limitRate(c, next) {
    const key = c.get('apiKey')
    const perMinute = key.tokensPerMinute ?? defaults.tokensPerMinute
    const [requests, tokens] = await Promise.all([
      limiter.consume(key.id, key.limit ?? defaults),
      perMinute === null ? undefined : limiter.tokens(key.id, perMinute),
    ])
    c.set('limitHeaders', {
      ...limitHeaders('requests', requests),
      ...(tokens === undefined ? {} : limitHeaders('tokens', tokens)),
    })
    refuseOver(requests, tokens)

    const most = key.concurrency ?? defaults.concurrency
    if (most === null && perMinute === null) {
      c.set('admission', UNLIMITED)
      return await next()
    }
    const release = most === null ? () => {} : await limiter.acquire(key.id, most)
    if (release === undefined)
      throw tooMany(`This key may have ${most} requests under way at once.`, CONCURRENCY_RETRY_SECONDS)
    let goesOn = false
    c.set('admission', {
      charge(used) {
        if (perMinute !== null && used > 0) void limiter.charge(key.id, perMinute, used)
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

function limitHeaders(what: 'requests' | 'tokens', { limit, remaining, resetMs }: LimitState) {
  return {
    [`x-ratelimit-limit-${what}`]: String(limit),
    [`x-ratelimit-remaining-${what}`]: String(remaining),
    [`x-ratelimit-reset-${what}`]: `${wholeSeconds(resetMs)}s`,
  }
}

/** Where two limits are used up, the longer wait is the one that admits. */
function refuseOver(requests: LimitState, tokens: LimitState | undefined): void {
  const over = [
    ...(requests.admitted ? [] : [{ ...requests, what: 'requests' }]),
    ...(tokens === undefined || tokens.admitted ? [] : [{ ...tokens, what: 'tokens' }]),
  ]
  const [first, second] = over
  if (first === undefined) return
  const last = second !== undefined && second.resetMs > first.resetMs ? second : first
  throw tooMany(
    `This key's limit of ${last.limit} ${last.what} is used up.`,
    Math.max(1, wholeSeconds(last.resetMs)),
  )
}

function tooMany(message: string, seconds: number): ApiError {
  return new ApiError(429, errorCodes.rateLimitExceeded, `${message} Retry in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
