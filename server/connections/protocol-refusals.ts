// Answers input that never becomes a request of the app: in the error envelope, with a request id, and with a line in the log.
import type { IncomingMessage, Server as AnyServer, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ApiError, invalidRequest } from '../http/api-error.ts'
import { newId } from '../http/ids.ts'
import type { Connections } from './connections.ts'
import type { EarlyAnswer } from './early-answer.ts'

/** The data for the log; it contains nothing that the client wrote. */
export interface Refusal {
  readonly requestId: string
  readonly status: number
  /** The parser's own name of a problem, for example `HPE_INVALID_METHOD`. */
  readonly reason: string
}

/** A server whose answers may be early. */
export type Server = AnyServer<typeof IncomingMessage, typeof EarlyAnswer>

export type OnRefused = (refusal: Refusal) => void

/** Answers every request that the HTTP server of Node would refuse in its own format, or not answer. */
export function refuseInEnvelope(server: Server, connections: Connections, onRefused: OnRefused): void {
  function refuseNow(socket: Socket, problem: string, reason: string): void {
    if (!socket.writable || connections.isEnding(socket)) return
    const { body, headers } = refusal(problem, reason, onRefused)
    const all = { ...headers, connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    connections.end(socket, `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
  }

  /** Refuses the bytes that arrive now, after the answers to the requests before them. */
  function refuseInOrder(socket: Socket, problem: string, reason: string): void {
    const earlier = connections.answerBefore(socket)
    if (earlier === undefined) return refuseNow(socket, problem, reason)
    if (earlier.leaveNow !== undefined) return earlier.leaveNow()
    earlier.once('close', () => {
      // No second answer for the rest of a request that already has one.
      if (earlier.req.complete) refuseNow(socket, problem, reason)
      else connections.end(socket)
    })
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    const long = error.code === 'HPE_HEADER_OVERFLOW'
    const problem = late
      ? 'The request did not arrive in time.'
      : long
        ? 'The headers are too long.'
        : 'This is not a valid HTTP/1.1 request.'
    // A server of `node:http` has no other streams.
    refuseInOrder(socket as Socket, problem, error.code ?? 'unknown')
  })
  server.on('connect', (_, socket) => {
    const problem = 'The method CONNECT is not supported: this server is not a proxy.'
    refuseInOrder(socket as Socket, problem, 'connect')
  })
  server.on('checkExpectation', (_, outgoing) => {
    connections.addAnswer(outgoing)
    refuse(outgoing, "Expected no header 'Expect' but '100-continue'.", 'expectation', onRefused)
  })
}

/** A dot segment, percent-encoded or not, or a backslash, which a URL reads like a slash. */
const ALIAS = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

/** A user name before the host of a target, which no sender may write (RFC 9110, section 4.2.4). */
const WITH_USER = /^[^/?#]*:\/\/[^/?#]*@/

/**
 * True if the target of a request is not in normal form, and the request was answered. A proxy that does not normalize
 * targets would apply its rules to another target than this server.
 */
export function refusesTarget(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onRefused: OnRefused,
): boolean {
  const { url = '' } = incoming
  const [path = ''] = url.split(/[?#]/, 1)
  if (ALIAS.test(path))
    refuse(outgoing, 'Expected a path without dot segments and backslashes.', 'path', onRefused)
  else if (WITH_USER.test(url))
    refuse(outgoing, 'Expected a target without a user name.', 'user name', onRefused)
  else return false
  return true
}

/** True if a request lacks the `Host` that HTTP/1.1 requires, and was answered. */
export function refusesWithoutHost(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onRefused: OnRefused,
): boolean {
  if (incoming.headers.host !== undefined || incoming.httpVersion !== '1.1') return false
  refuse(outgoing, "Expected the header 'Host', got none.", 'no host', onRefused)
  return true
}

/** The headers and the body of a refusal, which is always a 400: the table of statuses has no other status for it (ERR-7). */
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
