// Sends one attack on a connection of its own and waits for its outcome. Keeps in memory one block of the request and
// the two ends of the answer. Always ends: with the answer, the connection, or the time.
import net from 'node:net'
import tls from 'node:tls'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { targetOf, urlAt } from '../../../harness/http/service-address.ts'
import { type Attack, blocksOf, KEY_PLACE, lengthOf, type Piece } from './attack.ts'

/** The kept length of the beginning and of the end of an answer, in bytes. */
const START_BYTES = 32 * 1024
const END_BYTES = 1024

/**
 * How an attack ended: with a whole answer; with the beginning of one (`cut`); without any (`closed`), perhaps before the whole
 * request was sent (`refused`); without a connection (`unreachable`); by the client itself (`left`); not within its bound (`late`).
 */
export type Ending = 'answered' | 'cut' | 'closed' | 'refused' | 'unreachable' | 'left' | 'late'

export type Outcome = Awaited<ReturnType<typeof sendAttack>>

export interface SendOptions {
  readonly baseUrl: string
  readonly key: string
  readonly authHeader?: string | undefined
  /** The longest time for the whole attack, without the time for which the reader stalls. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Aborted when the run is to end: readers that stall read on. */
  readonly over: AbortSignal
}

/** Never rejects: an abort of the signal counts as leaving. */
export async function sendAttack(attack: Attack, options: SendOptions) {
  const { baseUrl, timeoutMs, signal, over } = options
  const startedAt = performance.now()
  const answer = new AnswerEnds()
  const ended = Promise.withResolvers<Ending>()
  const socket = connect(new URL(baseUrl))
  let isConnected = false
  let isSent = false
  let isStalled = false
  let sentAt: number | undefined
  let firstByteMs: number | undefined

  const timers = [setTimeout(() => ended.resolve('late'), timeoutMs + (attack.stallMs ?? 0))]
  const leave = (): void => ended.resolve('left')
  if (attack.leaveMs !== undefined) timers.push(setTimeout(leave, attack.leaveMs))
  signal.addEventListener('abort', leave, { once: true })
  const readOn = (): void => void socket.resume()
  over.addEventListener('abort', readOn, { once: true })

  socket.on('connect', () => (isConnected = true))
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    firstByteMs ??= performance.now() - (sentAt ?? startedAt)
    answer.add(bytes)
    if (answer.isWhole()) ended.resolve('answered')
    if (attack.stallMs === undefined || isStalled || over.aborted) return
    isStalled = true
    socket.pause()
    timers.push(setTimeout(readOn, attack.stallMs))
  })
  socket.on('close', () => {
    if (!isConnected) ended.resolve('unreachable')
    else if (answer.status === undefined) ended.resolve(isSent ? 'closed' : 'refused')
    else ended.resolve(answer.isWholeAtEnd() ? 'answered' : 'cut')
  })

  async function send(): Promise<void> {
    isSent = await write(socket, forService(attack.pieces, options), attack)
    if (attack.share !== undefined) socket.end()
    sentAt = performance.now()
  }
  void send()
  const ending = await ended.promise
  for (const timer of timers) clearTimeout(timer)
  signal.removeEventListener('abort', leave)
  over.removeEventListener('abort', readOn)
  if (ending === 'left') reset(socket)
  else socket.destroy()
  return {
    ending,
    /** The status of the answer, if its head was read. */
    status: answer.status,
    /** The time from the start of the connection to its end, in milliseconds. */
    ms: performance.now() - startedAt,
    /** The time from the last byte of the request to the first one of the answer, in milliseconds. */
    firstByteMs,
    ...answer.ends(),
  }
}

export function connect({ protocol, hostname, port }: URL, allowHalfOpen = false): net.Socket {
  const isPlain = protocol === 'http:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port) || (isPlain ? 80 : 443), allowHalfOpen }
  if (isPlain) return net.connect(target)
  return tls.connect({ ...target, ...(net.isIP(host) === 0 ? { servername: host } : {}) })
}

/** Closes with a reset, but not on TLS or while the end of the stream is unsent: Node then leaks the socket. */
export function reset(socket: net.Socket): void {
  const isEnding = socket.writableEnded && !socket.writableFinished
  if (isEnding || socket instanceof tls.TLSSocket) socket.destroy()
  else socket.resetAndDestroy()
}

