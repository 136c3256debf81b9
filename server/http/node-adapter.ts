// The one adapter between `node:http` and the operations under /v1: it makes a call of a request, and writes its answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type AnswerClock, FINAL_FLUSH_MS } from './answer-clock.ts'
import { ApiError } from './api-error.ts'
import type { Answer, Call, Operation, Respond, Sink } from './call.ts'
import type { HeldBytes } from './unread.ts'
import { tooLarge } from './json-body.ts'
import { readBody } from './read-body.ts'
import { andThen, orElse, type Soon } from './soon.ts'
import { atEndOfTurn } from './turn.ts'

/** The environment of an app behind `node:http`. */
export interface NodeEnv {
  readonly Bindings: HttpBindings
}

export interface NodeAdapterOptions {
  readonly respond: Respond
  readonly clock: AnswerClock
  /** Called with an unexpected failure; the connection is then destroyed. */
  readonly reportError: (error: unknown) => void
}

/** The result of the router for a request. */
export interface Target {
  /** The path without the query. */
  readonly path: string
  /** The values of the path template. */
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * A body up to this length, in bytes, is read before the key is checked: it has usually arrived with the headers, and
 * all further steps are then synchronous. A larger body, or one of unknown length, is read when the operation asks.
 */
const SMALL_BODY = 64 * 1024

/** Answers a request with an operation. */
export type NodeAdapter = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: Target,
  operation: Operation,
) => void

export function createNodeAdapter({ respond, clock, reportError }: NodeAdapterOptions): NodeAdapter {
  function answer(call: NodeCall, operation: Operation): void {
    void orElse(
      () => andThen(respond(call, operation), (answer) => call.send(answer)),
      (error) => {
        reportError(error)
        call.outgoing.destroy()
      },
    )
    // No time bound for an answer that the socket has already taken completely.
    if (!call.outgoing.writableEnded || call.waitingBytes > 0) clock.start(call.outgoing, call.incoming)
  }

  return function answerNode(incoming, outgoing, target, operation) {
    const call = new NodeCall(incoming, outgoing, target)
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers
    const isSmall = length !== '0' && encoding === undefined && Number(length) <= SMALL_BODY
    atEndOfTurn(() => {
      if (isSmall) call.readAhead(() => answer(call, operation))
      else answer(call, operation)
    })
  }
}

/** A part of a body as a chunk; an empty one would end the body. */
function chunkOf(part: string): string
function chunkOf(part: string | Uint8Array): string | Buffer
function chunkOf(part: string | Uint8Array): string | Buffer {
  if (part.length === 0) return ''
  const size = `${Buffer.byteLength(part).toString(16)}\r\n`
  if (typeof part === 'string') return `${size}${part}\r\n`
  return Buffer.concat([Buffer.from(size), part, Buffer.from('\r\n')])
}

/** A request and its answer, in one object because most last only a moment. */
export class NodeCall implements Call, Sink {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly arrivedAt = performance.now()
  #body: Buffer | ApiError | undefined
  #status = 200
  #headers: string[] = []
  #held: HeldBytes | undefined
  /** Whether each part is sent as a chunk (RFC 9112, 7.1). Node itself would write each chunk in four pieces. */
  #isChunked = false

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, { path, parameters }: Target) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.path = path
    this.parameters = parameters
  }

  get method(): string {
    return this.incoming.method ?? ''
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Reads a small body before `body` is called, so that `body` is synchronous. */
  readAhead(then: () => void): void {
    const { incoming } = this
    const begun: Buffer | null = incoming.read()
    const done = (body: Buffer | ApiError): void => {
      this.#body = body
      then()
    }
    // Listens only if the body has not arrived with the headers.
    if (incoming.complete && begun !== null) done(begun)
    else readBody(incoming, SMALL_BODY, done, begun)
  }

  body(maxBytes: number): Soon<Uint8Array> {
    const body = this.#body
    if (body instanceof ApiError) throw body
    const length = body?.length ?? Number(this.incoming.headers['content-length'] ?? 0)
    if (length > maxBytes) throw tooLarge(maxBytes)
    if (body !== undefined) return body
    return new Promise((resolve, reject) => {
      readBody(this.incoming, maxBytes, (read) => (read instanceof ApiError ? reject(read) : resolve(read)))
    })
  }

  get client(): this {
    return this
  }

  get hasLeft(): boolean {
    return this.outgoing.destroyed
  }

  onLeave(listener: () => void): void {
    const { outgoing } = this
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) listener()
    })
  }

  send({ status, headers, body, bytes, held }: Answer): Soon<void> {
    this.#held = held
    this.#status = status
    this.#headers = headers
    return typeof body === 'string' ? this.end(body, bytes) : body(this)
  }

  write(part: string | Uint8Array): boolean {
    const { outgoing } = this
    if (!outgoing.headersSent) {
      outgoing.writeHead(this.#status, this.#headers)
      this.#isChunked = outgoing.chunkedEncoding
      outgoing.chunkedEncoding = false
    }
    return outgoing.write(this.#isChunked ? chunkOf(part) : part)
  }

  get waitingBytes(): number {
    return this.outgoing.writableLength
  }

  room(signal?: AbortSignal): Promise<void> {
    const { outgoing } = this
    return new Promise((resolve) => {
      function end(): void {
        outgoing.off('drain', end).off('close', end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      outgoing.on('drain', end).on('close', end)
      signal?.addEventListener('abort', end)
    })
  }

  end(text: string, bytes = Buffer.byteLength(text)): void {
    const { outgoing } = this
    if (!outgoing.headersSent) {
      this.#headers.push('content-length', String(bytes))
      outgoing.writeHead(this.#status, this.#headers)
    }
    if (this.#isChunked) outgoing.end(`${chunkOf(text)}0\r\n\r\n`)
    // Both encodings of ASCII text are the same bytes, and latin1 is faster to write.
    else outgoing.end(text, bytes === text.length ? 'latin1' : 'utf8')
    if (this.#held !== undefined) this.#holdRest(this.#held)
  }

  /** Accounts for the bytes that still wait for the reader, who gets only a moment more if they exceed a bound. */
  #holdRest(held: HeldBytes): void {
    held.end()
    const { outgoing, waitingBytes } = this
    if (waitingBytes === 0) return
    let isLate: NodeJS.Timeout | undefined
    try {
      held.hold(waitingBytes)
    } catch {
      isLate = setTimeout(() => outgoing.destroy(), FINAL_FLUSH_MS)
    }
    outgoing.once('close', () => {
      clearTimeout(isLate)
      held.end()
    })
  }

  cut(): void {
    setImmediate(() => this.outgoing.socket?.destroySoon())
  }
}
