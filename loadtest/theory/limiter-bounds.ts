// The bounds of what honest limiters admit, as pure arithmetic. Unless the algorithm of the service is given, they
// cover every algorithm, so that no honest limiter fails because of the timing of requests.

/** N requests in W seconds. */
export interface RequestLimit {
  readonly requests: number
  readonly windowSeconds: number
}

export const ALGORITHMS = ['any', 'fixed-window', 'sliding-window', 'token-bucket'] as const

/** The algorithm of a limiter; `any`: unknown. */
export type Algorithm = (typeof ALGORITHMS)[number]

/** A limit, and how the service counts. */
export interface Counting {
  readonly limit: RequestLimit
  readonly algorithm: Algorithm
  /** Capacity of a token bucket. */
  readonly burst: number
}

/** Absorbs rounding errors in sums of fractions, in favour of the limiter. */
const ROUNDING = 1e-9

/**
 * The most requests that are admitted within T seconds, both ends included:
 *
 * - fixed windows with any start: T touches at most ⌈T/W⌉ + 1 of them, each admits N;
 * - a sliding window: N in each of the ⌊T/W⌋ + 1 windows that start within T;
 * - a bucket of B, filled at N/W: B + TN/W;
 * - any: the bound of fixed windows, which is the widest (it covers a bucket of up to N).
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
 * The least number of these requests that is admitted by any algorithm in any state.
 *
 * Every algorithm admits N in W + N·gap seconds, with requests at most `gap` apart: after W seconds it has forgotten
 * all earlier requests, and N requests come in N gaps; each token of a bucket, however small, is taken at most one gap
 * after it was added. So the bound is N for each such stretch, laid end to end. If requests came too rarely (N gaps are
 * a window or more), that part is not counted, and the next stretch starts after it.
 */
export function leastAdmitted({ requests, windowSeconds }: RequestLimit, spans: readonly Span[]): number {
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  let stretches = 0
  let [previous] = inOrder
  let from = previous?.end ?? 0
  let gap = 0
  for (const span of inOrder.slice(1)) {
    // The longest possible time without a request: each was counted at some time in its span.
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
 * The smallest error of a limiter, in requests per window, that a run of `seconds` always detects: with this error in
 * every complete window the sum exceeds `mostAdmitted`. Infinity if the run is shorter than a window.
 */
export function detectable(counting: Counting, seconds: number): number {
  const { requests, windowSeconds } = counting.limit
  const whole = Math.floor(seconds / windowSeconds + ROUNDING)
  if (whole === 0) return Number.POSITIVE_INFINITY
  const most = mostAdmitted(counting, seconds)
  return Math.max(1, Math.floor(most / whole - requests + ROUNDING) + 1)
}

/** A request was counted at some time between these, in seconds. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The time from the first start to the last end; 0 without spans. */
export function extent(spans: readonly Span[]): number {
  if (spans.length === 0) return 0
  const start = spans.reduce((least, span) => Math.min(least, span.start), Number.POSITIVE_INFINITY)
  const end = spans.reduce((most, span) => Math.max(most, span.end), Number.NEGATIVE_INFINITY)
  return end - start
}

/** The most requests that were certainly counted within `seconds`: their spans lie completely in it. */
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

/** The most requests that may have been counted within `seconds`: their spans overlap it. */
export function busiestPossible(spans: readonly Span[], seconds: number): number {
  const starts = spans.map(({ start }) => start).toSorted((a, b) => a - b)
  const ends = spans.map(({ end }) => end).toSorted((a, b) => a - b)
  let started = 0
  let most = 0
  // The count of a window from each end: requests that started before its end, without those that ended before its start.
  for (const [over, end] of ends.entries()) {
    while ((starts[started] ?? Number.POSITIVE_INFINITY) <= end + seconds) started += 1
    most = Math.max(most, started - over)
  }
  return most
}

/** The least certain time between two counted requests; infinite for fewer than two. */
export function leastApart(spans: readonly Span[]): number {
  let least = Number.POSITIVE_INFINITY
  let over = Number.NEGATIVE_INFINITY
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    least = Math.min(least, start - over)
    over = Math.max(over, end)
  }
  return least
}
