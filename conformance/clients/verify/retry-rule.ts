// The retry rules as the judge reads them, restated by hand from the specification (Errors, Retry rules 1 to 3): what
// judges must not be what is judged, so nothing here comes from `spec/protocol/retry.ts`.

/** How early and how late a wait may be measured and still be right, in milliseconds; docs/clients.md derives both. */
export const EARLY_MS = 20
export const LATE_MS = 200

/** The wait that is due before a retry, in milliseconds; `mostMs` is infinite where a longer one is allowed. */
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
 * What the rules say of a retry after this answer; `retry` counts the retries of the call from 0. Undefined where the
 * status is not retried (RETRY-1, RETRY-2).
 */
export function dueWait(status: number, retryAfter: string | undefined, retry: number): Due | undefined {
  if (status !== 429 && status !== 500 && status !== 503) return undefined
  // The table gives 503 no header: whether one is obeyed is not judged.
  if (status === 503 && retryAfter !== undefined) return { leastMs: 0, mostMs: Infinity }
  const seconds = status === 429 ? positiveSeconds(retryAfter) : undefined
  if (seconds !== undefined) return { leastMs: seconds * 1000, mostMs: Infinity }
  let leastMs = 1000
  for (let doubled = 0; doubled < retry; doubled += 1) leastMs += leastMs
  return { leastMs, mostMs: leastMs + 250 }
}

/** `early`, `late`, or undefined where the wait is right within the tolerance. */
export function wrongWait(waitedMs: number, { leastMs, mostMs }: Due): 'early' | 'late' | undefined {
  if (waitedMs < leastMs - EARLY_MS) return 'early'
  return waitedMs > mostMs + LATE_MS ? 'late' : undefined
}
