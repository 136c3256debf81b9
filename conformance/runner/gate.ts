// The gate that all requests of one key pass: none goes out before the time that the last 429 or 503 named, and after
// each 429 they go out further apart, until answers show that the key is admitted again.
import { parseRetryAfter } from '../../spec/protocol/retry.ts'
import { type Exchange, header } from '../../harness/http/exchange.ts'

/** The distance between two requests after the first 429, doubled by each later one up to the widest, in milliseconds. */
const FIRST_GAP_MS = 50
const WIDEST_GAP_MS = 2_000

/** What is left of the distance after each request that was admitted. */
const GAP_DECAY = 0.9

/** At most so much is added to a wait by chance, so that requests that wait together do not come together. */
const JITTER_MS = 250

export interface Gate {
  /** The time before which no request may go out, in milliseconds; each call takes a turn of its own. */
  turn(): number
  /** The time that the last refusal named, in milliseconds. */
  opensAt(): number
  /** A request met a limit and may come back after so long. */
  limited(waitMs: number): void
  /** The service cannot answer for so long, whoever asks and however often. */
  closed(waitMs: number): void
  admitted(): void
}

/** Makes an open gate. `now` is in milliseconds, `random` in [0, 1). */
export function createGate(now: () => number, random: () => number): Gate {
  let opensAtMs = 0
  let nextTurnMs = 0
  let gapMs = 0
  const closed = (waitMs: number): void => {
    opensAtMs = Math.max(opensAtMs, now() + waitMs + random() * JITTER_MS)
  }
  return {
    closed,
    turn() {
      const atMs = Math.max(now(), opensAtMs, nextTurnMs)
      nextTurnMs = atMs + gapMs
      return atMs
    },
    opensAt: () => opensAtMs,
    limited(waitMs) {
      // Requests that were under way together are refused together: that is one refusal.
      if (now() >= opensAtMs) gapMs = Math.min(WIDEST_GAP_MS, gapMs === 0 ? FIRST_GAP_MS : gapMs * 2)
      closed(waitMs)
    },
    admitted() {
      gapMs = gapMs < FIRST_GAP_MS / 2 ? 0 : gapMs * GAP_DECAY
    },
  }
}

/**
 * How long an answer asks to wait, in milliseconds: by `retry-after-ms`, or by `Retry-After` as seconds (also with a
 * fraction) or as a date. Undefined where it says nothing of the kind. `nowMs` is the time since 1970.
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
