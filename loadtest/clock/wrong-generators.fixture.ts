// Generators that are wrong on purpose, each in one way that a real one was. Each is the generator of this project with one
// of its parts replaced.
import { DONE, createEventStreamParser } from '../../spec/protocol/sse.ts'
import { at, parseJson } from '../../harness/json-value.ts'
import {
  type Latency,
  type StreamTimes,
  type Summary,
  isCompleted,
  latencyOf,
  summarize,
  timesOf,
} from '../latency/latency-figures.ts'
import { type AnswerReader, createAnswerReader } from '../generator/read-stream.ts'
import type { StreamRecord } from '../generator/stream-record.ts'

export interface WrongGenerator {
  /** The script that exposes it. */
  readonly script: string
  /** The beginning of a difference that it must show there. */
  readonly shows: string
  readonly createReader?: (status: number) => AnswerReader
  /** Which streams it takes for completed. */
  readonly completed?: (stream: StreamRecord) => boolean
  /** The times that it takes from a stream. */
  readonly times?: (stream: StreamRecord) => StreamTimes
  /** Its statistics. */
  readonly latency?: (streams: readonly StreamRecord[]) => Latency
  /** It sends the next request when the one before has ended, and counts from that time. */
  readonly isSerial?: true
}

const STREAMS_IN_TIME = 5
const LATER_MS = 20

/** The right reader, with other times of output: as many as `count` finds in each piece of bytes. */
function withTimes(status: number, count: (bytes: Uint8Array) => number): AnswerReader {
  const right = createAnswerReader(status)
  const outputMs: number[] = []
  return {
    chunk(bytes, nowMs) {
      right.chunk(bytes, nowMs)
      outputMs.push(...Array<number>(count(bytes)).fill(nowMs))
    },
    end: () => ({ ...right.end(), outputMs }),
  }
}

/** The times of output are those of the events that this test picks. */
function countEvents(isOutput: (delta: unknown, data: string) => boolean) {
  return (status: number): AnswerReader => {
    const parser = createEventStreamParser()
    return withTimes(status, (bytes) => {
      const events = parser.push(Buffer.from(bytes).toString())
      return events.filter(({ data }) => isOutput(at(parseJson(data), 'choices', 0, 'delta'), data)).length
    })
  }
}

const countPieces = (status: number): AnswerReader => withTimes(status, () => 1)

/** The first streams are read at their time, all others later. */
function readLater(): (status: number) => AnswerReader {
  let readers = 0
  return (status) => {
    const right = createAnswerReader(status)
    // A request makes one reader before its answer, and one for it.
    const laterMs = (readers += 1) > 2 * STREAMS_IN_TIME ? LATER_MS : 0
    return { chunk: (bytes, nowMs) => right.chunk(bytes, nowMs + laterMs), end: right.end }
  }
}

const isAny = (delta: unknown): boolean => delta !== undefined
const hasContent = (delta: unknown): boolean => (at(delta, 'content') ?? '') !== ''

export const WRONG_GENERATORS: Readonly<Record<string, WrongGenerator>> = {
  'takes the role chunk for the first token': {
    script: 'role-early',
    shows: 'ttftMs',
    createReader: countEvents((delta) => at(delta, 'content') !== undefined),
  },
  'takes an empty chunk for the first token': {
    script: 'empty-early',
    shows: 'ttftMs',
    createReader: countEvents(isAny),
  },
  'takes the first bytes for the first token': {
    script: 'comment-early',
    shows: 'ttftMs',
    createReader: countPieces,
  },
  'takes reads of the socket for events': { script: 'coalesced', shows: 'itlMs', createReader: countPieces },
  'ignores reasoning': { script: 'reasoning', shows: 'output 1', createReader: countEvents(hasContent) },
  'takes [DONE] for the last token': {
    script: 'done-late',
    shows: 'itlMs',
    createReader: countEvents((delta, data) => hasContent(delta) || data === DONE),
  },
  'takes the usage for the last token': {
    script: 'usage-late',
    shows: 'itlMs',
    createReader: countEvents((delta, data) => hasContent(delta) || /"usage":\{/.test(data)),
  },
  'counts a stream with an error as completed, with a first token at 0': {
    script: 'error-first',
    shows: 'completed',
    completed: () => true,
    times: (stream) => timesOf(isCompleted(stream) ? stream : { ...stream, outputMs: [0] }),
  },
  'counts a stream that ends early as completed': {
    script: 'cut',
    shows: 'completed',
    completed: () => true,
  },
  'counts events as tokens': {
    script: 'tokens-per-event',
    shows: 'tpotMs',
    times: (stream) => timesOf({ ...stream, completionTokens: stream.outputMs.length }),
  },
  'averages the percentiles of two processes': {
    script: 'heavy-tail',
    shows: 'ttftMs',
    latency: (streams) => {
      const [even, odd] = [0, 1].map((part) =>
        latencyOf(streams.filter((one) => one.conversation % 2 === part)),
      )
      const right = latencyOf(streams)
      return even === undefined || odd === undefined
        ? right
        : { ...right, ttftMs: averageOf(even.ttftMs, odd.ttftMs) }
    },
  },
  'averages the gaps of each stream': {
    script: 'stall',
    shows: 'itlMs',
    times: (stream) => {
      const times = timesOf(stream)
      return { ...times, itlMs: [summarize(times.itlMs)?.mean ?? 0] }
    },
  },
  'falls behind after its first streams': { script: 'even', shows: 'delay', createReader: readLater() },
  'leaves out the time in its own queue': { script: 'even', shows: 'sending', isSerial: true },
}

function averageOf(one: Summary | null, other: Summary | null): Summary | null {
  if (one === null || other === null) return null
  const names = Object.keys(one) as (keyof Summary)[]
  return Object.fromEntries(names.map((name) => [name, (one[name] + other[name]) / 2])) as unknown as Summary
}
