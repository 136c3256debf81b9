// Content codings. Decodes answers that are compressed although the request allowed `identity` alone: gzip, br and
// deflate. Encodes those of the scripted service for a client that accepts a coding.
import { setImmediate } from 'node:timers/promises'
import zlib from 'node:zlib'
import type { Transform } from 'node:stream'

/** Makes the decoder of a body from its first bytes. */
type DecoderOf = (first: Uint8Array) => Transform

/** Passes decoded bytes on immediately, even if the end is missing. */
const options: zlib.ZlibOptions = {
  flush: zlib.constants.Z_SYNC_FLUSH,
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
}
const { BROTLI_OPERATION_FLUSH } = zlib.constants

/** The low half of the first byte of a zlib stream; some servers send `deflate` without its frame. */
const ZLIB_METHOD = 8

const decoders: ReadonlyMap<string, DecoderOf> = new Map<string, DecoderOf>([
  ['gzip', () => zlib.createGunzip(options)],
  ['x-gzip', () => zlib.createGunzip(options)],
  [
    'br',
    () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
  ],
  [
    'deflate',
    ([first = 0]) =>
      (first & 0xf) === ZLIB_METHOD ? zlib.createInflate(options) : zlib.createInflateRaw(options),
  ],
])

/** The decoder for the value of `Content-Encoding`; undefined for a body without a known coding. */
export function decoderFor(encoding: string | undefined): DecoderOf | undefined {
  return decoders.get(encoding?.trim().toLowerCase() ?? '')
}

/** Undoes the content coding of a whole body; undefined if that is not possible, or if it gives more bytes than `most`. */
export async function decodeWhole(
  body: Uint8Array,
  decoder: Transform,
  most: number,
): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = []
  let size = 0
  decoder.end(body)
  try {
    for await (const piece of decoder) {
      pieces.push(piece as Buffer)
      size += (piece as Buffer).length
      if (size > most) return undefined
    }
    return Buffer.concat(pieces)
  } catch {
    return undefined
  }
}

const encoders = {
  gzip: () => zlib.createGzip(),
  deflate: () => zlib.createDeflate(),
  br: () => zlib.createBrotliCompress(),
  zstd: () => zlib.createZstdCompress(),
} as const

/** A coding that a body can be sent in. */
export type Coding = keyof typeof encoders

const isCoding = (name: string): name is Coding => Object.hasOwn(encoders, name)

/** The codings that a value of `Accept-Encoding` names and that a body can be sent in; one with `q=0` is refused. */
export function codingsIn(accepted: string | undefined): readonly Coding[] {
  const named = (accepted ?? '').toLowerCase().split(',')
  return named.flatMap((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    return isCoding(name) && !parameters.some((part) => /^q=0(\.0*)?$/.test(part)) ? name : []
  })
}

/** Encodes the pieces of one body in order. */
export type Encoder = (bytes: Uint8Array, isLast: boolean) => Promise<Uint8Array>

/** Makes the encoder of one body: its reader can decode each piece before the next one comes. */
export function encoderOf(coding: Coding | undefined): Encoder {
  if (coding === undefined) return async (bytes) => bytes
  const stream = encoders[coding]()
  let ready: Buffer[] = []
  stream.on('data', (bytes: Buffer) => ready.push(bytes))
  return async (bytes, isLast) => {
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject)
      if (isLast) stream.once('end', resolve).end(bytes)
      else {
        stream.write(bytes)
        stream.flush(() => resolve())
      }
    })
    // The stream may emit its flushed bytes only in the next turn.
    if (!isLast) await setImmediate()
    stream.removeAllListeners('error')
    const encoded = Buffer.concat(ready)
    ready = []
    return encoded
  }
}
