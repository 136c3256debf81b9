// The grammars of objects with named properties, and of lists with unique items.
import { all, type Grammar, lazy, literal, one } from './byte-grammar.ts'
import { spend } from './effort.ts'
import { comma } from './json-text-grammar.ts'

const NOTHING = one()

export interface Pair {
  /** Whether the pair is required. */
  readonly must: boolean
  readonly grammar: Grammar
}

/** An object with `min` to `max` of `pairs`, in their order. */
export function namedPairs(pairs: readonly Pair[], min: number, max: number): Grammar {
  // Properties are counted only up to the number that matters, but at least to 1, because a first pair has no comma.
  const counted = max < pairs.length ? pairs.length : Math.max(1, Math.min(min, pairs.length + 1))
  // From the last pair to the first: the rest of the object, by the number of properties before.
  let tails = Array.from({ length: counted + 1 }, (_, count) => (count >= min ? literal('}') : NOTHING))
  for (const { must, grammar } of pairs.toReversed()) {
    const next = tails
    spend(next.length)
    tails = next.map((without, count) => {
      const after = next[Math.min(count + 1, counted)] ?? NOTHING
      const withIt = count < max ? all(...(count === 0 ? [] : [comma]), grammar, after) : NOTHING
      return must ? withIt : one(withIt, without)
    })
  }
  return all(literal('{'), tails[0] ?? NOTHING)
}

/** A list of `min` to `max` different `values`, each given as JSON. */
export function differentItems(values: readonly string[], min: number, max: number): Grammar {
  const lengths = values.map((value) => Buffer.byteLength(value))

  /** The rest of the list after these items. */
  function after(used: ReadonlySet<number>): Grammar {
    spend(values.length)
    const ways = [...values.keys()].flatMap((place) => {
      if (used.has(place) || used.size >= max) return []
      const further = new Set(used).add(place)
      const value = literal(values[place] ?? '')
      return [
        all(
          ...(used.size === 0 ? [] : [comma]),
          value,
          lazy(() => after(further), leastAfter(further)),
        ),
      ]
    })
    return one(...(used.size >= min ? [literal(']')] : []), ...ways)
  }

  /** The minimum number of bytes after these items. */
  function leastAfter(used: ReadonlySet<number>): number {
    spend(values.length)
    const wanted = Math.max(0, min - used.size)
    const left = lengths.filter((_, place) => !used.has(place)).toSorted((a, b) => a - b)
    if (wanted > left.length || min > max) return Infinity
    return (
      left.slice(0, wanted).reduce((sum, length) => sum + length + 1, 1) -
      (used.size === 0 && wanted > 0 ? 1 : 0)
    )
  }

  return all(
    literal('['),
    lazy(() => after(new Set()), leastAfter(new Set())),
  )
}
