// The figures that a load generator reports, and the right readings of each: what the calibrated service did, in the definitions
// of docs/loadtest.md and in others that a generator may name as its own.
import type { STATISTICS } from '../latency/latency-figures.ts'
import type { servedTimes } from './served-truth.ts'

export type Statistic = (typeof STATISTICS)[number]

/** The members of a report that are one number: counts, rates in each second, and the requests in flight. */
export const NUMBERS = [
  'requests',
  'completed',
  'failed',
  'tokens',
  'tokensPerSecond',
  'requestsPerSecond',
  'concurrency',
] as const

type ServedTimes = ReturnType<typeof servedTimes>[number]

/** The right readings of each time, the first of which is meant if a generator names none. Samples are in milliseconds. */
export const TIMES = {
  ttft: {
    output: ({ ttftMs }) => [ttftMs],
    content: ({ ttfvMs }) => [ttfvMs],
  },
  tpot: {
    'after-first': ({ tpotMs }) => [tpotMs],
    whole: ({ e2eMs, tokens }) => [e2eMs === undefined || !tokens ? undefined : e2eMs / tokens],
  },
  itl: {
    event: ({ itlMs }) => itlMs,
    token: ({ tpotMs }) => [tpotMs],
  },
  e2e: {
    output: ({ e2eMs }) => [e2eMs],
    end: ({ endMs }) => [endMs],
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<string, (times: ServedTimes) => readonly (number | undefined)[]>>>
>

export type TimeFigure = keyof typeof TIMES
export type Figure = (typeof NUMBERS)[number] | TimeFigure

export const FIGURES: readonly Figure[] = [...NUMBERS, ...(Object.keys(TIMES) as TimeFigure[])]

export const isTime = (figure: Figure): figure is TimeFigure => Object.hasOwn(TIMES, figure)

/** The names of the readings of a figure. */
export const readingsOf = (figure: Figure): readonly string[] =>
  isTime(figure) ? Object.keys(TIMES[figure]) : []

/** A figure of a report: its values by their statistics (a number has `mean` alone), and the reading that its generator names. */
export interface ReportedFigure {
  readonly reading: string | undefined
  readonly values: Readonly<Partial<Record<Statistic, number>>>
}

export type ReportedFigures = Readonly<Partial<Record<Figure, ReportedFigure>>>
