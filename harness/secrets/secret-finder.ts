// Finds known secrets and pieces of them (in any case) in a text without codings, in one pass whatever their number.
import { type Found, withoutEscapes } from '../../spec/protocol/codings.ts'

export interface Secret {
  /** Printable ASCII. */
  readonly text: string
  /** A number above 0 that says whose secret it is. */
  readonly owner: number
  /** Length of the pieces that are found, in characters, at least 4. A shorter secret is not found. */
  readonly pieceChars: number
  /** Whether a piece identifies the secret; other pieces are found only within the whole secret. Default: all do. */
  readonly isTelling?: (piece: string) => boolean
}

/** The secrets with pieces of one length. */
interface Table {
  /** The owners of pieces in lower case: of a piece of several secrets, the last one. */
  readonly pieces: Map<string, number>
  /** The secrets by their first piece, the longest first: one may be the beginning of another. */
  readonly wholes: Map<string, readonly Secret[]>
  /** The slots of the first four characters of all pieces: at a slot with 0 no piece begins. */
  readonly filter: Uint8Array
}

/** This size leaves most slots empty if there are some hundred secrets. */
const FILTER_BITS = 18

export function createSecretFinder() {
  const tables = new Map<number, Table>()

  function tableOf(pieceChars: number): Table {
    const table = tables.get(pieceChars) ?? {
      pieces: new Map(),
      wholes: new Map(),
      filter: new Uint8Array(2 ** FILTER_BITS),
    }
    tables.set(pieceChars, table)
    return table
  }

  return {
    /** Finds this secret from now on. */
    add(secret: Secret): void {
      const { owner, pieceChars, isTelling = () => true } = secret
      const { pieces, wholes, filter } = tableOf(pieceChars)
      const text = withoutEscapes(secret.text)
      if (text.length < pieceChars) return
      const head = text.slice(0, pieceChars)
      const others = (wholes.get(head) ?? []).filter((other) => other.text !== text)
      const all = [...others, { ...secret, text }]
      wholes.set(
        head,
        all.toSorted((a, b) => b.text.length - a.text.length),
      )
      for (const piece of piecesOf(text, pieceChars)) {
        filter[slotOf(Buffer.from(piece.slice(0, 4)).reduce(withNext, 0))] = 1
        if (isTelling(piece)) pieces.set(piece.toLowerCase(), owner)
      }
    },

    /** Forgets this secret of its owner. */
    remove(secret: Secret): void {
      const { owner, pieceChars } = secret
      const { pieces, wholes } = tableOf(pieceChars)
      const text = withoutEscapes(secret.text)
      const head = text.slice(0, pieceChars)
      const others = (wholes.get(head) ?? []).filter((other) => other.owner !== owner)
      if (others.length === 0) wholes.delete(head)
      else wholes.set(head, others)
      for (const piece of piecesOf(text, pieceChars))
        if (pieces.get(piece.toLowerCase()) === owner) pieces.delete(piece.toLowerCase())
    },

    find(text: string): readonly Found[] {
      return [...tables].flatMap(([size, table]) => findIn(text, size, table))
    },
  }
}

function piecesOf(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - size + 1) }, (_, at) => text.slice(at, at + size))
}

function findIn(text: string, size: number, { pieces, wholes, filter }: Table): readonly Found[] {
  const found: { from: number; to: number; owner: number }[] = []
  // Latin-1 maps other characters to the same bytes, so a match is compared with the text.
  const bytes = Buffer.from(text, 'latin1')
  let [next, four] = [0, 0]
  for (let end = 0; end < bytes.length; end++) {
    four = withNext(four, bytes[end])
    const at = end - 3
    if (filter[slotOf(four)] === 0 || at < next) continue
    const piece = text.slice(at, at + size)
    const whole = wholes.get(piece)?.find((secret) => text.startsWith(secret.text, at))
    const owner = whole?.owner ?? pieces.get(piece.toLowerCase())
    if (owner === undefined) continue
    const to = at + (whole?.text.length ?? size)
    // A piece of another secret may begin before this one ends.
    next = to - size + 1
    const last = found.at(-1)
    if (whole === undefined && last?.owner === owner && last.to >= at) last.to = to
    else found.push({ from: at, to, owner })
  }
  return found
}

/** Adds a character to the last four characters, which one number holds without their case. */
function withNext(four: number, next = 0): number {
  return (four >>> 8) | ((next | 32) << 24)
}

/** The slot of four characters in the filter, by multiplicative hashing. */
function slotOf(four: number): number {
  return Math.imul(four, 0x9e3779b1) >>> (32 - FILTER_BITS)
}
