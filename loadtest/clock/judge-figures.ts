// Compares the figures that a load generator reports with what the calibrated service really did. A count is exact. A time may be
// too high because a busy machine delays what a generator sees, but never too low.
import { summarize } from '../latency/latency-figures.ts'
import {
  type Figure,
  type ReportedFigure,
  type Statistic,
  TIMES,
  isTime,
  readingsOf,
} from './reported-figures.ts'
import { inFlight } from './in-flight.ts'
import { type ServedStream, isWhole, servedTimes } from './served-truth.ts'

/** The milliseconds by which a time may be too low: the rounding of reports. */
const EARLY_MS = 2

/** The tokens by which the rounded mean of the requests is off in all. */
const ROUNDING_TOKENS = 0.5

/** The least tolerance of a time per token, in milliseconds. */
const LEAST_MS = 1

/** A percentile from here on shows late wake-ups of the machine if fewer streams are above it. */
const TAIL = 0.9
const LEAST_ABOVE = 5

export interface Tolerance {
  /** How much too high a time may be, beside the delays of the service itself. */
  readonly ms: number
  /** How much a rate or the concurrency may be off. */
  readonly percent: number
}

export type Found = 'true' | 'off' | 'not reported' | 'not judged'

/** An order of the command, which its generator follows or not. */
export type Claim = 'requests sent' | 'concurrency kept'

/**
 * One value beside the truth. `off`: the distance from the nearest bound, and 0 within them. `isTail`: it is too high, but only
 * few streams are above it, which late wake-ups of the machine explain: it is not judged.
 */
export interface Comparison {
  readonly statistic: Statistic
  readonly reported: number
  readonly least: number
  readonly most: number
  readonly off: number
  readonly isTail: boolean
}

export interface FigureVerdict {
  readonly script: string
  /** A figure of the report, or a claim of the command. */
  readonly figure: Figure | Claim
  readonly found: Found
  /** The reading of a time that the report uses. */
  readonly reading: string | null
  readonly values: readonly Comparison[]
  /** The reason of an outcome that the values do not show. */
  readonly why: string | null
  /** True if a busy machine may explain it. */
  readonly isLate: boolean
}

interface Judged {
  readonly script: string
  readonly figure: Figure
  readonly reported: ReportedFigure | undefined
  readonly served: readonly ServedStream[]
  readonly tolerance: Tolerance
}

type Bounds = readonly [least: number, most: number]

export function judgeFigure(judged: Judged): FigureVerdict {
  const { script, figure, reported } = judged
  const named = reported?.reading ?? readingsOf(figure)[0] ?? null
  const verdict = { script, figure, reading: named, values: [], why: null, isLate: false }
  if (reported === undefined || Object.keys(reported.values).length === 0)
    return { ...verdict, reading: null, found: 'not reported' }
  const compared = (reading: string | null) => compare(judged, reported, reading)
  const values = compared(named)
  if (values === undefined) return { ...verdict, found: 'not judged', why: 'the service has no such sample' }
  if (values.every(({ isTail }) => isTail))
    return { ...verdict, values, found: 'not judged', why: `fewer than ${LEAST_ABOVE} streams are above it` }
  const off = values.filter((one) => one.off !== 0 && !one.isTail)
  if (off.length === 0) return { ...verdict, values, found: 'true' }
  const isLate = off.every((one) => (isTime(figure) ? one.off > 0 : isRate(figure) && one.off < 0))
  const centre =
    off.find(({ statistic }) => statistic === 'p50') ?? off.find(({ statistic }) => statistic === 'mean')
  const other = readingsOf(figure).find(
    (reading) =>
      reading !== named &&
      compared(reading)?.some((one) => one.statistic === centre?.statistic && one.off === 0),
  )
  const why = other === undefined ? null : `it is the reading '${other}', which it does not name`
  return { ...verdict, values, found: 'off', why, isLate }
}

const isRate = (figure: Figure): boolean => figure === 'tokensPerSecond' || figure === 'requestsPerSecond'

