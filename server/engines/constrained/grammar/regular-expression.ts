// Makes automata of the regular expressions of JSON Schema (ECMA-262, with the flag `u`, or without it if the syntax
// demands that). It refuses backreferences, word boundaries, and lookarounds other than lookaheads directly after a
// leading `^`.
import { type AST, RegExpParser, RegExpSyntaxError } from '@eslint-community/regexpp'
import { type Automaton, determined, type Edge, type Jump, patternProblem } from './automaton.ts'
import {
  characters,
  charactersMatching,
  type CharacterSet,
  complement,
  EVERY,
  intersection,
  union,
} from './character-set.ts'
import { spend } from './effort.ts'

/** Maximum number of states of one expression; a counted repetition is expanded. */
const MAX_STATES = 5000

const digits: CharacterSet = [[0x30, 0x39]]
const word = union(digits, [[0x41, 0x5a]], [[0x61, 0x7a]], characters('_'))
const space = union(characters('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'), [
  [0x2000, 0x200a],
])
const lineEnds = characters('\n\r\u2028\u2029')

const CLASSES = { digit: digits, space, word }

type Branch = Pick<AST.Alternative, 'elements'>

const parser = new RegExpParser({ ecmaVersion: 2025 })

/**
 * The automata that must all accept a text in which `source` matches somewhere, as JSON Schema requires: one for the
 * expression, and one for each lookahead at its start. Throws `SchemaProblem` if an automaton cannot follow `source`.
 */
export function automataOf(source: string): Automaton[] {
  const { alternatives } = parsed(source)
  const [first, ...elements] = alternatives[0]?.elements ?? []
  if (isLookahead(first)) throw patternProblem("a lookahead without '^' before it")
  const isAnchored = first?.type === 'Assertion' && first.kind === 'start'
  if (!isAnchored || !isLookahead(elements[0])) return [searching(alternatives)]
  if (alternatives.length > 1) throw patternProblem('a lookahead in one of several branches')

  const end = elements.findIndex((each) => !isLookahead(each))
  const lookaheads = elements.splice(0, end === -1 ? Infinity : end).filter(isLookahead)
  return [
    searching([{ elements }], true),
    ...lookaheads.map(({ alternatives: inner, negate }) => searching(inner, true, !negate)),
  ]
}

/** Syntax that has another meaning without the flag `u`. */
const UNICODE_ONLY = /\\[pPu]\{|[\ud800-\udfff]/

function parsed(source: string, unicode = true): AST.Pattern {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode })
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error
    // Escapes such as `\-` and `\_`, which many schemas have, are only allowed without the flag.
    if (unicode && !UNICODE_ONLY.test(source)) return parsed(source, false)
    throw patternProblem('syntax that cannot be read')
  }
}

function isLookahead(element: AST.Element | undefined): element is AST.LookaheadAssertion {
  return element?.type === 'Assertion' && element.kind === 'lookahead'
}

/**
 * Accepts each text in which one of `alternatives` matches somewhere, or at its start if they are `anchored`; if not
 * `holds`, accepts each other text.
 */
function searching(alternatives: readonly Branch[], anchored = false, holds = true): Automaton {
  const edges: Edge[][] = []
  const jumps: Jump[][] = []
  const sets = new Map<AST.Element, CharacterSet>()

  function state(): number {
    if (edges.length >= MAX_STATES) throw patternProblem('more repetitions than can be counted')
    spend(1)
    jumps.push([])
    return edges.push([]) - 1
  }
  const jump = (from: number, to: number, at?: Jump['at']) => jumps[from]?.push({ to, at })

  // The functions below add the states of a part after state `from`, and return the state after it.
  function choice(branches: readonly Branch[], from: number): number {
    const sequence = ({ elements }: Branch, start: number) =>
      elements.reduce((at, each) => build(each, at), start)
    const [only, ...others] = branches
    if (only !== undefined && others.length === 0) return sequence(only, from)
    const to = state()
    for (const branch of branches) {
      const own = state()
      jump(from, own)
      jump(sequence(branch, own), to)
    }
    return to
  }

  function build(element: AST.Element, from: number): number {
    switch (element.type) {
      case 'Assertion': {
        if (element.kind !== 'start' && element.kind !== 'end')
          throw patternProblem(element.kind === 'word' ? element.raw : 'a lookaround inside of it')
        const to = state()
        jump(from, to, element.kind)
        return to
      }
      case 'Backreference':
        throw patternProblem(element.raw.slice(0, 2))
      case 'Quantifier':
        return repeat(element, from)
      case 'Group':
        if (element.modifiers !== null) throw patternProblem('flags inside of it')
        return choice(element.alternatives, from)
      case 'CapturingGroup':
        return choice(element.alternatives, from)
      default: {
        const set = sets.get(element) ?? setOf(element)
        sets.set(element, set)
        const to = state()
        edges[from]?.push({ set, to })
        return to
      }
    }
  }

  function repeat({ element, min, max }: AST.Quantifier, from: number): number {
    let at = from
    // A part that adds no state matches only the empty text, so one repetition is enough.
    for (let count = 0, before = -1; count < min && before < edges.length; count += 1) {
      before = edges.length
      at = build(element, at)
    }
    const end = state()
    if (max === Infinity) {
      const loop = state()
      jump(at, loop)
      jump(build(element, loop), loop)
      jump(loop, end)
      return end
    }
    for (let count = min, before = -1; count < max && before < edges.length; count += 1) {
      before = edges.length
      jump(at, end)
      at = build(element, at)
    }
    jump(at, end)
    return end
  }

  const begin = state()
  const skipped = state()
  jump(begin, skipped)
  edges[skipped]?.push({ set: EVERY, to: skipped })
  const found = state()
  edges[found]?.push({ set: EVERY, to: found })
  let start = skipped
  if (anchored) {
    start = state()
    jump(skipped, start, 'start')
  }
  jump(choice(alternatives, start), found)
  return determined({ edges, jumps, begin, found, holds })
}

function setOf(element: AST.Element | AST.CharacterClassElement): CharacterSet {
  switch (element.type) {
    case 'Character':
      return [[element.value, element.value]]
    case 'CharacterClassRange':
      return [[element.min.value, element.max.value]]
    case 'CharacterClass': {
      const set = union(...element.elements.map(setOf))
      return element.negate ? complement(set) : intersection(EVERY, set)
    }
    case 'CharacterSet':
      if (element.kind === 'any') return complement(lineEnds)
      if (element.kind === 'property') return charactersMatching(element.raw)
      return element.negate ? complement(CLASSES[element.kind]) : CLASSES[element.kind]
    default:
      throw patternProblem(element.raw)
  }
}
