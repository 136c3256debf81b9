// A request as sent and its answer as received, byte for byte, and the readers of its body.
import { memoizePer } from '../memoize.ts'
import { parseJson } from '../json-value.ts'

/**
 * The end of an answer: `complete` as HTTP frames it; `hung-up` by the judge on purpose; `left-open` if an event stream
 * stays silent after its `[DONE]`; or, before its end, `broken` by the server, `timeout`, `too-large`.
 */
export type AnswerEnd = 'complete' | 'hung-up' | 'left-open' | 'broken' | 'timeout' | 'too-large'

/** Names as sent; repeated headers are separate. */
export type Headers = readonly (readonly [name: string, value: string])[]

/** The most headers of one message in a file: a head of 16 KiB, the largest that the judge reads, has a fifth of them. */
export const MOST_HEADERS = 20_000

export interface SentRequest {
  readonly method: string
  readonly url: string
  /** The path that the specification has for it, with its query, as in the `RequestSpec`. */
  readonly path: string
  readonly headers: Headers
  readonly body?: Uint8Array
  /** The places in the body at which it is sent in another packet, in bytes. Default: as the network has room. */
  readonly splitAt?: readonly number[]
}

/** A request as sent, and its answer. Times are milliseconds since the request began. */
export interface Exchange {
  /** When the request of a recorded exchange began, in milliseconds since 1970; left out for one that has just ended. */
  readonly startedAtMs?: number
  readonly request: SentRequest
  readonly response: {
    readonly status: number
    readonly headers: Headers
    /** The body as the server wrote it, with any content coding undone. */
    readonly body: Uint8Array
    /** The size of the whole body, in bytes, if only its beginning was kept. */
    readonly bodyBytes?: number
    readonly chunks: readonly { readonly atMs: number; readonly size: number }[]
    readonly end: AnswerEnd
    /** Why it was cut, if known: a reset, an error of the HTTP parser, or the bound of the judge that it reached. */
    readonly broken?: string
  }
  readonly timings: { readonly firstByteMs: number; readonly totalMs: number }
  /** The recording has no body of this answer, so it is unknown whether the answer had one. */
  readonly isBodyUnknown?: true
  /** The recording lacks headers of this answer, so an absent header proves nothing. */
  readonly areHeadersUnknown?: true
  /** The recording lacks headers of this request. */
  readonly areSentHeadersUnknown?: true
  /** The server closed the reused connection when the request was on it; this is the answer on a new one. */
  readonly reconnected?: true | undefined
}

/** Whether an answer stopped short of its end: the connection broke, time ran out, or it was too large. */
export function isCut({ response: { end } }: Exchange): boolean {
  return end === 'broken' || end === 'timeout' || end === 'too-large'
}

/** The memory that each piece of a body takes beside its bytes. */
export const PIECE_BYTES = 256

/** The memory that an answer takes, in bytes. */
export function memoryOf({ response: { body, chunks } }: Exchange): number {
  return body.length + PIECE_BYTES * chunks.length
}

/** The pieces of which a shortened answer keeps the times. */
const KEPT_CHUNKS = 100

/** The exchange with at most this number of bytes of its answer, to be kept. */
export function shortened(exchange: Exchange, mostBytes: number): Exchange {
  const { response } = exchange
  const { body, chunks } = response
  if (body.length <= mostBytes && chunks.length <= KEPT_CHUNKS) return exchange
  return {
    ...exchange,
    response: {
      ...response,
      // A copy, because a view would keep all bytes in memory.
      body: body.length <= mostBytes ? body : Buffer.from(body.subarray(0, mostBytes)),
      ...(body.length <= mostBytes ? {} : { bodyBytes: body.length }),
      chunks: chunks.slice(0, KEPT_CHUNKS),
    },
  }
}

/** All values of a header, by its name in any case. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  return headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}

/**
 * The value of a response header, by its name in any case; repeated headers are joined by a comma; undefined if absent.
 */
export function header({ response }: Exchange, name: string): string | undefined {
  const values = headerValues(response.headers, name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** The headers of a flat list of names and values, as parsers of HTTP give them. */
export function headerPairs(flat: readonly string[]): Headers {
  return Array.from(
    { length: flat.length / 2 },
    (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? ''] as const,
  )
}

/** Bytes as text; undefined if they are not well-formed UTF-8. A byte order mark stays. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The body of a request as JSON; undefined if it is not JSON. */
export function requestJson({ body }: Pick<SentRequest, 'body'>): unknown {
  return parseJson(Buffer.from(body ?? []).toString('utf8'))
}

/** The body as text; undefined if it is not well-formed UTF-8. */
export const text = memoizePer(({ response }: Exchange): string | undefined => utf8(response.body))

/** The body as JSON, the same value for every caller; undefined if it is not JSON. */
export const json = memoizePer((exchange: Exchange): unknown => parseJson(text(exchange) ?? ''))
