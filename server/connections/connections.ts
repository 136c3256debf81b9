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
  #isTrimming = false
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
    if (this.#count(group, 1) > this.#bounds.maxConnectionsPerAddress) this.#trimSoon()
    if (this.#open.size > this.#bounds.maxConnections) this.#trimSoon()
  }

  /** Closes what exceeds the bounds when the clients of this turn had a chance to send their requests. */
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

  /** Nothing was read from a connection, or taken of what is written to it, for the write timeout. */
  #endStalled(socket: Socket): void {
    const connection = this.#open.get(socket)
    // Until its first request has arrived, the time for a request bounds it.
    if (connection?.latest === undefined) return
    if (kindOf(connection) === 'idle' || socket.writableLength > 0) socket.destroy()
  }
}

function kindOf({ latest, isEnding }: Connection): 'idle' | 'arriving' | 'waiting' {
  if (isEnding || latest === undefined || latest.writableFinished) return 'idle'
  return latest.req.complete ? 'waiting' : 'arriving'
}
