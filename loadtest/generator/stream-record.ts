// The output of a generator: one line of JSON for each request, and a last one about itself.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The reason why a stream failed. `stopped` is not a fault of the service: the measurement ended before the stream. */
export type Failure = 'connection' | 'timeout' | 'status' | 'error-record' | 'malformed' | 'cut' | 'stopped'

/**
 * One request. All times are milliseconds since the time at which it was planned, by the monotonic clock of its generator.
 */
export interface StreamRecord {
  readonly type: 'stream'
  /** The number of the conversation, and of the request in it, from 1. */
  readonly conversation: number
  readonly turn: number
  /** The planned time, in milliseconds of Unix time. */
  readonly plannedAt: number
  readonly dispatchMs: number
  /** 0 without an answer. */
  readonly status: number
  /** Absent if the stream completed. */
  readonly failure?: Failure | undefined
  /** The beginning of the service's message about it, or of the error. */
  readonly detail?: string | undefined
  /** The times of events with content, reasoning or a tool call; never the role alone. */
  readonly outputMs: readonly number[]
  /** The first event with visible content; absent if there is none. */
  readonly ttfvMs?: number | undefined
  /** The end of the answer or of the attempt. */
  readonly endMs: number
  readonly promptTokens?: number | undefined
  readonly completionTokens?: number | undefined
  readonly cachedTokens?: number | undefined
}

/** The last line of a generator. A file without it is cut. */
export interface GeneratorRecord {
  readonly type: 'generator'
  readonly segment: number
  readonly segments: number
  /** The start of its plan, in milliseconds of Unix time. */
  readonly startedAt: number
  /** The share of the time in which its event loop was busy, from 0 to 1. */
  readonly utilization: number
  /** Conversations that it has begun, of those that it had to begin; equal in the closed model. */
  readonly begun: number
  readonly planned: number
  /** It stopped early because the service was over-saturated. */
  readonly saturated: boolean
}

/** The number of streams in flight, some times in each second. */
export interface ProgressRecord {
  readonly type: 'progress'
  readonly segment: number
  readonly inFlight: number
}

export type GeneratorLine = { readonly type: 'ready' } | StreamRecord | GeneratorRecord | ProgressRecord

/** Everything that the generators of one run have recorded. */
export interface LatencyRecord {
  readonly streams: readonly StreamRecord[]
  readonly generators: readonly GeneratorRecord[]
}

/** Reads the lines of one generator. Throws `SyntaxError` for a line that is not JSON. */
export async function* readLines(input: Readable): AsyncGenerator<GeneratorLine> {
  for await (const line of createInterface({ input, crlfDelay: Infinity }))
    if (line !== '') yield JSON.parse(line) as GeneratorLine
}

/** The records of several generators as one, in the order of the planned times. */
export function combine(lines: Iterable<GeneratorLine>): LatencyRecord {
  const streams: StreamRecord[] = []
  const generators: GeneratorRecord[] = []
  for (const line of lines)
    if (line.type === 'stream') streams.push(line)
    else if (line.type === 'generator') generators.push(line)
  return { streams: streams.toSorted((one, other) => one.plannedAt - other.plannedAt), generators }
}
