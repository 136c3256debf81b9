// One request to the scripted service and its answer: read whole, written piece by piece, with the time of each byte that
// counts.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Headers, SentRequest } from '../../../harness/http/exchange.ts'
import { clockMs } from './clock.ts'
import type { Reply } from './reply.ts'

/** The most that is read of a request. */
const MAX_BODY_BYTES = 1024 * 1024
/** How long bytes have to leave before their connection is broken, in milliseconds. */
const LEAVING_MS = 20
/** The pace of an endless answer, in milliseconds, and its most pieces: a minute and more. */
const TICK_MS = 50
const MAX_TICKS = 2_000

/** A request and its answer while they happen. Times are of `clockMs()`. */
export interface Call {
  readonly kind: 'attempt' | 'stray' | 'elsewhere'
  readonly arrivedMs: number
  readonly request: SentRequest
  reply?: {
    readonly status: number
    readonly headers: Headers
    readonly pieces: Uint8Array[]
    readonly end: Reply['end']
    readonly firstByteMs: number
    lastByteMs?: number
  }
  hungUpMs?: number
}

/** Writes an answer, and notes in the call what was sent and when. */
export async function writeReply(response: ServerResponse, call: Call, reply: Reply): Promise<void> {
  if (response.destroyed || reply.end === 'silent') return
  const { status, headers, pieces, end } = reply
  const firstByteMs = clockMs()
  const size = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)
  // In several pieces the length is not told before: the answer is chunked, as streams are.
  const length = end === 'complete' && pieces.length < 2 ? { 'content-length': size } : {}
  response.writeHead(status, { ...headers, ...length })
  const sent: Uint8Array[] = []
  call.reply = { status, headers: Object.entries(headers), pieces: sent, end, firstByteMs }
  for (const [position, { bytes, afterMs }] of pieces.entries()) {
    if (afterMs > 0) await sleep(afterMs)
    if (response.destroyed) return
    if (position === pieces.length - 1 && end === 'complete') break
    sent.push(bytes)
    response.write(bytes)
  }
  if (end === 'complete') {
    const last = pieces.at(-1)?.bytes
    if (last !== undefined) sent.push(last)
    // Taken before the bytes leave: a wait can be measured too long by a busy machine, never too short.
    call.reply.lastByteMs = clockMs()
    response.end(last)
    return
  }
  if (end === 'cut') {
    // What was written must have left before the connection is broken.
    await new Promise<void>((resolve) => response.write('', () => resolve()))
    await sleep(LEAVING_MS)
    call.reply.lastByteMs = clockMs()
    response.destroy()
    return
  }
  const tick = pieces.at(-1)?.bytes ?? Buffer.from(' ')
  for (let ticks = 0; ticks < MAX_TICKS && !response.destroyed; ticks += 1) {
    await sleep(TICK_MS)
    response.write(tick)
  }
  response.destroy()
}

/** The body, as far as it is not too long. What the client broke off is as long as it came. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size <= MAX_BODY_BYTES) pieces.push(piece)
    }
  } catch {
    // The client closed the connection: its request ends here.
  }
  return Buffer.concat(pieces)
}
