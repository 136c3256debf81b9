// The retry rules, written for the judge from the specification (Errors, Retry rules 1 to 3). The judge must not share code
// with what it judges, so nothing here comes from `spec/protocol/retry.ts`.

/** The tolerance of a measured wait, early and late, in milliseconds; docs/clients.md derives both. */
export const EARLY_MS = 20
export const LATE_MS = 200

/** A range of waits, in milliseconds; `mostMs` is infinite if a longer one is allowed. */
interface Range {
  readonly leastMs: number
  readonly mostMs: number
}

/** The due wait before a retry; `or` is another one that is right as well. */
export interface Due extends Range {
  readonly or?: Range
}

/** The seconds of a `Retry-After` that is a positive decimal number; undefined for anything else. */
export function positiveSeconds(header: string | undefined): number | undefined {
  const digits = /^[ \t]*([0-9]+(?:\.[0-9]+)?)[ \t]*$/.exec(header ?? '')?.[1]
  if (digits === undefined || /^[0.]+$/.test(digits)) return undefined
  return Number(digits)
}

/**
 * Whether a client must obey this `Retry-After` after a 429: a positive whole number (RETRY-3). It may obey a fraction and a
 * date, or back off (RETRY-10).
 */
export function mustBeObeyed(header: string | undefined): boolean {
  return positiveSeconds(header) !== undefined && header?.includes('.') === false
}

/**
 * The wait of a client that obeys this value; `nowText` is the `Date` of the same answer. A date that is over means no wait.
 * Undefined if the value is neither a positive number nor a date.
 */
function obeyedWait(header: string | undefined, nowText: string | undefined): Range | undefined {
  const seconds = positiveSeconds(header)
  if (seconds !== undefined) return { leastMs: seconds * 1000, mostMs: Infinity }
  const dateMs = /^[ \t]*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header ?? '') ? Date.parse(header ?? '') : NaN
  if (Number.isNaN(dateMs)) return undefined
  const aheadMs = dateMs - Date.parse(nowText ?? '')
  if (Number.isNaN(aheadMs)) return { leastMs: 0, mostMs: Infinity }
  // The dates of HTTP have whole seconds.
  return aheadMs > 0 ? { leastMs: aheadMs - 1000, mostMs: Infinity } : { leastMs: 0, mostMs: 0 }
}

/**
 * The due wait before a retry after this answer; `retry` counts the retries of the call from 0. Undefined if the status is
 * not retried (RETRY-1, RETRY-2).
 */
export function dueWait(
  status: number,
  retryAfter: string | undefined,
  retry: number,
  date?: string,
): Due | undefined {
  if (status !== 429 && status !== 500 && status !== 503) return undefined
  // The table names no header for 503: whether a client obeys one is not judged.
  if (status === 503 && retryAfter !== undefined) return { leastMs: 0, mostMs: Infinity }
  const obeyed = status === 429 ? obeyedWait(retryAfter, date) : undefined
  if (obeyed !== undefined && mustBeObeyed(retryAfter)) return obeyed
  let leastMs = 1000
  for (let doubled = 0; doubled < retry; doubled += 1) leastMs += leastMs
  return { leastMs, mostMs: leastMs + 250, ...(obeyed && { or: obeyed }) }
}

/** The due waits, as ranges. */
export function rangesOf({ leastMs, mostMs, or }: Due): readonly Range[] {
  return [{ leastMs, mostMs }, ...(or === undefined ? [] : [or])]
}

/** `early`, `late`, or undefined if the wait is right within the tolerance. */
export function wrongWait(waitedMs: number, due: Due): 'early' | 'late' | undefined {
  const ranges = rangesOf(due)
  if (ranges.some(({ leastMs, mostMs }) => waitedMs >= leastMs - EARLY_MS && waitedMs <= mostMs + LATE_MS))
    return undefined
  return lateMs(waitedMs, due) > 0 ? 'late' : 'early'
}

/** How late a wait is after the due one that it can have missed, beyond the tolerance; 0 if it is too early for all. */
export function lateMs(waitedMs: number, due: Due): number {
  const missed = rangesOf(due).map(({ mostMs }) => waitedMs - mostMs - LATE_MS)
  const late = missed.filter((byMs) => byMs > 0)
  return late.length === 0 ? 0 : Math.min(...late)
}
