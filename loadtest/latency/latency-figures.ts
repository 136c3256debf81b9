// The figures of a measurement, from the records alone. Percentiles are nearest-rank over all samples (the smallest value
// that at least that share of the samples does not exceed), never averaged between processes or windows.
import type { StreamRecord } from '../generator/stream-record.ts'
import { nearestRank } from '../theory/statistics.ts'

export const STATISTICS = ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const

/** The statistics of a set of samples, in the unit of the samples. */
export type Summary = Readonly<Record<(typeof STATISTICS)[number], number>>

/** The limits of a good request, in milliseconds. */
export interface Slo {
  readonly ttft?: number
  readonly tpot?: number
  readonly e2e?: number
}

export type Latency = ReturnType<typeof latencyOf>

/** The statistics of the values; null without values. */
export function summarize(values: readonly number[]): Summary | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).toSorted()
  const rank = (part: number): number => nearestRank(sorted, part)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    mean: round(mean),
    p50: rank(0.5),
    p90: rank(0.9),
    p95: rank(0.95),
    p99: rank(0.99),
    max: rank(1),
  }
}

export const isCompleted = ({ failure }: StreamRecord): boolean => failure === undefined

export type StreamTimes = ReturnType<typeof timesOf>

/** The times of a stream by the definitions of docs/loadtest.md; undefined if it does not have them. */
export function timesOf({ outputMs, ttfvMs, completionTokens }: StreamRecord) {
  const [ttftMs, e2eMs] = [outputMs[0], outputMs.at(-1)]
  const hasTokens = completionTokens !== undefined && completionTokens > 1
  return {
    ttftMs,
    ttfvMs,
    itlMs: outputMs.slice(1).map((ms, index) => round(ms - (outputMs[index] ?? 0))),
    tpotMs:
      hasTokens && ttftMs !== undefined && e2eMs !== undefined
        ? round((e2eMs - ttftMs) / (completionTokens - 1))
        : undefined,
    e2eMs,
  }
}

/** A stream that completed and meets every objective. A missing time per token meets its objective, others do not. */
export function isGood(stream: StreamRecord, slo: Slo): boolean {
  if (!isCompleted(stream)) return false
  const { ttftMs = Infinity, tpotMs = 0, e2eMs = Infinity } = timesOf(stream)
  const { ttft = Infinity, tpot = Infinity, e2e = Infinity } = slo
  return ttftMs <= ttft && tpotMs <= tpot && e2eMs <= e2e
}

/** The latencies of the completed streams; `dispatchMs` covers all streams. */
export function latencyOf(streams: readonly StreamRecord[]) {
  return {
    ...summarizeTimes(streams.filter(isCompleted).map(timesOf)),
    dispatchMs: summarize(streams.map(({ dispatchMs }) => dispatchMs)),
  }
}

export function summarizeTimes(times: readonly StreamTimes[]) {
  const known = (read: (one: StreamTimes) => number | undefined): Summary | null =>
    summarize(times.map(read).filter((value) => value !== undefined))
  return {
    ttftMs: known(({ ttftMs }) => ttftMs),
    ttfvMs: known(({ ttfvMs }) => ttfvMs),
    itlMs: summarize(times.flatMap(({ itlMs }) => itlMs)),
    tpotMs: known(({ tpotMs }) => tpotMs),
    e2eMs: known(({ e2eMs }) => e2eMs),
  }
}

export function throughputOf(streams: readonly StreamRecord[]) {
  const completed = streams.filter(isCompleted)
  const counted = completed.flatMap(({ completionTokens: tokens, outputMs }) =>
    tokens === undefined || outputMs.length === 0 ? [] : [{ tokens, outputMs }],
  )
  const seconds = secondsOf(streams)
  const tokens = counted.reduce((sum, one) => sum + one.tokens, 0)
  const known = (name: 'promptTokens' | 'completionTokens' | 'cachedTokens'): Summary | null =>
    summarize(completed.map((one) => one[name]).filter((value) => value !== undefined))
  return {
    /** Tokens of completed streams, by their usage, in each second from the first planned time to the last output. */
    outputTokensPerSecond: counted.length === 0 || seconds === 0 ? null : round(tokens / seconds),
    tokensPerSecondOfRequest: summarize(
      counted.map(({ tokens, outputMs }) => round(tokens / ((outputMs.at(-1) ?? 0) / 1000))),
    ),
    tokensPerEvent: summarize(counted.map(({ tokens, outputMs }) => round(tokens / outputMs.length))),
    promptTokens: known('promptTokens'),
    completionTokens: known('completionTokens'),
    cachedTokens: known('cachedTokens'),
  }
}

/** The time from the first planned time to the last output of a stream, in seconds. */
export function secondsOf(streams: readonly StreamRecord[]): number {
  const [first] = streams
  if (first === undefined) return 0
  const last = streams.reduce(
    (latest, { plannedAt, outputMs }) => Math.max(latest, plannedAt + (outputMs.at(-1) ?? 0)),
    first.plannedAt,
  )
  return (last - first.plannedAt) / 1000
}

/** Rounds milliseconds to the microsecond. */
const round = (value: number): number => Math.round(value * 1000) / 1000
