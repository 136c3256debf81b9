// Quantiles and intervals of samples, as pure arithmetic.

/** Bounds of a statistic. */
export type Interval = readonly [least: number, most: number]

/** The nearest-rank quantile `part` of values in ascending order, from 0 to 1; NaN without values. */
export function nearestRank(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

/** The nearest-rank quantile of values in any order. */
export function quantile(values: readonly number[], part: number): number {
  return nearestRank(ascending(values), part)
}

/** The middle one of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? NaN) + (sorted[Math.floor(half)] ?? NaN)) / 2
}

/** The share of intervals that contain the median of the distribution. */
const COVERAGE = 0.95

/**
 * The interval of a median from the order of the values, which needs no assumption about their distribution: the median is
 * below the k-th smallest value with the probability that at most k − 1 of `values.length` tosses of a coin fall on one
 * side. Undefined for fewer than six values.
 */
export function medianInterval(values: readonly number[]): Interval | undefined {
  const sorted = ascending(values)
  const count = sorted.length
  let outside = 2 * 0.5 ** count
  let ways = 1
  let skipped = 0
  while (outside <= 1 - COVERAGE) {
    skipped += 1
    ways *= (count - skipped + 1) / skipped
    outside += 2 * ways * 0.5 ** count
  }
  const [least, most] = [sorted[skipped - 1], sorted[count - skipped]]
  return least === undefined || most === undefined ? undefined : [least, most]
}

function ascending(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b)
}