/** Each reported value with its bounds; undefined without a sample. */
function compare(
  { figure, served, tolerance }: Judged,
  { values }: ReportedFigure,
  reading: string | null,
): readonly Comparison[] | undefined {
  const samples = isTime(figure) ? samplesOf(served, figure, reading) : []
  if (isTime(figure) && samples.length === 0) return undefined
  // One late wake-up delays gaps of several streams, so that streams are counted.
  const streams = servedTimes(served).length
  const entries = Object.entries(values) as (readonly [Statistic, number])[]
  return entries.map(([statistic, reported]) => {
    const [least, most] = isTime(figure)
      ? timeBounds(samples, statistic, toleranceOf({ figure, reading, served, tolerance, statistic }))
      : numberBounds(figure, served, tolerance)
    const beyond = reported < least ? reported - least : reported > most ? reported - most : 0
    const off = figure === 'tokens' && Math.abs(beyond) <= ROUNDING_TOKENS ? 0 : beyond
    const isTail = off > 0 && rankOf(statistic) >= TAIL && (1 - rankOf(statistic)) * streams < LEAST_ABOVE
    return { statistic, reported, least, most, off, isTail }
  })
}

function samplesOf(served: readonly ServedStream[], figure: keyof typeof TIMES, reading: string | null) {
  const readings: Readonly<
    Record<string, (times: ReturnType<typeof servedTimes>[number]) => readonly (number | undefined)[]>
  > = TIMES[figure]
  const read = readings[reading ?? '']
  return servedTimes(served)
    .flatMap((times) => read?.(times) ?? [])
    .filter((value) => value !== undefined)
    .toSorted((one, other) => one - other)
}

/** How much too low and too high a statistic may be, in milliseconds. */
function toleranceOf({
  figure,
  reading,
  served,
  tolerance,
  statistic,
}: Omit<Judged, 'script' | 'reported'> & { reading: string | null; statistic: Statistic }): Bounds {
  const late = summarize(served.flatMap(({ steps }) => steps.map(({ lateMs }) => lateMs)))
  const ms = tolerance.ms + 2 * (late === null ? 0 : late.p50)
  // Some generators count from the request, and others from the connection.
  const openMs = Math.max(...served.map((one) => one.openMs))
  if (figure === 'ttft' || figure === 'e2e') return [EARLY_MS + openMs, ms]
  // A delay of one event lengthens one gap and shortens the next one.
  if (figure === 'itl' && reading === 'event' && statistic !== 'mean') return [ms, ms]
  const counts = servedTimes(served).map(({ tokens, outputMs }) =>
    figure === 'itl' && reading === 'event' ? outputMs.length : (tokens ?? 0),
  )
  const perToken = Math.max(LEAST_MS, (2 * ms) / Math.max(1, Math.min(...counts) - 1))
  return [perToken, perToken]
}

/** A percentile lies between the two samples that its definitions choose: nearest rank, or interpolation. */
function timeBounds(samples: readonly number[], statistic: Statistic, [early, late]: Bounds): Bounds {
  if (statistic === 'mean') {
    const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length
    return [mean - early, mean + late]
  }
  const rank = rankOf(statistic) * samples.length
  const lower = samples[Math.max(0, Math.min(Math.ceil(rank) - 1, Math.floor(rank - rankOf(statistic))))] ?? 0
  const upper = samples[Math.min(samples.length - 1, Math.floor(rank))] ?? 0
  return [lower - early, upper + late]
}

/** The share of the samples up to a percentile; 0 for the mean. */
const rankOf = (statistic: Statistic): number =>
  statistic === 'mean' ? 0 : statistic === 'max' ? 1 : Number(statistic.slice(1)) / 100

function numberBounds(figure: Figure, served: readonly ServedStream[], { percent }: Tolerance): Bounds {
  const completed = served.filter(isWhole).length
  const tokens = servedTimes(served).reduce((sum, one) => sum + (one.tokens ?? 0), 0)
  const { seconds, most, mean, plateau } = inFlight(served)
  const near = (least: number, most = least): Bounds => [
    least * (1 - percent / 100),
    most * (1 + percent / 100),
  ]
  switch (figure) {
    case 'requests':
      return [served.length, served.length]
    case 'completed':
      return [completed, completed]
    case 'failed':
      return [served.length - completed, served.length - completed]
    case 'tokensPerSecond':
      return near(tokens / seconds)
    case 'requestsPerSecond':
      return near(completed / seconds)
    case 'concurrency':
      return near(Math.min(mean, plateau), most)
    default:
      return [tokens, tokens]
  }
}
