// The retry rules as pure arithmetic (specification: Errors, Retry rules 1 to 4).

/** Only these are retried (RETRY-1, RETRY-2). */
export const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 500, 503])

/** The wait before the first retry, doubled for each later one (RETRY-4), in milliseconds. */
export const BACKOFF_BASE_MS = 1000

/** The maximum random addition to a wait (RETRY-4), in milliseconds. */
export const BACKOFF_JITTER_MS = 250

/** The recommended cap on attempts, the first one included (RETRY-6). */
export const RECOMMENDED_ATTEMPTS = 5

/** The bounds of a whole call (RETRY-5, RETRY-7). */
export interface RetryLimits {
  /** Attempts, the first one included. */
  readonly maxAttempts: number
  /** The sum of all waits, in milliseconds. */
  readonly maxTotalWaitMs: number
}

/** The wait before the next attempt, or why there is none. */
export type RetryDecision =
  | { readonly waitMs: number }
  | { readonly stop: 'status is not retryable' | 'no attempts left' | 'total wait exhausted' }

/**
 * The value of a `Retry-After` header in seconds, if it is a positive number (`Infinity` if it is too large); `undefined`
 * if the header is absent, zero, negative, a date or not a number, so that the wait falls back to exponential backoff
 * (RETRY-10).
 */
export function parseRetryAfter(value: string | null | undefined): number | undefined {
  const text = value?.trim() ?? ''
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined
  const seconds = Number(text)
  return seconds > 0 ? seconds : undefined
}

/** The wait before retry `attempt`, counted from 0, in milliseconds (RETRY-4). `random` is a number in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  return BACKOFF_BASE_MS * 2 ** attempt + random * BACKOFF_JITTER_MS
}

/** A failed attempt: the status and `Retry-After` of its answer, and the state of the call. */
export interface FailedAttempt {
  readonly status: number
  readonly retryAfter: string | null | undefined
  /** Retries made before this one, so 0 for the first failure. */
  readonly attempt: number
  /** The total wait of the call so far, in milliseconds. */
  readonly waitedMs: number
  /** A number in [0, 1). */
  readonly random: number
}

/** Decides what follows a failed attempt: a wait in milliseconds, or the end and its reason. */
export function nextRetry(failed: FailedAttempt, limits: RetryLimits): RetryDecision {
  if (!RETRYABLE_STATUSES.has(failed.status)) return { stop: 'status is not retryable' }
  if (failed.attempt + 1 >= limits.maxAttempts) return { stop: 'no attempts left' }
  const requested = failed.status === 429 ? parseRetryAfter(failed.retryAfter) : undefined
  const backoff = backoffMs(failed.attempt, failed.random)
  // Each refusal after the first lowers the request rate, even if `Retry-After` stays the same (RETRY-9).
  const least = failed.attempt === 0 ? 0 : backoff
  const waitMs = requested === undefined ? backoff : Math.max(Math.ceil(requested * 1000), least)
  return failed.waitedMs + waitMs > limits.maxTotalWaitMs ? { stop: 'total wait exhausted' } : { waitMs }
}
