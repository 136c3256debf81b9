// The verdict on a measurement of streams, and its JSON. docs/loadtest.md has the definitions.
import type { VerdictWord } from '../judges/load-verdict.ts'
import { type Latency, type Slo, isCompleted, isGood, latencyOf, throughputOf } from './latency-figures.ts'
import type { LatencyPlan } from '../generator/stream-plan.ts'
import type { LatencyRecord, StreamRecord } from '../generator/stream-record.ts'
import { secondsOfRun } from './seconds-of-run.ts'

/** The least number of finished requests for a valid run. */
export const LEAST_SAMPLES = 10

/**
 * The bound of the generator's 99th percentile of lateness: milliseconds, or this share of the median time to the first
 * token if that is more.
 */
const MOST_DISPATCH_MS = 10
const MOST_DISPATCH_SHARE = 0.05

/** The share of the time in which the event loop of a generator may be busy. */
const MOST_UTILIZATION = 0.85

/** The share of the planned time by which the starts of the generators may differ: load is missing until the last start. */
const MOST_START_SHARE = 0.02

export type LatencyVerdict = ReturnType<typeof judgeLatency>

export interface LatencyRun {
  readonly plan: LatencyPlan
  readonly record: LatencyRecord
  readonly slo: Slo
  readonly sloShare: number
  readonly cores: number
}

/** The content of `--json`. Rates are per second, shares are from 0 to 1. */
export function judgeLatency({ plan, record, slo, sloShare, cores }: LatencyRun) {
  const { generators } = record
  // Streams that the measurement itself ended do not count.
  const streams = record.streams.filter(({ failure }) => failure !== 'stopped')
  const completed = streams.filter(isCompleted).length
  const good = streams.filter((stream) => isGood(stream, slo)).length
  const goodput = streams.length === 0 ? 0 : good / streams.length
  const latency = latencyOf(streams)
  const { outputTokensPerSecond, ...throughput } = throughputOf(streams)
  const utilization = Math.max(0, ...generators.map((generator) => generator.utilization))
  const invalid = whyInvalid(record, {
    streams: streams.length,
    latency,
    utilization,
    seconds: plan.seconds,
  })
  const valid = invalid.length === 0
  const verdict: VerdictWord = valid ? (goodput >= sloShare ? 'pass' : 'fail') : 'invalid'
  return {
    schema: 'touchstone.latency/1' as const,
    scenario: 'latency' as const,
    target: plan.baseUrl,
    model: plan.model,
    verdict,
    valid,
    /** The reasons why the run is not valid; empty for a valid one. */
    invalid,
    load: { ...plan.load, seconds: plan.seconds, seed: plan.seed, turns: plan.turns },
    /** The number of due requests; each completed or failed. */
    offered: streams.length,
    completed,
    failed: streams.length - completed,
    failures: failuresOf(streams),
    /** The share of the offered requests that completed and met every objective. */
    goodput,
    slo,
    /** The goodput that is demanded. */
    sloShare,
    latency,
    outputTokensPerSecond,
    throughput,
    /** The figures of each turn, if conversations have several. */
    turns: plan.turns === 1 ? [] : turnsOf(streams),
    seconds: secondsOfRun(streams),
    cores,
    processes: generators.length,
    /** The share of the time in which the busiest generator was busy. */
    utilization,
    notes: notesOn(streams, latency),
    /** Every request with its times, from which all figures follow. */
    requests: streams,
  }
}

/** `seconds`: the time in which conversations begin. */
function whyInvalid(
  { generators }: LatencyRecord,
  {
    streams,
    latency,
    utilization,
    seconds,
  }: { streams: number; latency: Latency; utilization: number; seconds: number },
): readonly string[] {
  const why: string[] = []
  const { dispatchMs, ttftMs } = latency
  if (streams < LEAST_SAMPLES) why.push(`${streams} requests ended, fewer than ${LEAST_SAMPLES}`)
  const most = Math.max(MOST_DISPATCH_MS, (ttftMs?.p50 ?? 0) * MOST_DISPATCH_SHARE)
  if (dispatchMs !== null && dispatchMs.p99 > most)
    why.push(
      `requests were sent too late: ${dispatchMs.p99.toFixed(1)} ms at p99, at most ${most.toFixed(1)} ms`,
    )
  if (utilization > MOST_UTILIZATION)
    why.push(
      `a generator was busy ${percent(utilization)} of the time, at most ${percent(MOST_UTILIZATION)}: add --processes`,
    )
  const segments = Math.max(1, ...generators.map((generator) => generator.segments))
  if (generators.length !== segments)
    why.push(`${generators.length} of ${segments} generators recorded their end`)
  const starts = generators.map(({ startedAt }) => startedAt)
  const apart = (Math.max(...starts) - Math.min(...starts)) / 1000
  if (apart > seconds * MOST_START_SHARE)
    why.push(
      `the generators started ${apart.toFixed(2)} s apart, at most ${seconds * MOST_START_SHARE} s: make the plan with --start-in`,
    )
  for (const { segment, begun, planned, saturated } of generators)
    if (begun < planned && !saturated)
      why.push(`generator ${segment} began ${begun} of ${planned} conversations`)
  return why
}

export const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`

function failuresOf(streams: readonly StreamRecord[]) {
  const failed = streams.filter((stream) => !isCompleted(stream))
  const kinds = Map.groupBy(failed, ({ failure, status }) =>
    failure === 'status' ? `status ${status}` : String(failure),
  )
  return Array.from(kinds, ([kind, own]) => ({
    /** `status 500`, `cut`, … */
    kind,
    count: own.length,
    /** The detail of the first one. */
    example: own[0]?.detail ?? '',
  })).toSorted((one, other) => other.count - one.count)
}

function turnsOf(streams: readonly StreamRecord[]) {
  const turns = Map.groupBy(streams, ({ turn }) => turn)
  return Array.from(turns, ([turn, own]) => {
    const { promptTokens, cachedTokens } = throughputOf(own)
    return {
      turn,
      offered: own.length,
      completed: own.filter(isCompleted).length,
      latency: latencyOf(own),
      promptTokens,
      cachedTokens,
    }
  }).toSorted((one, other) => one.turn - other.turn)
}

function notesOn(streams: readonly StreamRecord[], { ttftMs }: Latency): readonly string[] {
  const completed = streams.filter(isCompleted)
  const notes: string[] = []
  const uncounted = completed.filter(({ completionTokens }) => completionTokens === undefined).length
  if (uncounted > 0)
    notes.push(`${uncounted} streams had no usage: they are not in tpot and in the tokens per second.`)
  const empty = completed.filter(({ outputMs }) => outputMs.length === 0).length
  if (empty > 0) notes.push(`${empty} streams completed without any output: they have no latency.`)
  if (ttftMs !== null && completed.length < 100)
    notes.push(`With ${completed.length} streams, p99 is the slowest of them.`)
  return notes
}
