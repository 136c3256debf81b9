// Recognises text byte by byte: from a state that came by some bytes, the states that one more byte leads to. States
// never change, so a rejected token costs nothing: the old state is still there.
import { spend, TooMuchEffort } from './effort.ts'

/** What a text may be. Nodes may refer to themselves through `lazy`. */
export type Grammar =
  | { readonly type: 'bytes'; readonly low: number; readonly high: number }
  | { readonly type: 'all'; readonly parts: readonly Grammar[] }
  | { readonly type: 'one'; readonly parts: readonly Grammar[] }
  /** `part` from `min` to `max` times. */
  | { readonly type: 'repeat'; readonly part: Grammar; readonly min: number; readonly max: number }
  /** `least`, where it is known, is the fewest bytes that it takes; it is then not looked into for that. */
  | { readonly type: 'lazy'; readonly get: () => Grammar; readonly least?: number }

/** One byte from `low` to `high`. */
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

/** Ways that a text may go on, at most: a grammar with more at once is refused. */
const MAX_WAYS = 10_000
/** Steps to the next byte, at most: a grammar that begins with itself has no end of them. */
const MAX_DEPTH = 2000

/** No text matches a grammar. */
export class NoText extends RangeError {
  override readonly name = 'NoText'

  constructor() {
    super('no JSON text that this server can write matches it')
  }
}

/** What has still to come: `head`, then what `next` says; undefined for nothing. */
interface Rest {
  readonly head: Grammar
  readonly next: Rest | undefined
  /** Bytes that this takes at least. */
  readonly least: number
}

export interface GrammarState {
  /** The state after `bytes`, or undefined where the grammar does not admit them. */
  after(bytes: Iterable<number>): GrammarState | undefined
  /** Whether the text may end here. */
  readonly mayEnd: boolean
  /** Whether nothing more can come. */
  readonly mustEnd: boolean
  /** The first byte of the shortest way to an end; undefined where the text may end here. */
  nextByte(): number | undefined
}

/** The state before the first byte. Throws `NoText` where no text matches the grammar. */
export function begin(grammar: Grammar): GrammarState {
  const lengths = new Lengths()
  if (lengths.of(grammar) === Infinity) throw new NoText()

  function followed(head: Grammar, next: Rest | undefined): Rest {
    return { head, next, least: lengths.of(head) + (next?.least ?? 0) }
  }

  /** The ways through `rest` that begin with a byte; `undefined` among them where it may be empty. */
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
        // Once more first, where that takes a byte: an empty part repeated would never end.
        if (max > 0 && lengths.of(part) > 0)
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

/** The fewest bytes of a text that matches; `Infinity` where none does. */
export function leastBytes(grammar: Grammar): number {
  return new Lengths().of(grammar)
}

/** The fewest bytes that a grammar takes, for grammars that refer to themselves by ever better bounds. */
class Lengths {
  readonly #known = new Map<Grammar, number>()
  #changed = false

  of(grammar: Grammar): number {
    const known = this.#known.get(grammar)
    if (known !== undefined) return known
    if (grammar.type === 'repeat') return grammar.min === 0 ? 0 : grammar.min * this.of(grammar.part)
    do {
      this.#changed = false
      this.#visit(grammar, new Set())
    } while (this.#changed)
    return this.#known.get(grammar) ?? Infinity
  }

  #visit(grammar: Grammar, seen: Set<Grammar>): number {
    if (seen.has(grammar)) return this.#known.get(grammar) ?? Infinity
    spend(1)
    seen.add(grammar)
    const least = this.#leastOf(grammar, seen)
    if (least !== (this.#known.get(grammar) ?? Infinity)) this.#changed = true
    this.#known.set(grammar, least)
    return least
  }

  #leastOf(grammar: Grammar, seen: Set<Grammar>): number {
    switch (grammar.type) {
      case 'bytes':
        return 1
      case 'all':
        return grammar.parts.reduce((sum, part) => sum + this.#visit(part, seen), 0)
      case 'one':
        return grammar.parts.reduce((least, part) => Math.min(least, this.#visit(part, seen)), Infinity)
      case 'repeat': {
        const least = this.#visit(grammar.part, seen)
        return grammar.min === 0 ? 0 : grammar.min * least
      }
      case 'lazy':
        return grammar.least ?? this.#visit(grammar.get(), seen)
    }
  }
}
