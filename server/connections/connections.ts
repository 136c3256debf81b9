// Owns the open connections of a server: each has an error listener from its first moment and an end, however its client
// behaves, and their number is bounded.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, type TrustedProxies } from '../addresses/client-address.ts'
import type { EarlyAnswer } from './early-answer.ts'

export interface ConnectionBounds {
  /** Maximum open connections. Beyond it, the one that has been idle for the longest time is closed. */
  readonly maxConnections: number
  /** Maximum open connections of one address; an IPv6 network of 64 bits counts as one address. */
  readonly maxConnectionsPerAddress: number
  /** Addresses that only the first bound counts, because they send the requests of many clients. */
  readonly trustedProxies: TrustedProxies
  /** How long a client may take nothing of an answer that waits for it, in milliseconds. */
  readonly writeTimeoutMs: number
  /** How long a connection stays open after its last answer, in milliseconds. */
  readonly closeGraceMs: number
  /** How much of what a refused client still sends is read and discarded, in bytes. */
  readonly maxDiscardedBytes: number
}

interface Connection {
  /** The group of its address; undefined if that has no bound. */
  readonly group: string | undefined
  /** The answer to its latest request. */
  latest: EarlyAnswer | undefined
  isEnding: boolean
}

export class Connections {
  readonly #bounds: ConnectionBounds
  /** The longest without a request first. */
  readonly #open = new Map<Socket, Connection>()
  readonly #groups = new Map<string, number>()
  readonly #earlier = new WeakMap<EarlyAnswer, EarlyAnswer>()

  /** Takes over the connections of a server that does not listen yet. */
  constructor(server: Server, bounds: ConnectionBounds) {
    this.#bounds = bounds
    server.timeout = bounds.writeTimeoutMs
    server.on('connection', (socket: Socket) => this.#add(socket))
    server.on('timeout', (socket: Socket) => this.#endStalled(socket))
    // Node's own method leaves out the connections that are no longer of HTTP.
    server.closeAllConnections = () => {
      for (const socket of this.#open.keys()) socket.destroy()
    }
  }

  /** Adds the answer to a request that has just arrived. */
  addAnswer(outgoing: EarlyAnswer): void {
    const { socket } = outgoing.req
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    outgoing.connections = this
    const { latest } = connection
    if (latest !== undefined && !latest.writableFinished) this.#earlier.set(outgoing, latest)
    connection.latest = outgoing
    this.#open.delete(socket)
    this.#open.set(socket, connection)
  }

  /** The answer that has to leave a connection before the bytes that arrive there now are refused. */
  answerBefore(socket: Socket): EarlyAnswer | undefined {
    const answer = this.#open.get(socket)?.latest
    if (answer === undefined || answer.writableFinished) return undefined
    const isOwn = !answer.req.complete && !answer.headersSent
    const due = isOwn ? this.#earlier.get(answer) : answer
    return due?.writableFinished === true ? undefined : due
  }

  /** Whether a connection takes a further request or refusal. */
  isEnding(socket: Socket): boolean {
    return this.#open.get(socket)?.isEnding ?? true
  }

  /** Whether a refused client has sent more since `bytesRead` than is read and discarded. */
  isFlood(socket: Socket, bytesRead: number): boolean {
    return socket.bytesRead - bytesRead > this.#bounds.maxDiscardedBytes
  }

  /**
   * Ends a connection after what was written to it, and after `text`. What still arrives is read and discarded, because
   * a socket that is closed over unread bytes is reset, and a reset discards the answer that the client has not read.
   */
  end(socket: Socket, text = ''): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.isEnding) return
    connection.isEnding = true
    const { bytesRead } = socket
    socket.end(text)
    socket.on('data', () => {
      if (this.isFlood(socket, bytesRead)) socket.destroy()
    })
    connection.latest?.req.resume()
    socket.resume()
    const late = setTimeout(() => socket.destroy(), this.#bounds.closeGraceMs)
    socket.once('close', () => clearTimeout(late))
  }

  #add(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const group = this.#bounds.trustedProxies(address) ? undefined : networkOf(address)
    this.#open.set(socket, { group, latest: undefined, isEnding: false })
    // Node removes its own listener from a socket that leaves HTTP: without one, a reset would end the process.
    socket.on('error', () => {})
    socket.once('close', () => this.#remove(socket))
    // Node calls this after the last answer of a connection.
    socket.destroySoon = () => this.end(socket)
    const ofGroup = this.#count(group, 1)
    if (this.#open.size > this.#bounds.maxConnections) this.#makeRoom(socket, () => true)
    else if (ofGroup > this.#bounds.maxConnectionsPerAddress)
      this.#makeRoom(socket, (other) => other.group === group)
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    this.#open.delete(socket)
    this.#count(connection.group, -1)
  }

  #count(group: string | undefined, change: number): number {
    if (group === undefined) return 0
    const count = (this.#groups.get(group) ?? 0) + change
    if (count === 0) this.#groups.delete(group)
    else this.#groups.set(group, count)
    return count
  }

  /** Closes an idle connection, or else one whose request is still arriving, or else the new one. */
  #makeRoom(added: Socket, isCandidate: (connection: Connection) => boolean): void {
    let [idle, arriving]: (Socket | undefined)[] = []
    for (const [socket, connection] of this.#open) {
      if (socket === added || !isCandidate(connection)) continue
      if (isIdle(connection)) {
        idle = socket
        break
      }
      if (connection.latest?.req.complete === false) arriving ??= socket
    }
    const closed = idle ?? arriving ?? added
    this.#remove(closed)
    closed.destroy()
  }

  /** Nothing was read from a connection, or taken of what is written to it, for the write timeout. */
  #endStalled(socket: Socket): void {
    const connection = this.#open.get(socket)
    // Until its first request has arrived, the time for a request bounds it.
    if (connection?.latest === undefined) return
    if (isIdle(connection) || socket.writableLength > 0) socket.destroy()
  }
}

/** Whether no answer is due on a connection. */
function isIdle({ latest, isEnding }: Connection): boolean {
  return isEnding || latest === undefined || latest.writableFinished
}
