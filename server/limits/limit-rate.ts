// The limits of a key: requests per window, concurrent requests, tokens per minute. Every request with a valid key
// counts, whatever its result; other requests count for no key.
import { errorCodes } from '../../spec/protocol/error.ts'
import { ApiError } from '../http/api-error.ts'
import { type Admission, type Exchange, type Headers, UNLIMITED } from '../http/call.ts'
import { andThen, type Soon } from '../http/soon.ts'
import type { ApiKey, RequestLimit } from '../keys/key-store.ts'
import type { LimitState, RateLimiter } from './rate-limiter.ts'

/** The limits of keys without their own. */
export interface DefaultLimits extends RequestLimit {
  /** Maximum concurrent requests; null for unlimited. */
  readonly concurrency: number | null
  /** Maximum tokens of prompts and answers per minute; null for unlimited. */
  readonly tokensPerMinute: number | null
}

/** `Retry-After` of a refusal for too many concurrent requests. It is short, because the end of these requests is unknown. */
const CONCURRENCY_RETRY_SECONDS = 1

/** Assumed difference between the clock that counts the minute and the clock of this process. */
const CLOCKS_APART_MS = 100

/** Whole seconds, rounded up: a request after them falls into the next window (LIMIT-3). */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

/** Throws a 429 for a request over a limit of its key, before anything is read or generated (LIMIT-1, LIMIT-2). */
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

/** Reserves the tokens of one request when it is admitted and charges them when they are known. */
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
      // Tokens reserved in an earlier minute are not refunded to the next one.
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

/** If both limits are exhausted, the refusal names the one with the longer wait. */
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
