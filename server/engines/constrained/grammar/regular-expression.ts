// Reads the regular expressions of JSON Schema (ECMA-262, with the flag `u`) that a finite automaton can follow. It refuses
// backreferences, word boundaries, and lookarounds other than lookaheads directly after a leading `^`.
import { type AST, RegExpParser, RegExpSyntaxError } from '@eslint-community/regexpp'
import {
  characters,
  charactersMatching,
  type CharacterSet,
  complement,
  EVERY,
  intersection,
  union,
} from './character-set.ts'

export type Expression =
  | { readonly type: 'set'; readonly set: CharacterSet }
  | { readonly type: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly type: 'choice'; readonly parts: readonly Expression[] }
  | { readonly type: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number }
  | { readonly type: 'start' }
  | { readonly type: 'end' }

export interface Pattern {
  readonly expression: Expression
  /** Lookaheads from the start of the text: each must match, or must not match if `holds` is false. */
  readonly ahead: readonly { readonly expression: Expression; readonly holds: boolean }[]
}

/** An automaton cannot follow the expression; the message names the unsupported syntax. */
export class PatternProblem extends Error {
  override readonly name = 'PatternProblem'
}

const digits: CharacterSet = [[0x30, 0x39]]
const word = union(digits, [[0x41, 0x5a]], [[0x61, 0x7a]], characters('_'))
const space = union(characters('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'), [
  [0x2000, 0x200a],
])
const lineEnds = characters('\n\r\u2028\u2029')

const CLASSES = { digit: digits, space, word }

const parser = new RegExpParser({ ecmaVersion: 2025 })

/** Throws `PatternProblem` if an automaton cannot follow `source`. */
export function readPattern(source: string): Pattern {
  const { alternatives } = parsed(source)
  const [first, ...elements] = alternatives[0]?.elements ?? []
  if (isLookahead(first)) throw new PatternProblem("a lookahead without '^' before it")
  const isAnchored = first?.type === 'Assertion' && first.kind === 'start'
  if (!isAnchored || !isLookahead(elements[0])) return { expression: choice(alternatives), ahead: [] }
  if (alternatives.length > 1) throw new PatternProblem('a lookahead in one of several branches')

  const end = elements.findIndex((each) => !isLookahead(each))
  const lookaheads = elements.splice(0, end === -1 ? Infinity : end)
  const fromStart = (inner: Expression): Expression => ({
    type: 'sequence',
    parts: [{ type: 'start' }, inner],
  })
  return {
    expression: fromStart(sequence(elements)),
    ahead: lookaheads.filter(isLookahead).map(({ alternatives: inner, negate }) => ({
      expression: fromStart(choice(inner)),
      holds: !negate,
    })),
  }
}

function parsed(source: string): AST.Pattern {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true })
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error
    throw new PatternProblem('syntax that cannot be read')
  }
}

function isLookahead(element: AST.Element | undefined): element is AST.LookaheadAssertion {
  return element?.type === 'Assertion' && element.kind === 'lookahead'
}

function choice(alternatives: readonly AST.Alternative[]): Expression {
  const parts = alternatives.map(({ elements }) => sequence(elements))
  return parts.length === 1 ? (parts[0] ?? { type: 'choice', parts }) : { type: 'choice', parts }
}

function sequence(elements: readonly AST.Element[]): Expression {
  return { type: 'sequence', parts: elements.map(expressionOf) }
}

function expressionOf(element: AST.Element): Expression {
  switch (element.type) {
    case 'Assertion':
      if (element.kind === 'start' || element.kind === 'end') return { type: element.kind }
      throw new PatternProblem(element.kind === 'word' ? element.raw : 'a lookaround inside of it')
    case 'Backreference':
      throw new PatternProblem(element.raw.slice(0, 2))
    case 'Quantifier':
      return { type: 'repeat', part: expressionOf(element.element), min: element.min, max: element.max }
    case 'Group':
      if (element.modifiers !== null) throw new PatternProblem('flags inside of it')
      return choice(element.alternatives)
    case 'CapturingGroup':
      return choice(element.alternatives)
    case 'CharacterClass':
      return { type: 'set', set: classOf(element) }
    case 'Character':
    case 'CharacterSet':
      return { type: 'set', set: setOf(element) }
    case 'ExpressionCharacterClass':
      throw new PatternProblem(element.raw)
  }
}

function classOf({ elements, negate }: AST.CharacterClass): CharacterSet {
  const set = union(...elements.map(setOf))
  return negate ? complement(set) : intersection(EVERY, set)
}

function setOf(element: AST.CharacterClassElement | AST.CharacterSet): CharacterSet {
  switch (element.type) {
    case 'Character':
      return [[element.value, element.value]]
    case 'CharacterClassRange':
      return [[element.min.value, element.max.value]]
    case 'CharacterSet':
      if (element.kind === 'any') return complement(lineEnds)
      if (element.kind === 'property') return charactersMatching(element.raw)
      return element.negate ? complement(CLASSES[element.kind]) : CLASSES[element.kind]
    default:
      throw new PatternProblem(element.raw)
  }
}
