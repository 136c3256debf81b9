// The actions of the calibrated service by its own monotonic clock, in the figures of a measurement. It is computed
// from the written steps, not from bytes, so that it shares no parser with a generator.
import { summarizeTimes } from '../latency/latency-figures.ts'
import type { StepKind } from './script-steps.ts'

export interface ServedStep {
  readonly kind: StepKind
  readonly also: StepKind | undefined
  readonly atMs: number
  /** The time after that of the script, in milliseconds: the delay that this machine caused the service. */
  readonly lateMs: number
  readonly tokens: number
}

/** One request: when the last byte of each step was written, in milliseconds after the request had arrived. */
export interface ServedStream {
  readonly script: string
  /** The time of the request, in milliseconds of the service's clock. */
  readonly arrivedMs: number
  /** The part of its times in which the connection was open without the request, in milliseconds. */
  readonly openMs: number
  /** The time of its end by the same clock: the last byte was written, or the client hung up. */
  readonly endedMs: number
  readonly status: number
  readonly steps: readonly ServedStep[]
}

export type Truth = ReturnType<typeof truthOf>

const OUTPUT: ReadonlySet<StepKind> = new Set(['content', 'reasoning', 'call'])

/** The truth of each script, in the order of its first request. */
export function truthsOf(streams: readonly ServedStream[]): readonly Truth[] {
  return Array.from(
    Map.groupBy(streams, ({ script }) => script),
    ([script, own]) => truthOf(script, own),
  )
}

/** The truth about the streams of one script. */
export function truthOf(script: string, streams: readonly ServedStream[]) {
  const completed = streams.filter(isWhole)
  const arrivals = streams.map(({ arrivedMs }) => arrivedMs)
  const output = completed.flatMap(outputOf)
  return {
    script,
    offered: streams.length,
    completed: completed.length,
    failed: streams.length - completed.length,
    latency: summarizeTimes(servedTimes(streams)),
    tokens: output.reduce((sum, { tokens }) => sum + tokens, 0),
    events: output.length,
    /** The time from the first request to the last. A generator that queues requests stretches it. */
    arrivalSeconds: (Math.max(...arrivals) - Math.min(...arrivals)) / 1000,
  }
}

/** The times of each completed stream, with those of all its output. */
export function servedTimes(streams: readonly ServedStream[]) {
  return streams.filter(isWhole).map((stream) => {
    const output = outputOf(stream)
    const [ttftMs, e2eMs] = [output[0]?.atMs, output.at(-1)?.atMs]
    const tokens = has(stream.steps, 'usage') ? output.reduce((sum, one) => sum + one.tokens, 0) : undefined
    return {
      ttftMs,
      ttfvMs: output.find(({ kind }) => kind === 'content')?.atMs,
      itlMs: output.slice(1).map(({ atMs }, at) => atMs - (output[at]?.atMs ?? 0)),
      tpotMs:
        ttftMs !== undefined && e2eMs !== undefined && tokens !== undefined && tokens > 1
          ? (e2eMs - ttftMs) / (tokens - 1)
          : undefined,
      e2eMs,
      /** The last event, for example `[DONE]`. */
      endMs: stream.steps.at(-1)?.atMs,
      tokens,
      outputMs: output.map(({ atMs }) => atMs),
    }
  })
}

function outputOf({ steps }: ServedStream): readonly ServedStep[] {
  return steps.filter(({ kind }) => OUTPUT.has(kind))
}

/** A 200 with a finish reason and `[DONE]`, and without an error. */
export function isWhole({ status, steps }: ServedStream): boolean {
  return status === 200 && has(steps, 'finish') && has(steps, 'done') && !has(steps, 'error')
}

function has(steps: readonly ServedStep[], wanted: StepKind): boolean {
  return steps.some(({ kind, also }) => kind === wanted || also === wanted)
}
