// An answer that may be ready before its request has arrived, like most refusals.
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may pause within a request whose answer is ready, in milliseconds. */
const REST_OF_REQUEST_MS = 1000

/** Ends the connection of an answer after its last byte. */
interface ConnectionEnd {
  end(socket: Socket): void
  /** Whether the client has sent more bytes since `bytesRead` than are discarded. */
  isFlood(socket: Socket, bytesRead: number): boolean
}

/**
 * An answer of the server. It waits for the rest of its request, so that the connection serves the next one; if the rest
 * is too long or does not come, the answer leaves at once and the connection ends after it.
 */
export class EarlyAnswer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The connections of the server; set when the request has arrived. */
  connections: ConnectionEnd | undefined = undefined
  /** Sends an answer that waits for the rest of its request; undefined if it does not. */
  leaveNow: (() => void) | undefined = undefined

  /** Does nothing: the headers leave with the first bytes of the body, and flushing them would cost a write of its own. */
  override flushHeaders(): void {}

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const { req, connections } = this
    if (req.complete || connections === undefined || !hasBody(req))
      return super.end(chunk, encoding as BufferEncoding, callback as () => void)
    const { socket } = req
    const { bytesRead } = socket
    const receive = (): void => {
      if (connections.isFlood(socket, bytesRead)) leaveNow()
      else pause.refresh()
    }
    const finish = (): void => {
      clearTimeout(pause)
      this.leaveNow = undefined
      req.off('data', receive).off('end', finish).off('close', finish)
      super.end(chunk, encoding as BufferEncoding, callback as () => void)
    }
    const leaveNow = (): void => {
      this.once('finish', () => connections.end(socket))
      finish()
    }
    const pause = setTimeout(leaveNow, REST_OF_REQUEST_MS)
    this.leaveNow = leaveNow
    req.on('data', receive).on('end', finish).on('close', finish).resume()
    return this
  }
}

/** Whether a body follows the headers (RFC 9112, section 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
}
