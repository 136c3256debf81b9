// The retry rules, written for the judge from the specification (Errors, Retry rules 1 to 3). The judge must not share code
// with what it judges, so nothing here comes from `spec/protocol/retry.ts`.

/** The tolerance of a measured wait, early and late, in milliseconds; docs/clients.md derives both. */
export const EARLY_MS = 20
export const LATE_MS = 200

/** The due wait before a retry, in milliseconds; `mostMs` is infinite if a longer one is allowed. */
export interface Due {
  readonly leastMs: number
  readonly mostMs: number
}

/** The seconds of a `Retry-After` that is a positive decimal number; undefined for anything else (RETRY-10). */
export function positiveSeconds(header: string | undefined): number | undefined {
  const digits = /^[ \t]*([0-9]+(?:\.[0-9]+)?)[ \t]*$/.exec(header ?? '')?.[1]
  if (digits === undefined || /^[0.]+$/.test(digits)) return undefined
  return Number(digits)
}

/**
 * The due wait before a retry after this answer; `retry` counts the retries of the call from 0. Undefined if the status is
 * not retried (RETRY-1, RETRY-2).
 */
export function dueWait(status: number, retryAfter: string | undefined, retry: number): Due | undefined {
  if (status !== 429 && status !== 500 && status !== 503) return undefined
  // The table names no header for 503: whether a client obeys one is not judged.
  if (status === 503 && retryAfter !== undefined) return { leastMs: 0, mostMs: Infinity }
  const seconds = status === 429 ? positiveSeconds(retryAfter) : undefined
  if (seconds !== undefined) return { leastMs: seconds * 1000, mostMs: Infinity }
  let leastMs = 1000
  for (let doubled = 0; doubled < retry; doubled += 1) leastMs += leastMs
  return { leastMs, mostMs: leastMs + 250 }
}

/** `early`, `late`, or undefined if the wait is right within the tolerance. */
export function wrongWait(waitedMs: number, { leastMs, mostMs }: Due): 'early' | 'late' | undefined {
  if (waitedMs < leastMs - EARLY_MS) return 'early'
  return waitedMs > mostMs + LATE_MS ? 'late' : undefined
}
