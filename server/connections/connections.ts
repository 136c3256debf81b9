// Owns the open connections of a server: each has an error listener from its first moment, and is closed whatever its
// client does. Their number is bounded.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, type TrustedProxies } from '../addresses/client-address.ts'
import type { EarlyAnswer } from './early-answer.ts'

export interface ConnectionBounds {
  /** Maximum open connections. Beyond it, the one that has been idle for the longest time is closed. */
  readonly maxConnections: number
  /** Maximum open connections of one address; an IPv6 network of 64 bits counts as one address. */
  readonly maxConnectionsPerAddress: number
  /** Addresses without a bound of their own, because they send the requests of many clients. */
  readonly trustedProxies: TrustedProxies
  /** How long a client may read nothing of a waiting answer, in milliseconds. */
  readonly writeTimeoutMs: number
  /** How long a connection stays open after its last answer, in milliseconds. */
  readonly closeGraceMs: number
  /** The maximum number of further bytes of a refused client that are read and discarded. */
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
  /** Those that have been without a request for the longest time come first. */
  readonly #open = new Map<Socket, Connection>()
  readonly #groups = new Map<string, number>()
  #isTrimming = false
  readonly #earlier = new WeakMap<EarlyAnswer, EarlyAnswer>()

  /** Takes over the connections of a server that does not listen yet. */
  constructor(server: Server, bounds: ConnectionBounds) {
    this.#bounds = bounds
    server.timeout = bounds.writeTimeoutMs
    server.on('connection', (socket: Socket) => this.#add(socket))
    server.on('timeout', (socket: Socket) => this.#endStalled(socket))
    // Node's own method omits connections that have left HTTP.
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

  /** The answer that must be sent before the bytes that arrive now are refused. */
  answerBefore(socket: Socket): EarlyAnswer | undefined {
    const answer = this.#open.get(socket)?.latest
    if (answer === undefined || answer.writableFinished) return undefined
    const isOwn = !answer.req.complete && !answer.headersSent
    const due = isOwn ? this.#earlier.get(answer) : answer
    return due?.writableFinished === true ? undefined : due
  }

  /** Returns whether a connection accepts no further request or refusal. */
  isEnding(socket: Socket): boolean {
    return this.#open.get(socket)?.isEnding ?? true
  }

  /** Returns whether a refused client has sent more bytes since `bytesRead` than are discarded. */
  isFlood(socket: Socket, bytesRead: number): boolean {
    return socket.bytesRead - bytesRead > this.#bounds.maxDiscardedBytes
  }

  /**
   * Ends a connection after all written bytes and `text`. Later bytes of the client are read and discarded, because
   * closing a socket with unread bytes resets it, and a reset discards the answer that the client has not read.
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
    // Node removes its own listener from a socket that leaves HTTP, and without a listener a reset ends the process.
    socket.on('error', () => {})
    socket.once('close', () => this.#remove(socket))
    // Node calls this after the last answer of a connection.
    socket.destroySoon = () => this.end(socket)
    if (this.#count(group, 1) > this.#bounds.maxConnectionsPerAddress) this.#trimSoon()
    if (this.#open.size > this.#bounds.maxConnections) this.#trimSoon()
  }

  /** Closes connections over the bounds after two turns, so that new clients have a chance to send their requests. */
  #trimSoon(): void {
    if (this.#isTrimming) return
    this.#isTrimming = true
    setImmediate(() => setImmediate(() => this.#trim()))
  }

  #trim(): void {
    this.#isTrimming = false
    const { maxConnections, maxConnectionsPerAddress } = this.#bounds
    for (const [group, count] of this.#groups)
      if (count > maxConnectionsPerAddress)
        this.#close(count - maxConnectionsPerAddress, (connection) => connection.group === group)
    if (this.#open.size > maxConnections) this.#close(this.#open.size - maxConnections, () => true)
  }

  /** Closes idle connections, then those whose request is still arriving, then the newest that wait for an answer. */
  #close(count: number, isCandidate: (connection: Connection) => boolean): void {
    const kinds: Record<'idle' | 'arriving' | 'waiting', Socket[]> = { idle: [], arriving: [], waiting: [] }
    for (const [socket, connection] of this.#open)
      if (isCandidate(connection)) kinds[kindOf(connection)].push(socket)
    const { idle, arriving, waiting } = kinds
    for (const socket of [...idle, ...arriving, ...waiting.toReversed()].slice(0, count)) {
      this.#remove(socket)
      socket.destroy()
    }
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

  /** Called if a connection had no traffic for the write timeout. */
  #endStalled(socket: Socket): void {
    const connection = this.#open.get(socket)
    // The time limit of requests applies until the first one has arrived.
    if (connection?.latest === undefined) return
    if (kindOf(connection) === 'idle' || socket.writableLength > 0) socket.destroy()
  }
}

function kindOf({ latest, isEnding }: Connection): 'idle' | 'arriving' | 'waiting' {
  if (isEnding || latest === undefined || latest.writableFinished) return 'idle'
  return latest.req.complete ? 'waiting' : 'arriving'
}
