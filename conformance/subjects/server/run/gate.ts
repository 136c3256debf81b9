// Paces the requests of one key: no request is sent before the time that the last 429 or 503 named, and each 429
// increases the gap between requests until the service admits the key again.
import { parseRetryAfter } from '../../../../spec/protocol/retry.ts'
import { type Exchange, header } from '../../../../harness/http/exchange.ts'

/** The gap between two requests after the first 429; each later 429 doubles it up to the widest. In milliseconds. */
const FIRST_GAP_MS = 50
const WIDEST_GAP_MS = 2_000

const GAP_DECAY = 0.9

/** The most random time added to a wait, so that waiting requests are not sent together. */
const JITTER_MS = 250

export type Gate = ReturnType<typeof createGate>

/** Makes an open gate. `now` is in milliseconds, `random` in [0, 1). */
export function createGate(now: () => number, random: () => number) {
  let opensAtMs = 0
  let nextTurnMs = 0
  let gapMs = 0
  const closed = (waitMs: number): void => {
    opensAtMs = Math.max(opensAtMs, now() + waitMs + random() * JITTER_MS)
  }
  return {
    /** The service cannot answer any request for this time. */
    closed,
    /** Takes a turn, and returns the time before which its request must not be sent, in milliseconds. */
    turn(): number {
      const atMs = Math.max(now(), opensAtMs, nextTurnMs)
      nextTurnMs = atMs + gapMs
      return atMs
    },
    /** The time that the last refusal named, in milliseconds. */
    opensAt: () => opensAtMs,
    /** A request exceeded a limit and may be sent again after this time. */
    limited(waitMs: number): void {
      // Refusals of concurrent requests count as one.
      if (now() >= opensAtMs) gapMs = Math.min(WIDEST_GAP_MS, gapMs === 0 ? FIRST_GAP_MS : gapMs * 2)
      closed(waitMs)
    },
    /** The requests that were refused are no longer sent: the others need no gap. */
    dropGap: (): void => void (gapMs = 0),
    admitted(): void {
      gapMs = gapMs < FIRST_GAP_MS / 2 ? 0 : gapMs * GAP_DECAY
    },
  }
}

/**
 * The wait that an answer asks for, in milliseconds: from `retry-after-ms`, or from `Retry-After` as seconds (also with
 * a fraction) or as a date. Undefined if it asks for none. `nowMs` is the time since 1970.
 */
export function askedWaitMs(exchange: Exchange, nowMs: number): number | undefined {
  const inMs = parseRetryAfter(header(exchange, 'retry-after-ms'))
  if (inMs !== undefined) return Math.ceil(inMs)
  const value = header(exchange, 'retry-after')
  const seconds = parseRetryAfter(value)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  const date =
    value !== undefined && /[a-z]{3}.*\d{2}:\d{2}:\d{2}/i.test(value) ? Date.parse(value) : Number.NaN
  return date > nowMs ? date - nowMs : undefined
}
