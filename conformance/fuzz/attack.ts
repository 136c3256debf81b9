// One attack as data: the bytes to send, their pace, and how the answer is read. It is small, so that it can be written
// to a file and sent again.

/** Text that is sent `times` times; if it is numbered, each `{n}` is replaced with the number of the repetition. */
export interface Piece {
  readonly text: string
  readonly times?: number | undefined
  readonly numbered?: true | undefined
}

/** Placeholder for the key in the head of a request, because no file may contain a key. */
export const KEY_PLACE = '{key}'

export interface Attack {
  /** The kind of attack, for example `schema` or `slow body`. */
  readonly kind: string
  readonly pieces: readonly Piece[]
  /** Sends this many bytes, waits, and repeats; without it, sends everything at once. */
  readonly pace?: { readonly bytes: number; readonly everyMs: number } | undefined
  /** Stops reading for this long after the first bytes, in milliseconds. */
  readonly stallMs?: number | undefined
  /** Disconnects this long after the start, in milliseconds. */
  readonly leaveMs?: number | undefined
}

/** The place of an attack in a run: the same place gives the same attack. */
export interface Place {
  readonly seed: number
  readonly connection: number
  readonly number: number
}

/** The bytes of the pieces, in blocks of about `BLOCK_BYTES`: at most two of them are in memory at a time. */
export function* blocksOf(pieces: readonly Piece[]): Generator<Buffer> {
  let block = ''
  for (const { text, times = 1, numbered } of pieces) {
    const together = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, text.length)))
    for (let number = 0; number < times; number += numbered ? 1 : together) {
      block += numbered
        ? text.replaceAll('{n}', String(number))
        : text.repeat(Math.min(together, times - number))
      if (block.length < BLOCK_BYTES) continue
      yield Buffer.from(block)
      block = ''
    }
  }
  if (block !== '') yield Buffer.from(block)
}

const BLOCK_BYTES = 16 * 1024

/** How many bytes the pieces are. */
export function lengthOf(pieces: readonly Piece[]): number {
  let length = 0
  for (const piece of pieces)
    if (piece.numbered) for (const block of blocksOf([piece])) length += block.length
    else length += Buffer.byteLength(piece.text) * (piece.times ?? 1)
  return length
}
