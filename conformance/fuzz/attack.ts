// One attack as data: what goes to the socket, how fast, and how the answer is read. Small however much it sends, so
// that it can be kept, written to a file and sent again.

/** Text that is sent so many times over; where it is numbered, each `{n}` in it is the number of the time. */
export interface Piece {
  readonly text: string
  readonly times?: number | undefined
  readonly numbered?: true | undefined
}

/** Stands in the head of a request for the key, which no file may hold. */
export const KEY_PLACE = '{key}'

export interface Attack {
  /** What it tries, as `schema` or `slow body`. */
  readonly kind: string
  readonly pieces: readonly Piece[]
  /** Sends so many bytes, waits, and so on; at once where absent. */
  readonly pace?: { readonly bytes: number; readonly everyMs: number } | undefined
  /** Reads nothing for so long once the first bytes are there, in milliseconds. */
  readonly stallMs?: number | undefined
  /** Is gone so long after the start, in milliseconds. */
  readonly leaveMs?: number | undefined
}

/** Where an attack stands in a run: the same place gives the same attack. */
export interface Place {
  readonly seed: number
  readonly connection: number
  readonly number: number
}

/** The bytes of the pieces, in blocks of about `BLOCK_BYTES`: at most one of them is in memory at a time. */
export function* blocksOf(pieces: readonly Piece[]): Generator<Buffer> {
  for (const { text, times = 1, numbered } of pieces) {
    if (numbered) yield* numberedBlocks(text, times)
    else {
      const once = Buffer.from(text)
      const together = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, once.length)))
      const block = times >= together ? Buffer.concat(Array.from({ length: together }, () => once)) : once
      let left = times
      for (; block !== once && left >= together; left -= together) yield block
      for (; left > 0; left -= 1) yield once
    }
  }
}

const BLOCK_BYTES = 16 * 1024

function* numberedBlocks(text: string, times: number): Generator<Buffer> {
  let block = ''
  for (let number = 0; number < times; number += 1) {
    block += text.replaceAll('{n}', String(number))
    if (block.length < BLOCK_BYTES) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block !== '') yield Buffer.from(block)
}

/** How many bytes the pieces are. */
export function lengthOf(pieces: readonly Piece[]): number {
  let length = 0
  for (const piece of pieces)
    if (piece.numbered) for (const block of blocksOf([piece])) length += block.length
    else length += Buffer.byteLength(piece.text) * (piece.times ?? 1)
  return length
}
