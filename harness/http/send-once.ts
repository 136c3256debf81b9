// One request on one connection: written in pieces, so that an early answer is seen; its answer read to the end or
// to a bound, each piece with the time of its arrival.
import http from 'node:http'
import https from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { type Exchange, type Headers, type SentRequest, headerPairs } from './exchange.ts'
import { type BodyOptions, readBody } from './read-body.ts'
import { framingFault } from './framing.ts'
import { targetOf } from './service-address.ts'
import { refusedAnswer } from './refused-answer.ts'
import { TransportError } from './transport-error.ts'

/** A request body goes out in pieces of this size: a server may refuse it before it has read all of it. */
const BODY_PIECE_BYTES = 64 * 1024

/** The pause between two packets of a body that is split on purpose, in milliseconds: a server reads each of them alone. */
const PACKET_PAUSE_MS = 20

/** The most interim answers (1xx, RFC 9110, 15.2) that are read before the final one. */
export const MAX_INTERIM_ANSWERS = 1_000

/** A timer that is later than this shows that this process was busy, in milliseconds. */
const BUSY_MS = 100

/** The beginning of the message for an answer that the HTTP parser refuses. */
export const NOT_HTTP = 'what came is not HTTP'

/** Receives an answer while it arrives. */
export interface AnswerListener {
  /** Called when the request is ready. The request is sent when this resolves, and only then gets its connection. */
  prepared?(): Promise<void>
  head(status: number, headers: Headers): void
  chunk(bytes: Uint8Array): void
}

export interface OnceOptions extends BodyOptions {
  /** The pool to take a connection from. */
  readonly agent: http.Agent
  /** The time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number
  /** A time limit of the body alone, in milliseconds: then the other one is that of the head. */
  readonly bodyTimeoutMs?: number | undefined
  /** The clock of its timings, in milliseconds. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
  readonly signal: AbortSignal
  readonly listener?: AnswerListener | undefined
}

/**
 * Sends the request and reads its answer. Resolves to `stale connection` if a pooled connection failed before any byte
 * of the answer, because the server had already closed it. Throws `TransportError` if no answer came, and the reason of
 * the signal if it is aborted.
 */
export async function exchangeOnce(
  request: SentRequest,
  options: OnceOptions,
): Promise<Exchange | 'stale connection'> {
  if (options.listener?.prepared !== undefined) await options.listener.prepared()
  options.signal.throwIfAborted()
  const { now = () => performance.now() } = options
  const startedAt = now()
  const elapsed = (): number => now() - startedAt
  const outgoing = open(request, options.agent)
  const hangUp = (): void => void outgoing.destroy()
  let isLate = false
  const late = (): void => {
    isLate = true
    hangUp()
  }
  let bytesBefore = 0
  outgoing.on('socket', (socket) => (bytesBefore = socket.bytesRead))
  /** The number of bytes that the connection received since this request. */
  const arrived = (): number => (outgoing.socket?.bytesRead ?? bytesBefore) - bytesBefore
  let cancelLate = afterOwnTime(options.timeoutMs, late)
  options.signal.addEventListener('abort', hangUp, { once: true })
  try {
    const incoming = await answerTo(outgoing, request)
    const firstByteMs = elapsed()
    if (options.bodyTimeoutMs !== undefined) {
      cancelLate()
      cancelLate = afterOwnTime(options.bodyTimeoutMs, late)
    }
    const headers = headerPairs(incoming.rawHeaders)
    const status = incoming.statusCode ?? 0
    // The connection is not reused, because readers may disagree on where the next answer begins.
    if (framingFault(headers) !== undefined) outgoing.shouldKeepAlive = false
    options.listener?.head(status, headers)
    let problem: Error | undefined
    outgoing.on('error', (error) => (problem ??= error))
    const rest = await readBody(incoming, {
      ...options,
      elapsed,
      isLate: () => isLate,
      onPiece: (bytes) => options.listener?.chunk(bytes),
    })
    options.signal.throwIfAborted()
    if (rest.end !== 'complete') outgoing.destroy()
    const broken = rest.end === 'broken' && problem !== undefined ? { broken: describeBreak(problem) } : {}
    return {
      request,
      response: { status, headers, ...rest, ...broken },
      timings: { firstByteMs, totalMs: elapsed() },
    }
  } catch (error) {
    outgoing.destroy()
    options.signal.throwIfAborted()
    if (isLate) throw new TransportError(lateReason(options.timeoutMs, arrived()), request, { isLate: true })
    if (error instanceof StaleConnection) return 'stale connection'
    const received = refusedAnswer(request, error, describe(error), elapsed())
    throw new TransportError(describe(error), request, {
      cause: error,
      received,
      isSilence: isUnreachable(error),
    })
  } finally {
    cancelLate()
    options.signal.removeEventListener('abort', hangUp)
  }
}

/**
 * Calls back after this time, in milliseconds, and returns the function that prevents it. If this process was too busy
 * to notice the end of the time, it waits again for the time by which it is late, because the answer may be unread.
 */
function afterOwnTime(ms: number, act: () => void): () => void {
  let endsAt = performance.now() + ms
  const check = (): void => {
    const lateMs = performance.now() - endsAt
    if (lateMs < BUSY_MS) return act()
    endsAt += 2 * lateMs
    timer = setTimeout(check, lateMs)
  }
  let timer = setTimeout(check, ms)
  return () => clearTimeout(timer)
}

/** The reason for a timeout: a server that sends bytes is not silent. */
function lateReason(timeoutMs: number, bytes: number): string {
  const seconds = timeoutMs / 1000
  if (bytes === 0) return `no answer within ${seconds} s`
  return `${bytes} bytes came within ${seconds} s, and no head of an answer that ends`
}

class StaleConnection extends Error {}

function open(request: SentRequest, agent: http.Agent | false): http.ClientRequest {
  // Only the origin is parsed, because the path must be sent as it was written.
  const target = targetOf(request.url)
  const root = new URL(request.url.slice(0, request.url.length - target.length))
  const transport = root.protocol === 'https:' ? https : http
  return transport.request({
    protocol: root.protocol,
    hostname: root.hostname.replace(/^\[|\]$/g, ''),
    port: root.port,
    path: target.startsWith('/') ? target : `/${target}`,
    method: request.method,
    // An object, because Node adds no credentials of a proxy to a list. Names keep their case and their order.
    headers: grouped(request.headers),
    agent,
  })
}

/** The values of each name; a name with several values goes out as several lines. */
function grouped(headers: Headers): http.OutgoingHttpHeaders {
  const values = Map.groupBy(headers, ([name]) => name)
  return Object.fromEntries(
    Array.from(values, ([name, lines]) => {
      const [first = '', ...rest] = lines.map(([, value]) => value)
      return [name, rest.length === 0 ? first : [first, ...rest]]
    }),
  )
}

/** Writes the body and waits for the head of the answer, whichever comes first. */
function answerTo(outgoing: http.ClientRequest, request: SentRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answered = false
    let bytesBefore = 0
    let interim = 0
    outgoing.on('socket', (socket) => (bytesBefore = socket.bytesRead))
    outgoing.on('response', (incoming) => {
      answered = true
      resolve(incoming)
    })
    outgoing.on('information', () => {
      interim += 1
      if (interim <= MAX_INTERIM_ANSWERS) return
      // The final answer may follow within the same piece: the error comes now, not when the connection is closed.
      reject(new Error(`more than ${MAX_INTERIM_ANSWERS} answers with a status of 1xx came, and no other`))
      outgoing.destroy()
    })
    // The judge does not change the protocol, so only the head of the answer counts.
    outgoing.on('upgrade', (incoming, socket) => {
      answered = true
      incoming.push(null)
      resolve(incoming)
      socket.destroy()
    })
    // Has no effect once an answer has begun: the reader of the answer reports its end.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const silent = (outgoing.socket?.bytesRead ?? bytesBefore) === bytesBefore
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      reject(outgoing.reusedSocket && silent && closed ? new StaleConnection() : error)
    })
    outgoing.on('close', () => reject(new Error('the connection was closed before an answer')))
    void writeBody(outgoing, request, () => answered)
  })
}

