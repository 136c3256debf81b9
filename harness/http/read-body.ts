// Reads the body of an answer: to its end, to a bound, or to where the caller wants to hang up, each piece with the time of
// its arrival.
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { GrowingBytes } from '../bounds/growing-bytes.ts'
import { bounds } from '../bounds/bounds.ts'
import { decoderFor } from './content-coding.ts'
import { type AnswerEnd, type Exchange, PIECE_BYTES } from './exchange.ts'

/** The memory that each event of a stream takes beside its bytes. */
export const EVENT_BYTES = 128

const [LF, CR] = [0x0a, 0x0d]

/** The number of pieces that are never joined, and the time within which later ones are, in milliseconds. */
const SEPARATE_PIECES = 1_000
const JOINED_MS = 1

/** How long an event stream may stay open and silent after its `[DONE]` before the judge hangs up, unless a request says. */
export const OPEN_AFTER_DONE_MS = 1000

/** Bounds of bodies, in bytes with the memory for their pieces and events; a body that exceeds one is cut. */
export interface BodyBounds {
  /** Default: the bound of an answer. */
  readonly most?: number | undefined
  /** The most that all open bodies hold together. */
  readonly mostOpen?: number | undefined
}

export interface BodyOptions {
  readonly abortAfterChunks?: number | undefined
  readonly openAfterDoneMs?: number | undefined
  /** The bounds of the body, and the memory that all open bodies of their user hold. */
  readonly bodies?: BodyBounds & { open: number }
}

interface ReadOptions extends BodyOptions {
  readonly elapsed: () => number
  /** Whether the time of the exchange is over. */
  readonly isLate: () => boolean
  readonly onPiece: (bytes: Uint8Array) => void
}

type Body = Pick<Exchange['response'], 'body' | 'chunks' | 'end' | 'broken'>

const mebibytes = (bytes: number): string => `${bytes / 2 ** 20} MiB`

/** Reads a body to its end, to a bound, or to where the case wants to hang up. Never throws. */
export function readBody(incoming: IncomingMessage, options: ReadOptions): Promise<Body> {
  return new Promise((resolve) => {
    const body = new GrowingBytes()
    const chunks: { atMs: number; size: number }[] = []
    const isStream = /^text\/event-stream/i.test(incoming.headers['content-type'] ?? '')
    const bodies = options.bodies ?? { open: 0 }
    const { most = bounds().answerBytes, mostOpen = Infinity } = bodies
    let held = 0
    let isOpen = true
    let tail = ''
    let lastByte = 0
    let silence: NodeJS.Timeout | undefined
    let decoder: Transform | undefined

    const finish = (end: AnswerEnd, bound?: string): void => {
      if (!isOpen) return
      isOpen = false
      bodies.open -= held
      clearTimeout(silence)
      resolve({
        body: Buffer.from(body.all()),
        chunks,
        end,
        ...(bound === undefined ? {} : { broken: bound }),
      })
      decoder?.destroy()
    }
    const receive = (piece: Buffer): void => {
      if (!isOpen) return
      body.add(piece)
      const atMs = options.elapsed()
      const last = chunks.at(-1)
      // Small pieces that come together are recorded as one, so that the framing of an answer does not exhaust its bound.
      const isJoined = chunks.length >= SEPARATE_PIECES && last !== undefined && atMs - last.atMs < JOINED_MS
      if (isJoined) last.size += piece.length
      else chunks.push({ atMs, size: piece.length })
      const size = piece.length + (isJoined ? 0 : PIECE_BYTES) + EVENT_BYTES * emptyLines(piece, lastByte)
      lastByte = piece.at(-1) ?? lastByte
      held += size
      bodies.open += size
      options.onPiece(piece)
      if (held > most) return finish('too-large', `the judge reads at most ${mebibytes(most)} of an answer`)
      if (bodies.open > mostOpen)
        return finish('too-large', `the judge holds at most ${mebibytes(mostOpen)} of all open answers`)
      if (chunks.length === options.abortAfterChunks) return finish('hung-up')
      if (!isStream) return
      clearTimeout(silence)
      tail = (tail + piece.toString('latin1')).slice(-64)
      if (/data: ?\[DONE\]\s*$/.test(tail))
        silence = setTimeout(() => finish('left-open'), options.openAfterDoneMs ?? OPEN_AFTER_DONE_MS)
    }
    const decoderOf = decoderFor(incoming.headers['content-encoding'])
    if (decoderOf === undefined) incoming.on('data', receive)
    else
      incoming.once('data', (first: Buffer) => {
        decoder = decoderOf(first)
        decoder.on('data', receive)
        decoder.on('end', () => finish('complete'))
        decoder.on('error', () => finish('broken'))
        decoder.write(first)
        incoming.pipe(decoder)
      })
    const cut = (): void => finish(options.isLate() ? 'timeout' : 'broken')
    incoming.on('end', () => decoder ?? finish('complete'))
    incoming.on('error', cut)
    // A decoder may not have passed on all bytes yet.
    incoming.on('close', () => (decoder !== undefined && incoming.complete) || cut())
  })
}

/** The number of empty lines that end in a piece, if `before` is the byte before it; each ends an event of a stream. */
function emptyLines(piece: Buffer, before: number): number {
  let [count, last] = [0, before]
  for (const byte of piece) {
    if (byte === CR ? last === CR || last === LF : byte === LF && last === LF) count += 1
    last = byte
  }
  return count
}
