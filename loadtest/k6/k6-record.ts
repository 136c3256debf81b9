// Reads the JSON lines that k6 records: every answer with its times, and the faults that the scenario found.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Span } from '../theory/limiter-bounds.ts'

/** One answer. Its request was counted between `start` and `end`, in seconds of Unix time. */
export interface LoadAnswer extends Span {
  readonly load: string
  readonly role: string
  readonly phase: string
  /** 0 without an answer. */
  readonly status: number
}

/** The `Retry-After` of a refusal. */
export interface RetryAfter {
  readonly load: string
  readonly phase: string
  readonly seconds: number
}

export type LoadRecord = Awaited<ReturnType<typeof readRecord>>

/** The metrics that are read; k6 writes many more. */
const METRICS =
  /^\{"metric":"(http_req_duration|dropped_iterations|faults|retry_after_seconds)","type":"Point"/

interface Point {
  readonly metric: string
  readonly data: {
    readonly time: string
    readonly value: number
    readonly tags?: Readonly<Record<string, string>>
  }
}

/** Reads the files that the processes of one run wrote, as one. */
export async function readRecords(files: readonly string[]): Promise<LoadRecord> {
  return await readRecord(linesOf(files))
}

async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) yield* createInterface({ input: createReadStream(file), crlfDelay: Infinity })
}

/** Reads lines as k6 writes them with `--out json`. Lines that are not points of the metrics above are ignored. */
export async function readRecord(lines: AsyncIterable<string> | Iterable<string>) {
  const answers: LoadAnswer[] = []
  const retryAfter: RetryAfter[] = []
  /** Number of faulty answers by kind: `refusal`, `form`, `answer`. */
  const faults: Record<string, number> = {}
  /** Arrivals that k6 could not make. */
  let dropped = 0
  for await (const line of lines) {
    if (!METRICS.test(line)) continue
    const { metric, data }: Point = JSON.parse(line)
    const { tags = {}, value } = data
    if (metric === 'dropped_iterations') dropped += value
    else if (metric === 'retry_after_seconds')
      retryAfter.push({ load: tags['scenario'] ?? '', phase: tags['phase'] ?? '', seconds: value })
    else if (metric === 'faults') faults[tags['what'] ?? ''] = (faults[tags['what'] ?? ''] ?? 0) + value
    else answers.push(answerOf(data))
  }
  return { answers: answers.toSorted((a, b) => a.start - b.start), dropped, faults, retryAfter }
}

function answerOf({ time, value, tags = {} }: Point['data']): LoadAnswer {
  const end = unixSeconds(time)
  const { scenario: load = '', role = '', phase = '', status = '0' } = tags
  return { load, role, phase, status: Number(status), start: end - value / 1000, end }
}

/** The Unix time in seconds, to the microsecond; a `Date` has milliseconds only. */
function unixSeconds(time: string): number {
  const [, fraction = '0'] = /\.(\d{1,6})\d*/.exec(time) ?? []
  return Math.floor(Date.parse(time) / 1000) + Number(`0.${fraction}`)
}
