// Decodes answers that are compressed although the request allowed `identity` alone: gzip, br and deflate.
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

/** The decoder for the value of `Content-Encoding`; undefined for a body that is read as it comes. */
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
