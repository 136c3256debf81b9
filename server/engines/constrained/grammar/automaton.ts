// Finite automata over characters, for the regular expressions of JSON Schema and for lengths.
import type { CharacterSet } from './character-set.ts'
import { spend } from './effort.ts'
import { SchemaProblem } from '../../schema-problem.ts'

/** A deterministic automaton that is computed lazily. It starts in state 0. */
export interface Automaton {
  /** The first characters of the ranges whose characters it does not distinguish. */
  readonly cuts: readonly number[]
  /** The state after one more character; undefined if no accepted text continues with it. */
  next(state: number, character: number): number | undefined
  accepts(state: number): boolean
}

/** Maximum number of nondeterministic states, summed over all deterministic states. */
const MAX_MEMBERS = 200_000

/** The refusal of a pattern that an automaton cannot follow; `what` names the unsupported syntax. */
export function patternProblem(what: string): SchemaProblem {
  return new SchemaProblem('pattern', `this one has ${what}, which is not supported`)
}

export interface Edge {
  readonly set: CharacterSet
  readonly to: number
}
/** A transition without a character; if `at` is set, only at the start or the end of the text. */
export interface Jump {
  readonly at: 'start' | 'end' | undefined
  readonly to: number
}

/**
 * A nondeterministic automaton, its edges and jumps by state. It accepts texts that lead to `found`, or if not `holds`
 * all others.
 */
export interface Nondeterministic {
  readonly edges: readonly (readonly Edge[])[]
  readonly jumps: readonly (readonly Jump[])[]
  readonly begin: number
  readonly found: number
  readonly holds: boolean
}

export function determined({ edges, jumps, begin, found, holds }: Nondeterministic): Automaton {
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
    if (total > MAX_MEMBERS) throw patternProblem('more ways to go on than can be followed')
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
      const to = after.length === 0 && holds ? undefined : numbered(after)
      onward?.set(alike, to)
      return to
    },
    accepts: (state) => reached(states[state] ?? [], state === 0, true).has(found) === holds,
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

/** Computes all states of `automata`, and returns them. */
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

/** Accepts each text of `min` to `max` characters. */
export function ofLength(min: number, max: number): Automaton {
  const last = max === Infinity ? min : max
  return {
    cuts: [],
    next: (state) => (state < last ? state + 1 : max === Infinity ? state : undefined),
    accepts: (state) => min <= state,
  }
}
