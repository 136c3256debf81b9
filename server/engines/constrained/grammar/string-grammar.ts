// The grammar of JSON strings whose content several automata accept: their product, without dead ends.
import { all, type Grammar, lazy, leastBytes, literal, one } from './byte-grammar.ts'
import type { Automaton } from './automaton.ts'
import { spend } from './effort.ts'
import { type CharacterSet, EVERY, inString, intersection, union } from './character-set.ts'

/** Maximum number of states of the product, which is computed for each request. */
const MAX_STATES = 10_000

/** The product has too many states for one request. */
export class TooManyStates extends Error {
  override readonly name = 'TooManyStates'
}

interface State {
  readonly accepts: boolean
  /** The characters that lead to each next state. */
  readonly edges: ReadonlyMap<number, CharacterSet>
}

/** The strings that all `automata` accept; undefined if there are none. Throws `TooManyStates`. */
export function stringGrammar(automata: readonly Automaton[]): Grammar | undefined {
  const states = product(automata)
  const encodings = new Map<string, { readonly grammar: Grammar; readonly bytes: number }>()
  const encoded = (set: CharacterSet) =>
    memoized(encodings, set.join(' '), () => {
      const grammar = inString(set)
      return { grammar, bytes: leastBytes(grammar) }
    })
  const least = leastOf(states, (set) => encoded(set).bytes)
  if (least[0] === undefined || least[0] === Infinity) return undefined
  const grammars = new Map<number, Grammar>()

  /** The grammar of the rest of the string after this state. */
  function grammarAt(at: number): Grammar {
    return memoized(grammars, at, () => {
      const { accepts, edges } = states[at] ?? { accepts: false, edges: new Map<number, CharacterSet>() }
      const ways = [...edges].flatMap(([to, set]) =>
        least[to] === Infinity ? [] : [all(encoded(set).grammar, further(to))],
      )
      return one(...(accepts ? [all()] : []), ...ways)
    })
  }
  const further = (to: number): Grammar => lazy(() => grammarAt(to), least[to])

  return all(literal('"'), further(0), literal('"'))
}

function memoized<K, V>(made: Map<K, V>, key: K, make: () => V): V {
  const value = made.get(key) ?? make()
  made.set(key, value)
  return value
}

/** Whether all of `automata` accept `text`. */
export function acceptsText(automata: readonly Automaton[], text: string): boolean {
  return automata.every((automaton) => {
    let state: number | undefined = 0
    for (const character of text) {
      state = automaton.next(state, character.codePointAt(0) ?? 0)
      if (state === undefined) return false
    }
    return automaton.accepts(state)
  })
}

function product(automata: readonly Automaton[]): State[] {
  const classes = alikes(automata)
  const tuples: (readonly number[])[] = []
  const numbers = new Map<string, number>()
  function numbered(tuple: readonly number[]): number {
    const key = tuple.join(' ')
    const known = numbers.get(key)
    if (known !== undefined) return known
    if (tuples.length >= MAX_STATES) throw new TooManyStates()
    numbers.set(key, tuples.length)
    return tuples.push(tuple) - 1
  }

  numbered(automata.map(() => 0))
  const states: State[] = []
  // The loop also visits the states that it adds.
  for (const tuple of tuples) {
    const edges = new Map<number, CharacterSet[]>()
    for (const set of classes) {
      spend(automata.length)
      const character = set[0]?.[0] ?? 0
      const after = automata.flatMap((automaton, index) => automaton.next(tuple[index] ?? 0, character) ?? [])
      if (after.length < automata.length) continue
      const to = numbered(after)
      edges.set(to, [...(edges.get(to) ?? []), set])
    }
    states.push({
      accepts: automata.every((automaton, index) => automaton.accepts(tuple[index] ?? 0)),
      edges: new Map(Array.from(edges, ([to, sets]) => [to, union(...sets)])),
    })
  }
  return states
}

/** The ranges of characters that all automata treat alike. */
function alikes(automata: readonly Automaton[]): CharacterSet[] {
  const cuts = [...new Set([0, ...automata.flatMap(({ cuts: own }) => own), 0x110000])].toSorted(
    (a, b) => a - b,
  )
  return cuts
    .slice(0, -1)
    .map((low, index) => intersection(EVERY, [[low, (cuts[index + 1] ?? low) - 1]]))
    .filter((set) => set.length > 0)
}

/** The minimum number of bytes from each state to an accepting state. */
function leastOf(states: readonly State[], bytesOf: (set: CharacterSet) => number): number[] {
  const least = states.map(({ accepts }) => (accepts ? 0 : Infinity))
  const into = states.map((): { readonly from: number; readonly bytes: number }[] => [])
  for (const [from, { edges }] of states.entries()) {
    for (const [to, set] of edges) into[to]?.push({ from, bytes: bytesOf(set) })
  }
  const changed = states.flatMap(({ accepts }, at) => (accepts ? [at] : []))
  // The loop also visits the states that it improves.
  for (const to of changed) {
    for (const { from, bytes } of into[to] ?? []) {
      const way = (least[to] ?? Infinity) + bytes
      if (way >= (least[from] ?? Infinity)) continue
      least[from] = way
      changed.push(from)
    }
  }
  return least
}
