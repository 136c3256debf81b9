// The verdict on a search for the highest rate that keeps the objectives, and on each of its windows.
import type { LatencyPlan } from '../generator/stream-plan.ts'
import type { LatencyRecord, StreamRecord } from '../generator/stream-record.ts'
import type { VerdictWord } from '../judges/load-verdict.ts'
import { type Slo, isGood } from './latency-figures.ts'
import { judgeLatency, percent } from './latency-verdict.ts'
import type { Search, Window } from './search-rate.ts'

export type BreakpointVerdict = ReturnType<typeof judgeSearch>

/** The settings of a search, which its verdict repeats. */
export interface SearchedService {
  readonly target: string
  readonly model: string
  readonly slo: Slo
  readonly sloShare: number
  readonly arrivals: 'poisson' | 'constant'
  readonly windowSeconds: number
  /** The seed of the first window. */
  readonly seed: number
  readonly cores: number
  /** The first rate, in requests per second. */
  readonly fromPerSecond: number
}

/**
 * The content of `--json`: `pass` if the first rate holds, `fail` if it does not, `invalid` if the generator could not offer
 * a load. Rates are requests in each second.
 */
export function judgeSearch({ fromPerSecond, ...searched }: SearchedService, search: Search) {
  const { target, model, slo, sloShare, arrivals, windowSeconds, seed, cores } = searched
  const { holds, breaks } = search
  const invalid = search.rates.flatMap((one) => one.invalid)
  const valid = invalid.length === 0 || holds !== null
  const isHeld = holds !== null && holds >= fromPerSecond
  const verdict: VerdictWord = !valid ? 'invalid' : isHeld ? 'pass' : 'fail'
  return {
    schema: 'touchstone.breakpoint/1' as const,
    scenario: 'breakpoint' as const,
    target,
    model,
    verdict,
    valid,
    invalid,
    slo,
    sloShare,
    arrivals,
    windowSeconds,
    seed,
    cores,
    notes: [sentence(holds, breaks, sloShare, invalid)],
    ...search,
  }
}

function sentence(
  holds: number | null,
  breaks: number | null,
  share: number,
  invalid: readonly string[],
): string {
  const demand = `${percent(share)} of the requests meet the objectives`
  if (holds === null)
    return breaks === null
      ? 'No rate was judged.'
      : `At ${breaks} requests a second or fewer, less than ${demand}.`
  if (breaks !== null)
    return `The highest rate at which ${demand} is from ${holds} to ${breaks} requests a second.`
  const why = invalid.length === 0 ? '' : ', the highest that this generator could offer'
  return `${demand} at ${holds} requests a second${why}.`
}

/** The result of one window. A request that the end of the window cut counts as bad if it was already late. */
export function windowOf(plan: LatencyPlan, record: LatencyRecord, slo: Slo, sloShare: number): Window {
  const saturated = record.generators.some((generator) => generator.saturated)
  const streams = record.streams.filter((stream) => stream.failure !== 'stopped' || isLate(stream, slo))
  const { invalid } = judgeLatency({ plan, record, slo, sloShare, cores: 1 })
  const good = streams.filter((stream) => isGood(stream, slo)).length
  // Too few requests do not end the search, because further windows of a low rate follow.
  const grave = saturated ? [] : invalid.filter((why) => !/requests ended/.test(why))
  return { offered: streams.length, good, saturated, invalid: grave }
}

function isLate({ outputMs, endMs }: StreamRecord, { ttft = Infinity, e2e = Infinity }: Slo): boolean {
  return endMs > e2e || (outputMs[0] ?? endMs) > ttft
}
