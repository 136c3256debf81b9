// The interface of rate limiters: requests and tokens in fixed windows, and concurrent requests. Each key is counted
// separately (LIMIT-5).
import type { RequestLimit } from '../keys/key-store.ts'
import type { Soon } from '../http/soon.ts'

/** The state of one window of a key. */
export interface LimitState {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  /** Time until the window ends, in milliseconds. */
  readonly resetMs: number
}

/** Frees a slot. Safe to call twice. */
export type Release = () => void

export interface RateLimiter {
  /** Counts one request. The window begins with its first request. */
  consume(keyId: string, limit: RequestLimit): Soon<LimitState>
  /** The state of the key's token window, admitted while tokens are left. Charges nothing. */
  tokens(keyId: string, perMinute: number): Soon<LimitState>
  /**
   * Charges all of `tokens` to this minute if at least one is left. The excess is not carried over. Concurrent requests
   * see each other's reservations.
   */
  reserve(keyId: string, perMinute: number, tokens: number): Soon<LimitState>
  /** Charges tokens to this minute, or refunds them if negative. The excess is not carried over. */
  charge(keyId: string, perMinute: number, tokens: number): Soon<void>
  /** Takes one of the key's `most` slots. Returns undefined if all are taken. */
  acquire(keyId: string, most: number): Soon<Release | undefined>
  /** Whether all instances share the counts, or this instance counts alone, for example while Redis is down. */
  scope(): 'shared' | 'instance'
  close(): Promise<void>
}
