// Recognises text byte by byte. States are immutable, so rejecting a token costs nothing: the previous state is still
// valid.
import { spend, TooMuchEffort } from './effort.ts'

/** A grammar of texts. A node may refer to itself through `lazy`. */
export type Grammar =
  | { readonly type: 'bytes'; readonly low: number; readonly high: number }
  | { readonly type: 'all'; readonly parts: readonly Grammar[] }
  | { readonly type: 'one'; readonly parts: readonly Grammar[] }
  | { readonly type: 'repeat'; readonly part: Grammar; readonly min: number; readonly max: number }
  /** `least` is the minimum number of bytes, if it is known; otherwise it is computed. */
  | { readonly type: 'lazy'; readonly get: () => Grammar; readonly least?: number }

export const byte = (low: number, high = low): Grammar => ({ type: 'bytes', low, high })
export const all = (...parts: readonly Grammar[]): Grammar => ({ type: 'all', parts })
export const one = (...parts: readonly Grammar[]): Grammar => ({ type: 'one', parts })
export const repeat = (part: Grammar, min: number, max: number): Grammar => ({
  type: 'repeat',
  part,
  min,
  max,
})
export const optional = (part: Grammar): Grammar => repeat(part, 0, 1)
export const lazy = (get: () => Grammar, least?: number): Grammar => ({
  type: 'lazy',
  get,
  ...(least === undefined ? {} : { least }),
})
/** Exactly this text, in UTF-8. */
export const literal = (text: string): Grammar =>
  all(...Array.from(Buffer.from(text), (value) => byte(value)))

/** Maximum number of alternatives at one position of a text. */
const MAX_WAYS = 10_000
/** Maximum number of steps to the next byte: a left-recursive grammar would never reach it. */
const MAX_DEPTH = 2000

/** No text matches a grammar. */
export class NoText extends RangeError {
  override readonly name = 'NoText'

  constructor() {
    super('no JSON text that this server can write matches it')
  }
}

/** The rest of a text: `head`, then `next`; undefined for the end. */
interface Rest {
  readonly head: Grammar
  readonly next: Rest | undefined
  /** Minimum number of bytes. */
  readonly least: number
}

export interface GrammarState {
  /** The state after `bytes`, or undefined if the grammar does not admit them. */
  after(bytes: Iterable<number>): GrammarState | undefined
  /** Whether the text may end here. */
  readonly mayEnd: boolean
  /** Whether the text cannot continue. */
  readonly mustEnd: boolean
  /** The first byte of the shortest completion; undefined if the text may end here. */
  nextByte(): number | undefined
}

/** The state before the first byte. Throws `NoText` if no text matches the grammar. */
export function begin(grammar: Grammar): GrammarState {
  const lengthOf = createLengths()
  if (lengthOf(grammar) === Infinity) throw new NoText()

  function followed(head: Grammar, next: Rest | undefined): Rest {
    return { head, next, least: lengthOf(head) + (next?.least ?? 0) }
  }

  /** Adds the alternatives of `rest` that start with a byte, and `undefined` if `rest` may be empty. */
  function open(rest: Rest | undefined, ways: (Rest | undefined)[], depth = 0): void {
    if (ways.length > MAX_WAYS || depth > MAX_DEPTH) throw new TooMuchEffort()
    spend(1)
    if (rest === undefined) {
      ways.push(undefined)
      return
    }
    if (rest.least === Infinity) return
    const { head, next } = rest
    switch (head.type) {
      case 'bytes':
        ways.push(rest)
        return
      case 'all':
        spend(head.parts.length)
        open(
          head.parts.reduceRight((tail, part) => followed(part, tail), next),
          ways,
          depth + 1,
        )
        return
      case 'one':
        for (const part of head.parts) open(followed(part, next), ways, depth + 1)
        return
      case 'repeat': {
        const { part, min, max } = head
        // One more repetition only if it takes a byte: repeating an empty part would never end.
        if (max > 0 && lengthOf(part) > 0)
          open(followed(part, followed(repeat(part, Math.max(0, min - 1), max - 1), next)), ways, depth + 1)
        if (min === 0) open(next, ways, depth + 1)
        return
      }
      case 'lazy':
        open(followed(head.get(), next), ways, depth + 1)
    }
  }

  function stateOf(ways: readonly (Rest | undefined)[]): GrammarState {
    return {
      mayEnd: ways.includes(undefined),
      mustEnd: ways.every((way) => way === undefined),
      after(bytes) {
        let here = ways
        for (const value of bytes) {
          const further: (Rest | undefined)[] = []
          spend(here.length)
          for (const way of here) {
            if (way?.head.type === 'bytes' && way.head.low <= value && value <= way.head.high)
              open(way.next, further)
          }
          if (further.length === 0) return undefined
          here = further
        }
        return stateOf(here)
      },
      nextByte() {
        if (ways.includes(undefined)) return undefined
        const [first, ...others] = ways
        const shortest = others.reduce(
          (best, way) => ((way?.least ?? 0) < (best?.least ?? 0) ? way : best),
          first,
        )
        return shortest?.head.type === 'bytes' ? shortest.head.low : undefined
      },
    }
  }

  const ways: (Rest | undefined)[] = []
  open(followed(grammar, undefined), ways)
  return stateOf(ways)
}

/** The minimum number of bytes of a matching text; `Infinity` if no text matches. */
export function leastBytes(grammar: Grammar): number {
  return createLengths()(grammar)
}

/** Computes the minimum number of bytes of grammars, iterating to a fixed point for recursive ones. */
function createLengths(): (grammar: Grammar) => number {
  const known = new Map<Grammar, number>()
  let changed = false

  function lengthOf(grammar: Grammar): number {
    const least = known.get(grammar)
    if (least !== undefined) return least
    if (grammar.type === 'repeat') return leastOf(grammar, lengthOf)
    do {
      changed = false
      visit(grammar, new Set())
    } while (changed)
    return known.get(grammar) ?? Infinity
  }

  function visit(grammar: Grammar, seen: Set<Grammar>): number {
    if (seen.has(grammar)) return known.get(grammar) ?? Infinity
    spend(1)
    seen.add(grammar)
    const least = leastOf(grammar, (part) => visit(part, seen))
    if (least !== (known.get(grammar) ?? Infinity)) changed = true
    known.set(grammar, least)
    return least
  }

  return lengthOf
}

function leastOf(grammar: Grammar, of: (part: Grammar) => number): number {
  switch (grammar.type) {
    case 'bytes':
      return 1
    case 'all':
      return grammar.parts.reduce((sum, part) => sum + of(part), 0)
    case 'one':
      return grammar.parts.reduce((least, part) => Math.min(least, of(part)), Infinity)
    case 'repeat':
      if (grammar.min > grammar.max) return Infinity
      return grammar.min === 0 ? 0 : grammar.min * of(grammar.part)
    case 'lazy':
      return grammar.least ?? of(grammar.get())
  }
}
