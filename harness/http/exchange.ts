// A request as it was sent and the answer as it came, byte for byte, and the readers of its body.
import { memoizePer } from '../memoize.ts'
import { parseJson } from '../verify/json-value.ts'

/**
 * How an answer ended: `complete` as HTTP frames it; `hung-up` by the judge, as it was asked to; `left-open` where an
 * event stream stays silent after its `[DONE]`; or, short of its end, `broken` by the server, `timeout`, `too-large`.
 */
export type AnswerEnd = 'complete' | 'hung-up' | 'left-open' | 'broken' | 'timeout' | 'too-large'

/** Names as they were sent, repeated ones kept apart. */
export type Headers = readonly (readonly [name: string, value: string])[]

export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Path and query under the base address, as in the `RequestSpec`. */
  readonly path: string
  readonly headers: Headers
  readonly body?: Uint8Array
}

/** A request as it was sent, and what came back. Times are milliseconds since the request began. */
export interface Exchange {
  readonly request: SentRequest
  readonly response: {
    readonly status: number
    readonly headers: Headers
    /** As the server wrote it: a coding of the content that nobody asked for is undone. */
    readonly body: Uint8Array
    readonly chunks: readonly { readonly atMs: number; readonly size: number }[]
    readonly end: AnswerEnd
  }
  readonly timings: { readonly firstByteMs: number; readonly totalMs: number }
}

/** Whether an answer stopped short of its end: the connection broke, or time ran out. */
export function isCut({ response }: Exchange): boolean {
  return response.end === 'broken' || response.end === 'timeout'
}

/** The value of a response header by its name in any case, repeated ones joined by a comma; undefined where absent. */
export function header(exchange: Exchange, name: string): string | undefined {
  const values = exchange.response.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase())
  return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ')
}

/** The body as text; undefined where it is not well-formed UTF-8. */
export const text = memoizePer((exchange: Exchange): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(exchange.response.body)
  } catch {
    return undefined
  }
})

/** The body as JSON, the same value for all who look at it; undefined where it is none. */
export const json = memoizePer((exchange: Exchange): unknown => parseJson(text(exchange) ?? ''))
