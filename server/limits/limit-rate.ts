// The limits of a key: requests in each window, concurrent requests, tokens in each minute. What counts is every
// request with a valid key, whatever becomes of it; a request without one costs nobody anything.
import { errorCodes } from '../../spec/protocol/error.ts'
import { ApiError } from '../http/errors.ts'
import type { Exchange, Headers } from '../http/exchange.ts'
import { andThen, type Soon } from '../http/soon.ts'
import type { ApiKey, RequestLimit } from '../keys/key-store.ts'
import { type Admission, type LimitState, type RateLimiter, UNLIMITED } from './rate-limiter.ts'

/** What holds for a key that says nothing of its own. */
export interface DefaultLimits extends RequestLimit {
  /** Concurrent requests; null for any number. */
  readonly concurrency: number | null
  /** Tokens of prompts and answers in a minute; null for any number. */
  readonly tokensPerMinute: number | null
}

/** A refusal for too many concurrent requests: nobody knows when one ends, so that one may as well try soon. */
const CONCURRENCY_RETRY_SECONDS = 1

/** How far the end of a minute may be off between the clock that counts it and this one's. */
const CLOCKS_APART_MS = 100

/** Whole seconds, rounded up, so that a request after them finds the next window (LIMIT-3). */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

/** Refuses a request over a limit of its key with a 429 before anything is read or generated (LIMIT-1, LIMIT-2). */
export function limitRate(
  limiter: RateLimiter,
  defaults: DefaultLimits,
  exchange: Exchange,
  key: ApiKey,
): Soon<void> {
  const perMinute = key.tokensPerMinute ?? defaults.tokensPerMinute
  const most = key.concurrency ?? defaults.concurrency
  const counted = limiter.consume(key.id, key.limit ?? defaults)
  const left = perMinute === null ? undefined : limiter.tokens(key.id, perMinute)
  return andThen(left, (tokens) =>
    andThen(counted, (requests) => {
      exchange.limitHeaders = limitHeaders(requests, tokens)
      if (!requests.admitted || tokens?.admitted === false) throw refusalOf(requests, tokens)
      if (most === null && perMinute === null) return
      return andThen(most === null ? () => {} : limiter.acquire(key.id, most), (release) => {
        if (release === undefined)
          throw tooMany(
            `This key's limit of ${most} concurrent requests is reached.`,
            CONCURRENCY_RETRY_SECONDS,
          )
        exchange.admission = { ...reservation(limiter, exchange, key.id, perMinute, requests), end: release }
      })
    }),
  )
}

/** The tokens of one request: reserved when it is admitted, charged when they are known. */
function reservation(
  limiter: RateLimiter,
  exchange: Exchange,
  keyId: string,
  perMinute: number | null,
  requests: LimitState,
): Pick<Admission, 'reserve' | 'charge'> {
  if (perMinute === null) return UNLIMITED
  let reserved = { tokens: 0, until: 0 }
  return {
    reserve(expected) {
      const count = expected()
      return andThen(limiter.reserve(keyId, perMinute, count), (left) => {
        if (!left.admitted) {
          exchange.limitHeaders = limitHeaders(requests, left)
          throw refusalOf(requests, left)
        }
        reserved = { tokens: count, until: performance.now() + left.resetMs - CLOCKS_APART_MS }
      })
    },
    charge(used) {
      // What was reserved in a minute that is over cannot be given back to the next one.
      const owed = used - reserved.tokens
      if (owed > 0 || (owed < 0 && performance.now() < reserved.until))
        void limiter.charge(keyId, perMinute, owed)
    },
  }
}

function limitHeaders(requests: LimitState, tokens: LimitState | undefined): Headers {
  const ofRequests = headersOf('requests', requests)
  return tokens === undefined ? ofRequests : [...ofRequests, ...headersOf('tokens', tokens)]
}

const NAMES = {
  requests: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  tokens: ['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
} as const

function headersOf(what: keyof typeof NAMES, { limit, remaining, resetMs }: LimitState): Headers {
  const [most, left, reset] = NAMES[what]
  return [most, String(limit), left, String(remaining), reset, `${wholeSeconds(resetMs)}s`]
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
