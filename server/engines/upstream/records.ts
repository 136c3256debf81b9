// The body of an upstream's answer, whole or record by record: bounded in size and in silence, and read only as fast
// as it is asked for, so that a slow client slows the upstream and fills no memory.
import { createEventStreamParser, DONE } from '../../../spec/protocol/sse.ts'
import { unavailable } from '../../http/errors.ts'
import { malformedUpstream } from './error.ts'

/** The most of a whole answer, and of one record of a stream, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

export interface RecordReader {
  /** The whole body, parsed. */
  whole(): Promise<unknown>
  /** Each record, parsed, until `[DONE]` or the end. */
  events(): AsyncIterable<unknown>
}

/** `abort` ends the exchange; it is called when the upstream says nothing for `silenceMs`. */
export function createRecordReader(answer: Response, silenceMs: number, abort: () => void): RecordReader {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const reader = answer.body?.getReader()
    for (;;) {
      const piece = await within(silenceMs, abort, async () => await reader?.read())
      if (piece?.value === undefined) return
      yield piece.value
    }
  }

  return {
    async whole() {
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const piece of pieces()) {
        size += piece.byteLength
        if (size > MAX_BYTES) throw malformedUpstream('the answer is too large')
        chunks.push(piece)
      }
      return parse(Buffer.concat(chunks).toString())
    },
    async *events() {
      const decoder = new TextDecoder()
      const parser = createEventStreamParser()
      let sinceRecord = 0
      for await (const piece of pieces()) {
        const records = parser.push(decoder.decode(piece, { stream: true }))
        sinceRecord = records.length === 0 ? sinceRecord + piece.byteLength : 0
        if (sinceRecord > MAX_BYTES) throw malformedUpstream('a record is too large')
        for (const { data } of records) {
          if (data === DONE) return
          // Some send an event of another kind without data.
          if (data !== '') yield parse(data)
        }
      }
    },
  }
}

/** Waits for a read, not for whoever takes what was read: only the upstream's own silence counts. */
async function within<Result>(ms: number, abort: () => void, read: () => Promise<Result>): Promise<Result> {
  let silent = false
  const timer = setTimeout(() => {
    silent = true
    abort()
  }, ms)
  try {
    return await read()
  } catch (cause) {
    if (silent) throw unavailable('The model stopped answering.', 1, cause)
    if (cause instanceof Error && cause.name === 'AbortError') throw cause
    throw malformedUpstream(`the connection broke: ${String(cause)}`)
  } finally {
    clearTimeout(timer)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformedUpstream('the answer is not JSON')
  }
}
