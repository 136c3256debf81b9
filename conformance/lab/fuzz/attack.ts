// One attack as data: the bytes to send, their pace, and how the answer is read. It is small, so that it can be written
// to a file and sent again.
import { z } from 'zod'

/** Text that is sent `times` times; if it is numbered, each `{n}` is replaced with the number of the repetition. */
const piece = z.object({
  text: z.string(),
  times: z.number().int().nonnegative().optional(),
  numbered: z.literal(true).optional(),
})
export type Piece = Readonly<z.infer<typeof piece>>

/** Placeholder for the key in the head of a request, because no file may contain a key. */
export const KEY_PLACE = '{key}'

const pieces = z.array(piece).readonly()

/** Sends this many bytes, waits, and repeats; without it, sends everything at once. */
const pace = z.object({ bytes: z.number().int().positive(), everyMs: z.number().nonnegative() }).optional()

/** One step of a client on its connection. */
const step = z.union([
  z.object({ write: pieces, pace }),
  z.object({ waitMs: z.number().nonnegative() }),
  /** Waits for a byte of the server, for all answers that it owes (at least one), or until it ends the stream. */
  z.object({ until: z.enum(['byte', 'answer', 'end']) }),
  /** `end` sends the end of the stream and reads on; `close` reads no more; `reset` closes with a reset. */
  z.object({ do: z.enum(['end', 'close', 'reset', 'stop reading', 'read on']) }),
])
export type ConnectionStep = Readonly<z.infer<typeof step>>

export const attackSchema = z.object({
  /** The kind of attack, for example `schema` or `slow body`. */
  kind: z.string(),
  pieces,
  pace,
  /** Sends only this share of the bytes, and then the end of the stream. */
  share: z.number().min(0).max(1).optional(),
  /** Stops reading for this long after the first bytes, in milliseconds. */
  stallMs: z.number().nonnegative().optional(),
  /** Disconnects this long after the start, in milliseconds. */
  leaveMs: z.number().nonnegative().optional(),
  /** The steps after the pieces, in an attack on the connection: after them, the client waits until the server closes it. */
  steps: z.array(step).readonly().optional(),
  /** The answers that the client of such an attack must receive. */
  owed: z.number().int().nonnegative().optional(),
  /** The number of connections on which such an attack runs concurrently. */
  copies: z.number().int().positive().optional(),
})
export type Attack = Readonly<z.infer<typeof attackSchema>>

/** The position of an attack in a run: the same position gives the same attack. */
export interface Position {
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

/** The length of the pieces, in bytes. */
export function lengthOf(pieces: readonly Piece[]): number {
  let length = 0
  for (const piece of pieces)
    if (piece.numbered) for (const block of blocksOf([piece])) length += block.length
    else length += Buffer.byteLength(piece.text) * (piece.times ?? 1)
  return length
}
