// Finite automata over characters, for the regular expressions of JSON Schema and for lengths.
import { type CharacterSet, EVERY } from './character-set.ts'
import { spend } from './effort.ts'
import { type Expression, type Pattern, PatternProblem } from './regular-expression.ts'

/** A deterministic automaton that is computed lazily. It starts in state 0. */
export interface Automaton {
  /** The first characters of the ranges that it treats alike. */
  readonly cuts: readonly number[]
  /** The state after one more character; undefined if no accepted text continues with it. */
  next(state: number, character: number): number | undefined
  accepts(state: number): boolean
}

/** Maximum number of states of one expression; a counted repetition is expanded. */
const MAX_STATES = 5000

/** Maximum number of nondeterministic states, summed over all deterministic states. */
const MAX_MEMBERS = 200_000

interface Edge {
  readonly set: CharacterSet
  readonly to: number
}
interface Jump {
  readonly at?: 'start' | 'end'
  readonly to: number
}

/** Accepts each text in which the expression matches somewhere, as JSON Schema requires. Throws `PatternProblem`. */
export function searching(expression: Expression): Automaton {
  const edges: Edge[][] = []
  const jumps: Jump[][] = []

  function state(): number {
    if (edges.length >= MAX_STATES) throw new PatternProblem('more repetitions than can be counted')
    spend(1)
    jumps.push([])
    return edges.push([]) - 1
  }
  const jump = (from: number, to: number, at?: 'start' | 'end') =>
    jumps[from]?.push({ to, ...(at === undefined ? {} : { at }) })

  /** Adds the states of `part` after state `from`, and returns the state after it. */
  function build(part: Expression, from: number): number {
    switch (part.type) {
      case 'set': {
        const to = state()
        edges[from]?.push({ set: part.set, to })
        return to
      }
      case 'start':
      case 'end': {
        const to = state()
        jump(from, to, part.type)
        return to
      }
      case 'sequence':
        return part.parts.reduce((at, each) => build(each, at), from)
      case 'choice': {
        const to = state()
        for (const each of part.parts) {
          const own = state()
          jump(from, own)
          jump(build(each, own), to)
        }
        return to
      }
      case 'repeat': {
        let at = from
        // A part that adds no state matches only the empty text, so one repetition is enough.
        for (let count = 0, before = -1; count < part.min && before < edges.length; count += 1) {
          before = edges.length
          at = build(part.part, at)
        }
        const end = state()
        if (part.max === Infinity) {
          const loop = state()
          jump(at, loop)
          jump(build(part.part, loop), loop)
          jump(loop, end)
          return end
        }
        for (let count = part.min, before = -1; count < part.max && before < edges.length; count += 1) {
          before = edges.length
          jump(at, end)
          at = build(part.part, at)
        }
        jump(at, end)
        return end
      }
    }
  }

  const begin = state()
  const skipped = state()
  jump(begin, skipped)
  edges[skipped]?.push({ set: EVERY, to: skipped })
  const found = state()
  edges[found]?.push({ set: EVERY, to: found })
  jump(build(expression, skipped), found)
  return determined({ edges, jumps, begin, found })
}

interface Nondeterministic {
  readonly edges: readonly (readonly Edge[])[]
  readonly jumps: readonly (readonly Jump[])[]
  readonly begin: number
  readonly found: number
}

function determined({ edges, jumps, begin, found }: Nondeterministic): Automaton {
  const cuts = [...new Set(edges.flat().flatMap(({ set }) => set.flatMap(([low, high]) => [low, high + 1])))]
  const ordered = cuts.toSorted((a, b) => a - b)
  const states: (readonly number[])[] = []
  const numbers = new Map<string, number>()
  /** The transitions of each state by character class, so that each character costs constant time. */
  const ways: Map<number, number | undefined>[] = []
  let total = 0

  /** All states that are reachable without a character. */
  function reached(from: readonly number[], start: boolean, end: boolean): Set<number> {
    const seen = new Set(from)
    for (const each of seen) {
      for (const { at, to } of jumps[each] ?? []) {
        if (at === undefined || (at === 'start' && start) || (at === 'end' && end)) seen.add(to)
      }
    }
    return seen
  }
  function numbered(from: readonly number[], start = false): number {
    const members = [...reached(from, start, false)].toSorted((a, b) => a - b)
    const key = `${start ? '^' : ''}${members.join(' ')}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    total += members.length
    if (total > MAX_MEMBERS) throw new PatternProblem('more ways to go on than can be followed')
    spend(members.length)
    numbers.set(key, states.length)
    ways.push(new Map())
    return states.push(members) - 1
  }

  numbered([begin], true)
  return {
    cuts,
    next(state, character) {
      const onward = ways[state]
      const alike = classOf(ordered, character)
      if (onward?.has(alike) === true) return onward.get(alike)
      const members = states[state] ?? []
      spend(members.length)
      const after = members.flatMap((each) =>
        (edges[each] ?? []).filter(({ set }) => has(set, character)).map(({ to }) => to),
      )
      const to = after.length === 0 ? undefined : numbered(after)
      onward?.set(alike, to)
      return to
    },
    accepts: (state) => reached(states[state] ?? [], state === 0, true).has(found),
  }
}

/** The number of `cuts`, which are sorted, that are at most `character`. */
function classOf(cuts: readonly number[], character: number): number {
  let [from, to] = [0, cuts.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((cuts[middle] ?? 0) <= character) from = middle + 1
    else to = middle
  }
  return from
}

function has(set: CharacterSet, character: number): boolean {
  return set.some(([low, high]) => low <= character && character <= high)
}

/** Accepts each text that `automaton` does not accept. */
export function negated(automaton: Automaton): Automaton {
  // State 0 stays the start; state 1 accepts every continuation.
  const [dead, first] = [1, 0]
  const inner = (state: number): number => (state === first ? 0 : state - 1)
  return {
    cuts: automaton.cuts,
    next(state, character) {
      const after = state === dead ? undefined : automaton.next(inner(state), character)
      return after === undefined ? dead : after === 0 ? first : after + 1
    },
    accepts: (state) => state === dead || !automaton.accepts(inner(state)),
  }
}

/** The same automata, with all states computed. */
export function explored(automata: readonly Automaton[]): readonly Automaton[] {
  for (const { cuts, next } of automata) {
    const states = new Set([0])
    // The loop also visits the states that it adds.
    for (const state of states) {
      for (const character of [0, ...cuts]) {
        const to = next(state, character)
        if (to !== undefined) states.add(to)
      }
    }
  }
  return automata
}

/** The automata that must all accept a text which has the pattern. Throws `PatternProblem`. */
export function automataOf({ expression, ahead }: Pattern): Automaton[] {
  return [
    searching(expression),
    ...ahead.map(({ expression: inner, holds }) => (holds ? searching(inner) : negated(searching(inner)))),
  ]
}

/** Accepts each text of `min` to `max` characters. */
export function ofLength(min: number, max: number): Automaton {
  const last = max === Infinity ? min : max
  return {
    cuts: [],
    next: (state) => (state < last ? state + 1 : max === Infinity ? state : undefined),
    accepts: (state) => min <= state,
  }
}
