// One request under /v1 and its answer. `node-adapter.ts` makes the call and writes the answer; `api.ts` is between them.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiError } from './api-error.ts'
import { newId } from './ids.ts'
import { AnswerFacts, readTraceparent, type Trace } from './request-log.ts'
import type { Soon } from './soon.ts'
import type { HeldBytes } from './unread.ts'

/** The client that waits for an answer. */
export interface Client {
  /** Whether it disconnected before its answer was complete. */
  readonly hasLeft: boolean
  onLeave(listener: () => void): void
}

/** A request, as the adapter passes it on. */
export interface Call {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The values of the path template, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  /** The value of the header with this name, in lower case. Several values are joined by commas. */
  header(name: string): string | undefined
  /** The whole body. Fails with an `ApiError` (400) if it is over the bound or does not arrive whole. */
  body(maxBytes: number): Soon<Uint8Array>
  readonly client: Client
  /** Time of `performance.now()`, in milliseconds. */
  readonly arrivedAt: number
}

/** Where the body of a stream is written. */
export interface Sink extends Client {
  /** Sends a part; returns false if the writer should wait for `room`, because many bytes wait for the reader. */
  write(part: string | Uint8Array): boolean
  /** The bytes that wait for the reader. */
  readonly waitingBytes: number
  /** Resolves when there is room again, the reader has left, or `signal` aborts. */
  room(signal?: AbortSignal): Promise<void>
  /** Sends the last text; `bytes` is its length. An answer without an earlier write is sent whole, with its length. */
  end(text: string, bytes?: number): void
  /** Closes the connection in the middle of the answer, after the written parts. */
  cut(): void
}

/** Names and values in turn, as `node:http` writes them without looking them up. */
export type Headers = readonly string[]

export interface Answer {
  readonly status: number
  /** Headers of this answer alone: its writer adds to them. */
  readonly headers: string[]
  /** A text, or a function that writes it; the exchange then lasts until the function ends it. */
  readonly body: string | ((sink: Sink) => Soon<void>)
  /** Length of a text in bytes, if it is known. */
  readonly bytes?: number
  /** The account of the bytes that wait for the reader; absent for answers that are always small. */
  readonly held?: HeldBytes
}

/** A JSON text in parts. */
export interface JsonParts {
  readonly parts: readonly (string | Uint8Array)[]
  /** Length of all parts in bytes. */
  readonly bytes: number
}

/** The key of a request, as far as an operation needs it. */
export interface Caller {
  readonly id: string
  /** The ids of the models that it may use, or null for all. */
  readonly models: readonly string[] | null
}

/** The claims of an admitted request on the limits of its key. */
export interface Admission {
  /**
   * Reserves the tokens that the request is expected to use. `expected` is called only if tokens are limited. Throws the
   * 429 of a key that has none left.
   */
  reserve(expected: () => number): Soon<void>
  /** Charges the tokens that the request used, instead of the reserved ones. */
  charge(tokens: number): void
  /** Frees the slot of the request. Safe to call twice. */
  end(): void
}

/** The admission of a request without limits. */
export const UNLIMITED: Admission = { reserve() {}, charge() {}, end() {} }

/** Answers a request that has a key and is within its limits. */
export type Operation = (exchange: Exchange, caller: Caller) => Soon<Answer>

/** Answers a call with an operation. Never fails: a failure is answered with the error envelope. */
export type Respond = (call: Call, operation: Operation) => Soon<Answer>

/** A request in flight, with the facts about it that each step adds. */
export class Exchange {
  /** Different for every request; sent as `x-request-id` (WIRE-21) and written to the log. */
  readonly requestId = newId('req_')
  readonly call: Call
  /** The trace that it belongs to; sent on to upstreams. */
  readonly trace: Trace | undefined
  /** The key that authenticated it. */
  key: Caller | undefined
  limitHeaders: Headers = []
  /** The header with the ignored members of the request, if there are any. */
  ignoredHeader: Headers = []
  /** The claims on its limits. */
  admission: Admission = UNLIMITED
  /** The facts about the answer in its log line. */
  readonly facts = new AnswerFacts()
  readonly #onEnd: (exchange: Exchange) => void

  constructor(call: Call, onEnd: (exchange: Exchange) => void) {
    this.call = call
    this.trace = readTraceparent(call.header('traceparent'))
    this.#onEnd = onEnd
  }

  /** Adds to `own` the headers of every answer to this request. */
  headers(own: string[]): string[] {
    own.push('x-request-id', this.requestId)
    for (const text of this.limitHeaders) own.push(text)
    for (const text of this.ignoredHeader) own.push(text)
    return own
  }

  /** Called once, when the answer is complete or has failed: its slot is free, its line is written. */
  end(): void {
    this.admission.end()
    this.#onEnd(this)
  }
}

/** A JSON answer (WIRE-5). */
export function jsonAnswer(exchange: Exchange, status: number, json: string, own: Headers = []): Answer {
  const headers = exchange.headers(['content-type', 'application/json', ...own])
  return { status, headers, body: json }
}

/** An event stream (STREAM-1). Proxies are asked not to gather it. */
export function eventStreamAnswer(
  exchange: Exchange,
  held: HeldBytes,
  body: (sink: Sink) => Soon<void>,
): Answer {
  const own = ['content-type', 'text/event-stream', 'cache-control', 'no-cache', 'x-accel-buffering', 'no']
  return { status: 200, headers: exchange.headers(own), body, held }
}

/** Maximum bytes that are written before other answers get a turn. */
const BYTES_AT_A_TIME = 256 * 1024

/** A successful JSON answer of any size: a large one is written in parts, under back-pressure. */
export function jsonPartsAnswer(exchange: Exchange, { parts, bytes }: JsonParts, held: HeldBytes): Answer {
  const [first = ''] = parts
  if (parts.length === 1 && typeof first === 'string')
    return { ...jsonAnswer(exchange, 200, first), bytes, held }
  async function body(sink: Sink): Promise<void> {
    let written = 0
    for (const part of parts) {
      if (sink.hasLeft) break
      written += part.length
      if (!sink.write(part)) await sink.room()
      else if (written >= BYTES_AT_A_TIME) {
        written = 0
        await nextTurn()
      }
      held.free(part.length)
    }
    if (sink.hasLeft) exchange.facts.ended = 'client_left'
    sink.end('')
    exchange.end()
  }
  const { status, headers } = jsonAnswer(exchange, 200, '', ['content-length', String(bytes)])
  return { status, headers, body, held }
}

/** The envelope of a failed request (ERR-1). */
export function errorAnswer(exchange: Exchange, error: ApiError): Answer {
  return jsonAnswer(exchange, error.status, error.toJson(), Object.entries(error.headers).flat())
}

/** An answer that begins and is never finished: the connection is closed in its middle. */
export function cutAnswer(exchange: Exchange): Answer {
  const headers = exchange.headers(['content-type', 'application/json'])
  return {
    status: 200,
    headers,
    body(sink) {
      sink.write('{')
      sink.cut()
      exchange.end()
    },
  }
}