/** The beginning of the line of a request, and a path of the API in it. */
const API_PATH = /^([A-Z]+ )(\/v1[^ \r\n]*)/gm

/** The pieces with the key of a service in its header, and with the addresses of that service. */
export function forService(
  pieces: readonly Piece[],
  { baseUrl, key, authHeader }: Pick<SendOptions, 'baseUrl' | 'key' | 'authHeader'>,
): readonly Piece[] {
  const atService = (_: string, method: string, path: string): string =>
    method + targetOf(urlAt(baseUrl, path))
  return pieces.map((piece) => {
    const text = piece.text.replace(API_PATH, atService)
    const inHeader =
      authHeader === undefined
        ? text
        : text.replaceAll(`Authorization: Bearer ${KEY_PLACE}`, `${authHeader}: ${KEY_PLACE}`)
    return { ...piece, text: inHeader.replaceAll(KEY_PLACE, key) }
  })
}

/** Writes no faster than the other end reads; returns whether everything was written. */
export async function write(
  socket: net.Socket,
  pieces: readonly Piece[],
  { pace, share = 1 }: Pick<Attack, 'pace' | 'share'>,
): Promise<boolean> {
  let untilPause = pace?.bytes ?? Infinity
  let left = share === 1 ? Infinity : Math.floor(lengthOf(pieces) * share)
  for (const block of blocksOf(pieces))
    for (let from = 0; from < block.length;) {
      if (socket.destroyed || !socket.writable) return false
      const part = block.subarray(from, from + Math.min(untilPause, left))
      from += part.length
      untilPause -= part.length
      left -= part.length
      if (!socket.write(part)) await drained(socket)
      if (left === 0) return true
      if (untilPause > 0 || pace === undefined) continue
      untilPause = pace.bytes
      await sleep(pace.everyMs)
      // An answer that has arrived is read first: a write on a connection that was reset would discard it.
      await nextTurn()
    }
  return !socket.destroyed
}

function drained(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
    if (socket.destroyed) done()
  })
}

/** The two ends of an answer, and whether it is complete. */
class AnswerEnds {
  status: number | undefined
  #start = Buffer.alloc(0)
  #end = Buffer.alloc(0)
  #bytes = 0
  /** Where the head of the answer ends; 0 before that is known. */
  #headBytes = 0
  /** The end of the body: a number of bytes, its last chunk, or the end of the connection. */
  #framing: number | 'chunked' | 'connection' = 'connection'

  add(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#start.length < START_BYTES)
      this.#start = Buffer.concat([this.#start, bytes.subarray(0, START_BYTES - this.#start.length)])
    this.#end = Buffer.concat([this.#end, bytes.subarray(-END_BYTES)]).subarray(-END_BYTES)
    while (this.status === undefined && this.#readHead());
  }

  /** Reads the next head; true if it was that of an interim answer and another one follows. */
  #readHead(): boolean {
    const end = this.#start.indexOf('\r\n\r\n', this.#headBytes)
    if (end === -1) return false
    const head = this.#start.toString('latin1', this.#headBytes, end)
    this.#headBytes = end + 4
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
    if (status >= 100 && status < 200 && status !== 101) return true
    this.status = status
    const length = /^content-length: *(\d+) *$/im.exec(head)?.[1]
    if ([101, 204, 304].includes(status)) this.#framing = 0
    else if (/^transfer-encoding: *chunked *$/im.test(head)) this.#framing = 'chunked'
    else if (length !== undefined) this.#framing = Number(length)
    return false
  }

  isWhole(): boolean {
    if (this.status === undefined || this.#framing === 'connection') return false
    if (this.#framing === 'chunked') return this.#end.toString('latin1').endsWith('\r\n0\r\n\r\n')
    return this.#bytes - this.#headBytes >= this.#framing
  }

  isWholeAtEnd(): boolean {
    return this.isWhole() || this.#framing === 'connection'
  }

  /** The bytes of the answer with its head, and its beginning and its end as text. */
  ends() {
    return { bytes: this.#bytes, start: this.#start.toString(), end: this.#end.toString() }
  }
}