/** Sends the body in pieces, and stops if an answer arrives before its end. */
async function writeBody(
  outgoing: http.ClientRequest,
  { body: bytes = new Uint8Array(), splitAt }: SentRequest,
  answered: () => boolean,
): Promise<void> {
  const count = Math.max(0, Math.ceil(bytes.length / BODY_PIECE_BYTES) - 1)
  const ends = splitAt ?? Array.from({ length: count }, (_, nth) => (nth + 1) * BODY_PIECE_BYTES)
  let last = 0
  for (const end of ends) {
    if (answered() || outgoing.destroyed) return
    const piece = bytes.subarray(last, end)
    await new Promise<void>((resolve) => outgoing.write(piece, () => setImmediate(resolve)))
    if (splitAt !== undefined) await pause(PACKET_PAUSE_MS)
    last = end
  }
  if (answered() || outgoing.destroyed) return
  // A text, because Node sends a string together with the headers in one write.
  outgoing.end(Buffer.from(bytes.subarray(last)).toString('latin1'), 'latin1')
}

/** The code of a Node error; '' if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function isUnreachable(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'].includes(
    codeOf(error),
  )
}

/** How a connection broke when the head of the answer had come. */
const describeBreak = (error: Error): string =>
  codeOf(error) === 'ECONNRESET' ? 'the connection was reset' : describe(error)

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection was broken before an answer'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name could not be resolved'
  if (code.startsWith('HPE_')) return `${NOT_HTTP}: ${error.message} (${code})`
  return code === '' ? error.message : `${error.message} (${code})`
}
