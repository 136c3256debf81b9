// Generators that are wrong on purpose, each in one way that a real one was. Each is the generator of this project with one
// of its parts replaced.
import { DONE, createEventStreamParser } from '../../spec/protocol/sse.ts'
import { at, parseJson } from '../../harness/json-value.ts'
import {
  type Latency,
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
  readonly createReader?: (status: number) => AnswerReader
  /** Which streams it takes for completed. */
  readonly completed?: (stream: StreamRecord) => boolean
  readonly latency?: (streams: readonly StreamRecord[]) => Latency
  /** It sends the next request when the one before has ended, and counts from that time. */
  readonly isSerial?: true
}

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

const isAny = (delta: unknown): boolean => delta !== undefined
const hasContent = (delta: unknown): boolean => (at(delta, 'content') ?? '') !== ''

export const WRONG_GENERATORS: Readonly<Record<string, WrongGenerator>> = {
  'takes the role chunk for the first token': {
    script: 'role-early',
    createReader: countEvents((delta) => at(delta, 'content') !== undefined),
  },
  'takes an empty chunk for the first token': { script: 'empty-early', createReader: countEvents(isAny) },
  'takes the first bytes for the first token': { script: 'comment-early', createReader: countPieces },
  'takes reads of the socket for events': { script: 'coalesced', createReader: countPieces },
  'ignores reasoning': { script: 'reasoning', createReader: countEvents(hasContent) },
  'takes [DONE] for the last token': {
    script: 'done-late',
    createReader: countEvents((delta, data) => hasContent(delta) || data === DONE),
  },
  'takes the usage for the last token': {
    script: 'usage-late',
    createReader: countEvents((delta, data) => hasContent(delta) || /"usage":\{/.test(data)),
  },
  'counts a stream with an error as completed, with a first token at 0': {
    script: 'error-first',
    completed: () => true,
    latency: (streams) => latencyOf(streams.map((one) => (isCompleted(one) ? one : asCompleted(one, [0])))),
  },
  'counts a stream that ends early as completed': {
    script: 'cut',
    completed: () => true,
    latency: (streams) => latencyOf(streams.map((one) => asCompleted(one, one.outputMs))),
  },
  'counts events as tokens': {
    script: 'tokens-per-event',
    latency: (streams) =>
      latencyOf(streams.map((one) => Object.assign({}, one, { completionTokens: one.outputMs.length }))),
  },
  'averages the percentiles of two processes': {
    script: 'heavy-tail',
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
    latency: (streams) => {
      const means = streams.filter(isCompleted).map((one) => summarize(timesOf(one).itlMs)?.mean ?? 0)
      return { ...latencyOf(streams), itlMs: summarize(means) }
    },
  },
  'leaves out the time in its own queue': { script: 'even', isSerial: true },
}

function averageOf(one: Summary | null, other: Summary | null): Summary | null {
  if (one === null || other === null) return null
  const names = Object.keys(one) as (keyof Summary)[]
  return Object.fromEntries(names.map((name) => [name, (one[name] + other[name]) / 2])) as unknown as Summary
}

function asCompleted(stream: StreamRecord, outputMs: readonly number[]): StreamRecord {
  const withoutFailure = Object.entries(stream).filter(([name]) => name !== 'failure')
  return { ...(Object.fromEntries(withoutFailure) as unknown as StreamRecord), outputMs }
}
