// The port to what counts for the limits: requests and tokens in fixed windows, and concurrent
// requests. Each key is counted apart from every other (LIMIT-5).
import type { RequestLimit } from '../keys/key-store.ts'
import type { Soon } from '../http/soon.ts'

/** Where a key stands in one of its windows. */
export interface LimitState {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the window ends, in milliseconds. */
  readonly resetMs: number
}

/** Frees a slot; safe to call twice. */
export type Release = () => void

export interface RateLimiter {
  /** Counts one request against its key's window. The window begins with its first request. */
  consume(keyId: string, limit: RequestLimit): Soon<LimitState>
  /** Where a key stands with its tokens of this minute; admitted while some are left. Nothing is charged. */
  tokens(keyId: string, perMinute: number): Soon<LimitState>
  /**
   * Charges tokens to this minute where some are left, all of them also where fewer are: what is over is not carried
   * on. Of requests at the same moment each sees what the others reserved.
   */
  reserve(keyId: string, perMinute: number, tokens: number): Soon<LimitState>
  /** Charges tokens to this minute; negative ones are given back to it. They may be more than are left: what is over is not carried on. */
  charge(keyId: string, perMinute: number, tokens: number): Soon<void>
  /** Takes one of the key's `most` slots, or gives undefined where all are taken. */
  acquire(keyId: string, most: number): Soon<Release | undefined>
  /** Who shares the counts: all instances, or this one has its own, as it has while Redis is down. */
  scope(): 'shared' | 'instance'
  close(): Promise<void>
}

/** What an admitted request still owes to its limits. */
export interface Admission {
  /**
   * Reserves the tokens that it is expected to use, which are asked for only where they are limited. Throws the 429 of a
   * key that has none left.
   */
  reserve(expected: () => number): Soon<void>
  /** Charges the tokens that it used, in place of those that were reserved. */
  charge(tokens: number): void
  /** Frees its slot. Safe to call twice. */
  readonly end: Release
}

/** Of a request without limits. */
export const UNLIMITED: Admission = { reserve() {}, charge() {}, end() {} }
