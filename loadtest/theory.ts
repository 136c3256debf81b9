// What honest limiters admit: pure arithmetic, from which every bound of a verdict comes. It takes the way in which a
// service counts as unknown unless it is told, so that no limiter is blamed for when it was asked.

/** N requests in W seconds. */
export interface RequestLimit {
  readonly requests: number
  readonly windowSeconds: number
}

export const ALGORITHMS = ['any', 'fixed-window', 'sliding-window', 'token-bucket'] as const

/** How a service counts; `any`: not known. */
export type Algorithm = (typeof ALGORITHMS)[number]

/** How a service counts, with what that needs. */
export interface Counting {
  readonly limit: RequestLimit
  readonly algorithm: Algorithm
  /** What a full bucket holds. */
  readonly burst: number
}

/** Keeps sums of fractions on the right side of a whole number. */
const ROUNDING = 1e-9

/**
 * The most that is admitted of requests that were all counted within T seconds, ends included:
 *
 * - fixed windows, wherever they begin: T touches at most ⌈T/W⌉ + 1 of them, each admits N;
 * - a sliding window: N in each of the ⌊T/W⌋ + 1 windows of which T has the beginning;
 * - a bucket of B, filled at N/W: B + TN/W;
 * - any: the bound of fixed windows, which is the widest (a bucket of up to N included).
 */
export function mostAdmitted({ limit, algorithm, burst }: Counting, seconds: number): number {
  const { requests, windowSeconds } = limit
  const windows = seconds / windowSeconds
  switch (algorithm) {
    case 'sliding-window':
      return requests * (Math.floor(windows + ROUNDING) + 1)
    case 'token-bucket':
      return Math.floor(burst + windows * requests + ROUNDING)
    case 'fixed-window':
    case 'any':
      return requests * (Math.ceil(windows - ROUNDING) + 1)
  }
}

/**
 * The least that is admitted of requests that came at most `gap` seconds apart during T seconds, far more than the
 * limit; 0 where they came too seldom to tell (N gaps are a window or more).
 *
 * In W + N·gap seconds each way of counting admits N: the window that ends within them is used up one gap later at
 * the latest, and each of N tokens is taken at most one gap after it came. One such span is left out: the requests may
 * have begun with nothing left. A bucket gives its tokens one by one, so one token is left out instead.
 */
export function leastAdmitted(
  { limit, algorithm }: Counting,
  { seconds, gapSeconds }: { readonly seconds: number; readonly gapSeconds: number },
): number {
  const { requests, windowSeconds } = limit
  const span = windowSeconds + requests * gapSeconds
  if (requests * gapSeconds >= windowSeconds) return 0
  const spans = seconds / span
  const least =
    algorithm === 'token-bucket'
      ? Math.floor(spans * requests - ROUNDING) - 1
      : requests * (Math.floor(spans - ROUNDING) - 1)
  return Math.max(0, least)
}

/**
 * The smallest error of a limiter, in requests of each window, that a run of so many seconds cannot miss: with one more
 * than this in every whole window its sum is above `mostAdmitted`. Infinity where not one whole window fits.
 */
export function detectable(counting: Counting, seconds: number): number {
  const { requests, windowSeconds } = counting.limit
  const whole = Math.floor(seconds / windowSeconds + ROUNDING)
  if (whole === 0) return Number.POSITIVE_INFINITY
  const most = mostAdmitted(counting, seconds)
  return Math.max(1, Math.floor(most / whole - requests + ROUNDING) + 1)
}

/** When a request was counted: at some time between these, in seconds. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The time of all these together; 0 where there are none. */
export function extent(spans: readonly Span[]): number {
  if (spans.length === 0) return 0
  const start = spans.reduce((least, span) => Math.min(least, span.start), Number.POSITIVE_INFINITY)
  const end = spans.reduce((most, span) => Math.max(most, span.end), Number.NEGATIVE_INFINITY)
  return end - start
}

/** The time in which requests surely came, and the longest that none may have come in it, both in seconds. */
export function steadiness(spans: readonly Span[]): {
  readonly seconds: number
  readonly gapSeconds: number
} {
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  const [first, last] = [inOrder[0], inOrder.at(-1)]
  if (first === undefined || last === undefined) return { seconds: 0, gapSeconds: Number.POSITIVE_INFINITY }
  let gapSeconds = 0
  for (const [index, span] of inOrder.entries())
    gapSeconds = Math.max(gapSeconds, span.end - (inOrder[index - 1] ?? span).start)
  return { seconds: Math.max(0, last.start - first.end), gapSeconds }
}

/** The most requests that were surely counted within any `seconds`: their spans lie in it whole. */
export function busiest(spans: readonly Span[], seconds: number): number {
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  let most = 0
  for (const [index, { start }] of inOrder.entries()) {
    let count = 0
    for (let at = index; at < inOrder.length; at++) {
      const span = inOrder[at]
      if (span === undefined || span.start > start + seconds) break
      if (span.end <= start + seconds) count += 1
    }
    most = Math.max(most, count)
  }
  return most
}
