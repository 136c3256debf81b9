// Answers the usual requests of a `node:http` server without a fetch request and response in between. What is usual:
// the address of an operation as the document writes it, and a small body of a known length, which has mostly come with
// the headers. Everything else is left to the fetch adapter.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Respond } from '../api.ts'
import type { AnswerClock } from './answer-clock.ts'
import type { Answer, Call, Operation, Operations, Sink } from './exchange.ts'
import { incompleteBody, tooLarge } from './json-body.ts'
import { andThen, orElse, type Soon } from './soon.ts'

export interface NodeAdapterOptions {
  readonly respond: Respond
  /** By path, with the one method that each has. */
  readonly operations: Operations
  readonly clock: AnswerClock
  /** Called with what should never fail; the connection is then destroyed. */
  readonly reportError: (error: unknown) => void
}

/** Larger bodies are not read before key and limits are checked. In bytes. */
const SMALL_BODY = 64 * 1024

/** Hosts that need no closer look: the fetch adapter judges all others. */
const PLAIN_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/i

/** Gives a listener that answers a request where it is a usual one, and returns whether it is. */
export function createNodeAdapter({ respond, operations, clock, reportError }: NodeAdapterOptions) {
  function answer(call: NodeCall, operation: Operation): void {
    const written = orElse(
      () => andThen(respond(call, operation), (answer) => call.send(answer)),
      (error) => {
        reportError(error)
        call.outgoing.destroy()
      },
    )
    // What the socket has taken whole needs no clock.
    if (written instanceof Promise || call.isWaiting) clock.start(call.outgoing)
  }

  return function answersUsual(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const usual = operations.get(incoming.url ?? '')
    if (usual === undefined || usual.method !== incoming.method) return false
    const { operation } = usual
    const { host, 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers
    if (encoding !== undefined || Number(length) > SMALL_BODY) return false
    if (host !== undefined && !PLAIN_HOST.test(host)) return false
    const call = new NodeCall(incoming, outgoing)
    if (length === '0') answer(call, operation)
    else call.read(() => answer(call, operation))
    return true
  }
}

const NO_BYTES = Buffer.alloc(0)

/** A request and its answer: one object for both, as most are over within a moment. */
class NodeCall implements Call, Sink {
  readonly outgoing: ServerResponse
  readonly #incoming: IncomingMessage
  #body: Buffer = NO_BYTES
  #failure: Error | undefined
  #status = 200
  #headers: string[] = []

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming
    this.outgoing = outgoing
  }

  /** Reads the body, and calls back once: when it is here, or will never be. */
  read(then: () => void): void {
    const incoming = this.#incoming
    let isOver = false
    function end(): void {
      if (isOver) return
      isOver = true
      then()
    }
    incoming.on('data', (chunk: Buffer) => {
      this.#body = this.#body.length === 0 ? chunk : Buffer.concat([this.#body, chunk])
    })
    incoming.on('end', end)
    // After its end, that is a client which leaves during its answer.
    incoming.on('error', (error) => {
      this.#failure = error
      end()
    })
  }

  get method(): string {
    return this.#incoming.method ?? ''
  }

  get path(): string {
    return this.#incoming.url ?? ''
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  body(maxBytes: number): Uint8Array {
    if (this.#failure !== undefined) throw incompleteBody(this.#failure)
    if (this.#body.length > maxBytes) throw tooLarge(maxBytes)
    return this.#body
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

  send({ status, headers, body }: Answer): Soon<void> {
    this.#status = status
    this.#headers = headers
    return typeof body === 'string' ? this.end(body) : body(this)
  }

  write(text: string): boolean {
    if (!this.outgoing.headersSent) this.outgoing.writeHead(this.#status, this.#headers)
    return this.outgoing.write(text)
  }

  get isWaiting(): boolean {
    return this.outgoing.writableLength > 0
  }

  room(signal: AbortSignal): Promise<void> {
    const { outgoing } = this
    return new Promise((resolve) => {
      function end(): void {
        outgoing.off('drain', end).off('close', end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      outgoing.on('drain', end).on('close', end)
      signal.addEventListener('abort', end)
    })
  }

  end(text: string): void {
    const { outgoing } = this
    const size = Buffer.byteLength(text)
    if (!outgoing.headersSent) {
      this.#headers.push('content-length', String(size))
      outgoing.writeHead(this.#status, this.#headers)
    }
    // Of ASCII, both encodings are the same bytes; this one is the quicker to write.
    outgoing.end(text, size === text.length ? 'latin1' : 'utf8')
  }

  cut(): void {
    setImmediate(() => this.outgoing.socket?.destroySoon())
  }
}
