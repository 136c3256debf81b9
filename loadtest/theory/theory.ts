// What honest limiters admit: pure arithmetic, from which every bound of a verdict comes. It takes the way in which a
// service counts as unknown unless it is given, so that no limiter is blamed for when it was asked.

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

/** Keeps sums of fractions on the side of a whole number that blames nobody. */
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
      return requests * (Math.ceil(windows) + 1)
  }
}

/**
 * The least that is admitted of these requests, however the service counts and whatever was asked of it before.
 *
 * In W + N·gap seconds, with requests at most `gap` apart, each way of counting admits N: after W whatever was counted
 * before is forgotten, and N requests come in N gaps; each token of a bucket, however small, is taken at most one gap
 * after it came. So N for each such stretch, laid end to end. Where requests came too seldom (N gaps are a window or
 * more) nothing is said, and the next stretch begins behind that.
 */
export function leastAdmitted({ requests, windowSeconds }: RequestLimit, spans: readonly Span[]): number {
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  let stretches = 0
  let [previous] = inOrder
  let from = previous?.end ?? 0
  let gap = 0
  for (const span of inOrder.slice(1)) {
    // The longest that none may have come: a request was counted at some time in its span.
    gap = Math.max(gap, span.end - (previous ?? span).start)
    const isWhole = span.start - from >= windowSeconds + requests * gap + ROUNDING
    const isSparse = requests * gap >= windowSeconds
    if (isWhole && !isSparse) stretches += 1
    if (isWhole || isSparse) [from, gap] = [span.end, 0]
    previous = span
  }
  return Math.min(spans.length, stretches * requests)
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

/** The most requests that may have been counted within any `seconds`: their spans reach into it. */
export function busiestPossible(spans: readonly Span[], seconds: number): number {
  const starts = spans.map(({ start }) => start).toSorted((a, b) => a - b)
  const ends = spans.map(({ end }) => end).toSorted((a, b) => a - b)
  let begun = 0
  let most = 0
  // From each end on: what has begun by the end of the window, without what was over before it.
  for (const [over, end] of ends.entries()) {
    while ((starts[begun] ?? Number.POSITIVE_INFINITY) <= end + seconds) begun += 1
    most = Math.max(most, begun - over)
  }
  return most
}

/** The least time that surely lay between two of these being counted; infinite where there are not two. */
export function leastApart(spans: readonly Span[]): number {
  let least = Number.POSITIVE_INFINITY
  let over = Number.NEGATIVE_INFINITY
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    least = Math.min(least, start - over)
    over = Math.max(over, end)
  }
  return least
}
