// One request to the scripted service and its answer: the request is read completely, the answer written in pieces, and
// the relevant times are recorded.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { encoderOf } from '../http/content-coding.ts'
import type { Exchange, Headers, SentRequest } from '../http/exchange.ts'
import { clockMs } from './measuring-clock.ts'
import type { Reply } from './scripted-reply.ts'

/** The longest body that is kept, in bytes: images in a request of a gateway's scenarios have several MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
/** The time for written bytes to be sent before the connection is broken, in milliseconds. */
const LEAVING_MS = 20
/** The interval of an endless answer, in milliseconds, and the most pieces of it: more than a minute. */
const TICK_MS = 50
const MAX_TICKS = 2_000

/** A request and its answer, which may still be in progress. Times are of `clockMs()`. */
export interface Call {
  readonly kind: 'attempt' | 'stray' | 'elsewhere'
  readonly arrivedMs: number
  readonly request: SentRequest
  /** The written part of the answer; undefined if the client closed the connection before. */
  reply?:
    | {
        readonly status: number
        readonly headers: Headers
        readonly pieces: readonly Uint8Array[]
        readonly end: Reply['end']
        /** Measured before the first and the last byte were written; the second is undefined until then. */
        readonly firstByteMs: number
        lastByteMs?: number
      }
    | undefined
  /** When the client closed the connection before the end of the answer. */
  hungUpMs?: number | undefined
}

/** Writes an answer, and records in the call what was sent and when. */
export async function writeReply(response: ServerResponse, call: Call, reply: Reply): Promise<void> {
  if (reply.end === 'reset') response.destroy()
  if (response.destroyed || reply.end === 'silent') return
  const { status, pieces, coding, end } = reply
  const headers = { ...reply.headers, ...(coding === undefined ? {} : { 'content-encoding': coding }) }
  const encode = encoderOf(coding)
  const isWhole = end === 'complete' && pieces.length < 2
  const only = isWhole ? await encode(pieces[0]?.bytes ?? Buffer.alloc(0), true) : undefined
  // HTTP/1.0 has no interim answers.
  for (const interim of response.req.httpVersion === '1.0' ? [] : (reply.interim ?? []))
    if (interim === 102) response.writeProcessing()
    else response.writeEarlyHints({ link: '</docs>; rel=help' })
  const firstByteMs = clockMs()
  // An answer in several pieces has no content length: it is chunked, like a stream.
  response.writeHead(status, { ...headers, ...(only && { 'content-length': only.length }) })
  const sent: Uint8Array[] = []
  call.reply = { status, headers: Object.entries(headers), pieces: sent, end, firstByteMs }
  for (const [position, { bytes, afterMs, when }] of pieces.entries()) {
    if (afterMs > 0) await sleep(afterMs)
    await when?.()
    if (response.destroyed) return
    if (position === pieces.length - 1 && end === 'complete') break
    sent.push(bytes)
    response.write(await encode(bytes, false))
  }
  if (end === 'complete') {
    const last = pieces.at(-1)?.bytes
    const encoded = only ?? (await encode(last ?? Buffer.alloc(0), true))
    if (last !== undefined) sent.push(last)
    // Measured before the bytes are sent, so that a measured wait may be too long on a busy machine, but never too short.
    call.reply.lastByteMs = clockMs()
    response.end(encoded)
    return
  }
  if (end === 'cut') {
    // Written bytes must be sent before the connection is broken.
    await new Promise<void>((resolve) => response.write('', () => resolve()))
    await sleep(LEAVING_MS)
    call.reply.lastByteMs = clockMs()
    response.destroy()
    return
  }
  if (end === 'stalled') return
  const tick = pieces.at(-1)?.bytes ?? Buffer.from(' ')
  for (let ticks = 0; ticks < MAX_TICKS && !response.destroyed; ticks += 1) {
    await sleep(TICK_MS)
    response.write(await encode(tick, false))
  }
  response.destroy()
}

/** The body, up to the longest that is kept, and up to where the client closed the connection. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size <= MAX_BODY_BYTES) pieces.push(piece)
    }
  } catch {
    // The client closed the connection, so the request is incomplete.
  }
  return Buffer.concat(pieces)
}

/** A request and its answer; undefined if it got none. */
export function exchangeOf({ request, reply, arrivedMs, hungUpMs }: Call): Exchange | undefined {
  if (reply === undefined) return undefined
  const { status, headers, pieces, end, firstByteMs, lastByteMs = hungUpMs ?? firstByteMs } = reply
  const isComplete = end === 'complete' && hungUpMs === undefined
  return {
    request,
    response: {
      status,
      headers,
      body: Buffer.concat(pieces),
      chunks: [],
      end: isComplete ? 'complete' : end === 'cut' ? 'broken' : 'hung-up',
    },
    timings: { firstByteMs: firstByteMs - arrivedMs, totalMs: lastByteMs - arrivedMs },
  }
}
