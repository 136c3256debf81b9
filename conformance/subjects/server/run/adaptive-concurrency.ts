// How many checks run concurrently if no `--concurrency` is given: more while the service answers as fast as at the start,
// fewer when it answers more slowly, and at once when it sends a 429 or 503.
import { type Exchange, header, memoryOf } from '../../../../harness/http/exchange.ts'
import { DEFAULT_CONCURRENCY } from '../../../contract/settings.ts'

/** The maximum of checks that run concurrently. */
export const MAX_CONCURRENCY = 32

/** Measured for a service with a latency of 200 ms, which does not become slower. */
const MEAN_CONCURRENCY = 10

/** The number of answers of one kind whose median latency a decision compares. */
export const WINDOW = 16

/** A service that answers within this time gains nothing from more concurrency, in milliseconds. */
export const FAST_MS = 20

/** A service that sends a larger answer is asked one check at a time, because answers are kept in memory; in bytes. */
const LARGE_BYTES = 1024 * 1024

/** The service is as fast as before below the first factor, and slower above the second. */
const SAME = 1.3
const SLOWER = 2

export function adaptConcurrency() {
  let limit = DEFAULT_CONCURRENCY
  // It doubles until the service first shows a limit, and then rises by one.
  let isDoubling = true
  // The answers to the requests that were in flight when the limit was lowered still show the old limit.
  let stale = 0
  let isLarge = false
  const windows = new Map<string, { samples: number[]; best: number }>()

  function lower(to: number): void {
    stale = limit
    limit = to
    isDoubling = false
    for (const window of windows.values()) window.samples = []
  }

  function decide(medianMs: number, bestMs: number): void {
    if (medianMs > SLOWER * bestMs)
      lower(Math.max(Math.min(limit, DEFAULT_CONCURRENCY), Math.floor(limit / 2)))
    else if (medianMs <= SAME * bestMs && bestMs >= FAST_MS)
      limit = Math.min(MAX_CONCURRENCY, isDoubling ? limit * 2 : limit + 1)
  }

  return {
    /** The number of checks that may run now. */
    limit: () => (isLarge ? 1 : limit),
    /** Whether checks must run one at a time, even with a fixed number. */
    isLarge: () => isLarge,
    see(exchange: Exchange): void {
      isLarge ||= memoryOf(exchange) > LARGE_BYTES
      const { status } = exchange.response
      if (stale > 0) {
        stale -= 1
        return
      }
      if (status === 429 || status === 503) return lower(Math.max(1, Math.floor(limit / 2)))
      const kind = kindOf(exchange)
      const window = windows.get(kind) ?? { samples: [], best: Infinity }
      windows.set(kind, window)
      window.samples.push(exchange.timings.firstByteMs)
      if (window.samples.length < WINDOW) return
      const medianMs = window.samples.toSorted((a, b) => a - b)[WINDOW / 2] ?? 0
      window.samples = []
      window.best = Math.min(window.best, Math.max(1, medianMs))
      decide(medianMs, window.best)
    },
  }
}

/** The mean concurrency of a whole run on a service with this latency: measured, with the checks that run alone. */
export function expectedConcurrency(latencyMs: number): number {
  return latencyMs < FAST_MS ? DEFAULT_CONCURRENCY : MEAN_CONCURRENCY
}

/** Answers that take a comparable time: a refusal needs no model, and a stream begins before its end is known. */
function kindOf(exchange: Exchange): string {
  if (exchange.response.status >= 300) return 'refusal'
  return header(exchange, 'content-type')?.startsWith('text/event-stream') ? 'stream' : 'answer'
}
