// How many requests any honest way of counting admits in some time: pure arithmetic, so that no limiter is blamed for
// when the judge asked.
import type { RequestLimit } from '../../../../../harness/target-facts.ts'

/** The window of a limit whose window is not known: the shortest that a service would state, in seconds. */
export const SHORTEST_WINDOW_SECONDS = 1

/**
 * The most that a limit of N requests in W seconds admits within T seconds, whenever these begin: N(2 + T/W), rounded
 * down. Each way of counting stays within it:
 *
 * - fixed windows: T seconds touch at most ⌊T/W⌋ + 2 of them;
 * - a sliding window: at most N for each W begun, so N(⌊T/W⌋ + 1); counted in two windows, one of them weighted, no
 *   more than fixed ones;
 * - a bucket of N, refilled at N/W (GCRA is one): N + TN/W.
 *
 * T is from before the first request was sent until after the last answer came: every request was counted in it.
 */
export function mostAdmitted({ requests, windowSeconds }: RequestLimit, seconds: number): number {
  return Math.floor(requests * (2 + seconds / windowSeconds))
}

/** The bound in words, with its numbers. */
export function boundInWords(limit: RequestLimit, seconds: number): string {
  const { requests, windowSeconds } = limit
  const elapsed = seconds.toFixed(2)
  return (
    `at most ${mostAdmitted(limit, seconds)} admitted in ${elapsed} s with a limit of ${requests} in ${windowSeconds} s ` +
    `(${requests} × (2 + ${elapsed} / ${windowSeconds}): two windows, and what is refilled meanwhile)`
  )
}
