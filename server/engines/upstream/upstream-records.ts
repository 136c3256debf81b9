// Reads the body of an upstream's answer, whole or record by record, within a maximum size and a maximum silence. It reads
// only on demand, so a slow client slows the upstream down and does not fill the memory.
import { createEventStreamParser, DONE } from '../../../spec/protocol/sse.ts'
import { ApiError, unavailable } from '../../http/api-error.ts'
import { parseJson } from '../text/parse-json.ts'
import { malformedUpstream } from './upstream-errors.ts'

/** Maximum size of a whole answer, and of one record of a stream, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** Calls `abort`, which ends the exchange, when the upstream sends nothing for `silenceMs`. */
export function createRecordReader(answer: Response, silenceMs: number, abort: () => void) {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const reader = answer.body?.getReader()
    for (;;) {
      // The time in which the consumer handles a chunk does not count.
      const chunk = await withinSilence(
        silenceMs,
        abort,
        'The model stopped answering.',
        async () => await reader?.read(),
      ).catch(broken)
      if (chunk?.value === undefined) return
      yield chunk.value
    }
  }

  return {
    /** The whole body, parsed. */
    async whole(): Promise<unknown> {
      const received: Uint8Array[] = []
      let size = 0
      for await (const chunk of chunks()) {
        size += chunk.byteLength
        if (size > MAX_BYTES) throw malformedUpstream('the answer is too large')
        received.push(chunk)
      }
      return parse(Buffer.concat(received).toString())
    },
    /** Each record, parsed, until `[DONE]` or the end. */
    async *events(): AsyncGenerator<unknown> {
      const decoder = new TextDecoder()
      const parser = createEventStreamParser()
      let sinceRecord = 0
      for await (const chunk of chunks()) {
        const records = parser.push(decoder.decode(chunk, { stream: true }))
        sinceRecord = records.length === 0 ? sinceRecord + chunk.byteLength : 0
        if (sinceRecord > MAX_BYTES) throw malformedUpstream('a record is too large')
        for (const { data } of records) {
          if (data === DONE) return
          // Some upstreams send events of other kinds without data.
          if (data !== '') yield parse(data)
        }
      }
    },
  }
}

/** The result of `work`. If it takes longer than `ms`, calls `abort`, which ends it, and throws a 503 with `message`. */
export async function withinSilence<Result>(
  ms: number,
  abort: () => void,
  message: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let silent = false
  const timer = setTimeout(() => {
    silent = true
    abort()
  }, ms)
  try {
    return await work()
  } catch (cause) {
    throw silent ? unavailable(message, 1, cause) : cause
  } finally {
    clearTimeout(timer)
  }
}

function broken(cause: unknown): never {
  if (cause instanceof ApiError || (cause instanceof Error && cause.name === 'AbortError')) throw cause
  throw malformedUpstream(`the connection broke: ${String(cause)}`)
}

function parse(text: string): unknown {
  const value = parseJson(text)
  if (value === undefined) throw malformedUpstream('the answer is not JSON')
  return value
}
