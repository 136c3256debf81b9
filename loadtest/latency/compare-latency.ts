// Compares two measurements. Each difference has an interval from a bootstrap over requests: the requests of each run are
// drawn again with replacement, and the figure is computed from the draw. A difference is larger than the noise if the
// interval excludes 0. A gap belongs to its request, so the gaps of one stream are drawn together.
import { bounds } from '../../harness/bounds/bounds.ts'
import { readGivenJson } from '../../harness/bounds/read-file.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { at, listAt } from '../../harness/json-value.ts'
import { type StreamTimes, isCompleted, timesOf } from './latency-figures.ts'
import { randomOf } from '../generator/stream-plan.ts'
import type { LatencyVerdict } from './latency-verdict.ts'

/** Draws of the bootstrap, and the share of them that an interval covers. */
const DRAWS = 1_000
const COVERAGE = 0.95

/** The most samples times draws of one figure; with more samples there are fewer draws, at least 200. */
const MOST_WORK = 100_000_000
const LEAST_DRAWS = 200

const SEED = 20_261_124

const PERCENTILES = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const

const FIGURES = [
  ['ttft', ({ ttftMs }: StreamTimes) => [ttftMs]],
  ['ttfv', ({ ttfvMs }: StreamTimes) => [ttfvMs]],
  ['itl', ({ itlMs }: StreamTimes) => itlMs],
  ['tpot', ({ tpotMs }: StreamTimes) => [tpotMs]],
  ['e2e', ({ e2eMs }: StreamTimes) => [e2eMs]],
] as const

/** Two runs in one figure. Milliseconds, but a share from 0 to 1 for `goodput`. */
export interface Difference {
  readonly figure: (typeof FIGURES)[number][0] | 'goodput'
  readonly statistic: string
  readonly a: number
  readonly b: number
  /** `b` − `a`, and its interval. */
  readonly difference: number
  readonly interval: readonly [least: number, most: number]
  /** The interval excludes 0. */
  readonly isLarger: boolean
}

/** Less latency and more goodput are better. */
export function meaningOf({ figure, difference, isLarger }: Difference): 'better' | 'worse' | 'noise' {
  return !isLarger ? 'noise' : (figure === 'goodput') === difference > 0 ? 'better' : 'worse'
}

/** Reads the JSON of `latency`. Throws `UsageError`. */
export function readLatency(file: string): LatencyVerdict {
  const value = readGivenJson(`compare: ${file} cannot be read`, file, bounds().reportBytes)
  if (at(value, 'schema') !== 'touchstone.latency/1' || listAt(value, 'requests').length === 0)
    throw new UsageError(`compare: ${file} is not the JSON of a latency run`)
  return value as LatencyVerdict
}

/** Compares all figures that both runs have. */
export function compareLatency(a: LatencyVerdict, b: LatencyVerdict): readonly Difference[] {
  const differences = FIGURES.flatMap(([figure, read], index) => {
    const [one, other] = [a, b].map(({ requests }) =>
      samplesOf(requests.filter(isCompleted).map((stream) => read(timesOf(stream)))),
    )
    if (one === undefined || other === undefined || one.values.length === 0 || other.values.length === 0)
      return []
    return compareSamples(figure, one, other, index)
  })
  const good = [a, b].map(({ requests, goodput }) => ({ goodput, count: requests.length }))
  const [one, other] = good
  if (one === undefined || other === undefined) return differences
  const spread = 1.96 * Math.sqrt(variance(one) + variance(other))
  const difference = other.goodput - one.goodput
  const interval = [difference - spread, difference + spread] as const
  return [...differences, describe('goodput', 'share', one.goodput, other.goodput, interval)]
}

/** The variance of a share, with one success and one failure added (Agresti and Caffo), so that it is never 0. */
function variance({ goodput, count }: { readonly goodput: number; readonly count: number }): number {
  const share = (goodput * count + 1) / (count + 2)
  return (share * (1 - share)) / (count + 2)
}

type Samples = ReturnType<typeof samplesOf>

function samplesOf(ofRequests: readonly (readonly (number | undefined)[])[]) {
  const all = ofRequests
    .flatMap((values, owner) => values.flatMap((value) => (value === undefined ? [] : [{ value, owner }])))
    .toSorted((one, other) => one.value - other.value)
  return {
    /** The values in ascending order, and the request of each. */
    values: all.map(({ value }) => value),
    owners: all.map(({ owner }) => owner),
    requests: ofRequests.length,
  }
}

function compareSamples(
  figure: Difference['figure'],
  a: Samples,
  b: Samples,
  index: number,
): readonly Difference[] {
  const work = Math.max(a.values.length, b.values.length)
  const draws = Math.max(LEAST_DRAWS, Math.min(DRAWS, Math.floor(MOST_WORK / work)))
  const random = randomOf(SEED, index, 0)
  const drawn = Array.from({ length: draws }, () => [
    statistics(a, draw(a, random)),
    statistics(b, draw(b, random)),
  ])
  const [ofA, ofB] = [statistics(a, ones(a)), statistics(b, ones(b))]
  const names = ['mean', ...PERCENTILES.map(([name]) => name)]
  return names.map((name, place) => {
    const sorted = drawn
      .map(([one, other]) => (other?.[place] ?? Number.NaN) - (one?.[place] ?? Number.NaN))
      .toSorted((one, other) => one - other)
    const edge = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN
    const interval = [edge((1 - COVERAGE) / 2), edge((1 + COVERAGE) / 2)] as const
    return describe(figure, name, ofA[place] ?? Number.NaN, ofB[place] ?? Number.NaN, interval)
  })
}

function describe(
  figure: Difference['figure'],
  statistic: string,
  a: number,
  b: number,
  interval: readonly [least: number, most: number],
): Difference {
  const isLarger = interval[0] > 0 || interval[1] < 0
  return { figure, statistic, a, b, difference: b - a, interval, isLarger }
}

const ones = ({ requests }: Samples): Uint32Array => new Uint32Array(requests).fill(1)

/** The number of times that each request is in the draw. */
function draw({ requests }: Samples, random: () => number): Uint32Array {
  const times = new Uint32Array(requests)
  for (let count = 0; count < requests; count++) {
    const chosen = Math.floor(random() * requests)
    times[chosen] = (times[chosen] ?? 0) + 1
  }
  return times
}

/** The mean and the percentiles of a draw, without sorting again: the values are in order, each with a weight. */
function statistics({ values, owners }: Samples, times: Uint32Array): readonly number[] {
  let weight = 0
  let sum = 0
  for (const [index, owner] of owners.entries()) {
    const own = times[owner] ?? 0
    weight += own
    sum += own * (values[index] ?? 0)
  }
  if (weight === 0) return [Number.NaN]
  const ranks = PERCENTILES.map(([, part]) => Math.ceil(part * weight))
  const found: number[] = []
  let before = 0
  for (const [index, owner] of owners.entries()) {
    before += times[owner] ?? 0
    while (found.length < ranks.length && before >= (ranks[found.length] ?? 0)) found.push(values[index] ?? 0)
    if (found.length === ranks.length) break
  }
  return [sum / weight, ...found]
}
