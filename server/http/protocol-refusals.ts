// Answers to input that never becomes a request of the app: in the envelope, with a request id, and logged.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ApiError, invalidRequest } from './api-error.ts'
import { newId } from './ids.ts'

/** The data for the log; it contains nothing that the client wrote. */
export interface Refusal {
  readonly requestId: string
  readonly status: number
  /** The parser's own name of a problem, for example `HPE_INVALID_METHOD`. */
  readonly reason: string
}

export type OnRefused = (refusal: Refusal) => void

/** Answers every request that this HTTP server would refuse in its own words, or not at all. */
export function refuseInEnvelope(server: Server, order: AnswerOrder, onRefused: OnRefused): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    const long = error.code === 'HPE_HEADER_OVERFLOW'
    const problem = late
      ? 'The request did not arrive in time.'
      : long
        ? 'The headers are too long.'
        : 'This is not a valid HTTP/1.1 request.'
    const reason = error.code ?? 'unknown'
    const earlier = order.before(socket)
    if (earlier === undefined) refuseOnSocket(socket, problem, reason, onRefused)
    else
      earlier.once('close', () => {
        // Bytes of a request that has its answer need no second one.
        if (!earlier.req.complete) socket.destroy()
        else if (socket.writable) refuseOnSocket(socket, problem, reason, onRefused)
      })
  })
  server.on('connect', (_, socket) => {
    // Node removes its own listener from the socket of a tunnel: without another one, a reset would end the process.
    socket.on('error', () => {})
    refuseOnSocket(
      socket,
      'The method CONNECT is not supported: this server is not a proxy.',
      'connect',
      onRefused,
    )
  })
  server.on('checkExpectation', (_, outgoing) => {
    refuse(outgoing, "Expected no header 'Expect' but '100-continue'.", 'expectation', onRefused)
  })
}

/** The order in which the answers of a connection leave. */
export class AnswerOrder {
  readonly #latest = new WeakMap<Duplex, ServerResponse>()
  readonly #earlier = new WeakMap<ServerResponse, ServerResponse>()

  /** Adds the answer to a request that has just arrived. */
  add(outgoing: ServerResponse): void {
    const { socket } = outgoing.req
    const previous = this.#latest.get(socket)
    if (previous !== undefined && !previous.writableFinished) this.#earlier.set(outgoing, previous)
    this.#latest.set(socket, outgoing)
  }

  /** The answer that has to leave a connection before the bytes that arrive there now are refused. */
  before(socket: Duplex): ServerResponse | undefined {
    const answer = this.#latest.get(socket)
    if (answer === undefined || answer.writableFinished) return undefined
    const isOwn = !answer.req.complete && !answer.headersSent
    const due = isOwn ? this.#earlier.get(answer) : answer
    return due?.writableFinished === true ? undefined : due
  }
}

/** A dot segment, percent-encoded or not, or a backslash, which a URL reads like a slash. */
const ALIAS = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * True if the path of a request has another form than the one by which it is routed; it is then answered. A proxy that
 * does not normalize paths would apply its rules to another path than this server.
 */
export function refusesAliasPath(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onRefused: OnRefused,
): boolean {
  const [path = ''] = (incoming.url ?? '').split(/[?#]/, 1)
  if (!ALIAS.test(path)) return false
  refuse(outgoing, 'Expected a path without dot segments and backslashes.', 'path', onRefused)
  return true
}

/** True if a request lacks what HTTP/1.1 demands; it is then answered. */
export function refusesWithoutHost(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onRefused: OnRefused,
): boolean {
  if (incoming.headers.host !== undefined || incoming.httpVersion !== '1.1') return false
  refuse(outgoing, "Expected the header 'Host', got none.", 'no host', onRefused)
  return true
}

/** The headers and the body of a refusal, which is a 400 whatever was wrong: the table of statuses has no other (ERR-7). */
export function refusal(
  problem: string,
  reason: string,
  onRefused: OnRefused,
): { readonly error: ApiError; readonly body: string; readonly headers: Record<string, string> } {
  const error = invalidRequest(problem)
  const requestId = newId('req_')
  const body = error.toJson()
  onRefused({ requestId, status: error.status, reason })
  return {
    error,
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': requestId,
    },
  }
}

function refuse(outgoing: ServerResponse, problem: string, reason: string, onRefused: OnRefused): void {
  const { error, body, headers } = refusal(problem, reason, onRefused)
  outgoing.writeHead(error.status, { ...headers, connection: 'close' }).end(body)
}

function refuseOnSocket(socket: Duplex, problem: string, reason: string, onRefused: OnRefused): void {
  const { body, headers } = refusal(problem, reason, onRefused)
  const all = { ...headers, connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}
