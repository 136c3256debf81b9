// Reads the regular expressions of JSON Schema (ECMA-262, with the flag `u`) as far as a finite automaton can follow
// them: no references back, no word boundaries, lookahead only at the beginning. What it cannot read is reported.
import {
  characters,
  charactersMatching,
  type CharacterSet,
  codePoint,
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
  /** What else the text must match, or must not, from its beginning. */
  readonly ahead: readonly { readonly expression: Expression; readonly holds: boolean }[]
}

/** An expression that an automaton cannot follow; the message names what. */
export class PatternProblem extends Error {
  override readonly name = 'PatternProblem'
}

const digits: CharacterSet = [[0x30, 0x39]]
const word = union(digits, [[0x41, 0x5a]], [[0x61, 0x7a]], characters('_'))
const space = union(characters('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'), [
  [0x2000, 0x200a],
])
const lineEnds = characters('\n\r\u2028\u2029')

const CLASSES: Readonly<Record<string, CharacterSet>> = {
  d: digits,
  w: word,
  s: space,
  D: complement(digits),
  W: complement(word),
  S: complement(space),
}
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }

/** Throws `PatternProblem`. A `source` that is no regular expression at all must have been refused before. */
export function readPattern(source: string): Pattern {
  const symbols = Array.from(source)
  let at = 0
  const ahead: { expression: Expression; holds: boolean }[] = []

  const looks = (text: string): boolean => symbols.slice(at, at + text.length).join('') === text
  function takes(text: string): boolean {
    if (!looks(text)) return false
    at += text.length
    return true
  }

  function choice(): Expression {
    const parts = [sequence()]
    while (takes('|')) parts.push(sequence())
    return parts.length === 1 ? (parts[0] ?? { type: 'choice', parts }) : { type: 'choice', parts }
  }

  function sequence(): Expression {
    const parts: Expression[] = []
    while (at < symbols.length && !looks('|') && !looks(')')) parts.push(repeated())
    return { type: 'sequence', parts }
  }

  function repeated(): Expression {
    const part = single()
    const counted = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(symbols.slice(at, at + 30).join(''))
    if (counted === null) return part
    const [whole, from = '', comma, to] = counted
    at += whole.length
    // Lazy or not, the same texts match.
    takes('?')
    if (whole === '?') return { type: 'repeat', part, min: 0, max: 1 }
    if (from === '') return { type: 'repeat', part, min: whole === '+' ? 1 : 0, max: Infinity }
    const max = comma === '' ? Number(from) : to === '' ? Infinity : Number(to)
    return { type: 'repeat', part, min: Number(from), max }
  }

  function single(): Expression {
    if (takes('^')) return { type: 'start' }
    if (takes('$')) return { type: 'end' }
    if (takes('.')) return { type: 'set', set: complement(lineEnds) }
    if (takes('[')) return { type: 'set', set: bracketed() }
    if (takes('(')) return group()
    if (takes('\\')) return { type: 'set', set: escape() }
    return { type: 'set', set: characters(symbols[at++] ?? '') }
  }

  function group(): Expression {
    if (takes('?') && !takes(':')) {
      if (!takes('<') || looks('=') || looks('!')) throw new PatternProblem('a lookaround inside of it')
      while (!takes('>')) at += 1
    }
    return closed(choice())
  }

  function closed(inner: Expression): Expression {
    takes(')')
    return inner
  }

  function bracketed(): CharacterSet {
    const negated = takes('^')
    const sets: CharacterSet[] = []
    while (!takes(']')) {
      const low = member()
      const ranged = looks('-') && symbols[at + 1] !== ']' && low.length === 1
      if (!ranged) sets.push(low)
      else {
        at += 1
        sets.push([[low[0]?.[0] ?? 0, member()[0]?.[1] ?? 0]])
      }
    }
    return negated ? complement(union(...sets)) : intersection(EVERY, union(...sets))
  }

  function member(): CharacterSet {
    return takes('\\') ? (takes('b') ? [[8, 8]] : escape()) : characters(symbols[at++] ?? '')
  }

  /** What follows a backslash. */
  function escape(): CharacterSet {
    const letter = symbols[at++] ?? ''
    const known = CLASSES[letter]
    if (known !== undefined) return known
    const control = CONTROLS[letter]
    if (control !== undefined) return point(control)
    if (letter === 'c') return point(codePoint(symbols[at++] ?? '') % 32)
    if (letter === 'x' || letter === 'u') return point(hexadecimal(letter))
    if (letter === 'p' || letter === 'P') return property(letter)
    if (/[a-z1-9]/i.test(letter)) throw new PatternProblem(`\\${letter}`)
    return characters(letter)
  }

  function property(letter: 'p' | 'P'): CharacterSet {
    const end = symbols.indexOf('}', at)
    const name = symbols.slice(at, end + 1).join('')
    at = end + 1
    return charactersMatching(`\\${letter}${name}`)
  }

  function hexadecimal(letter: 'x' | 'u'): number {
    const rest = symbols.slice(at, at + 12).join('')
    const pair = /^(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(rest)
    if (letter === 'u' && pair !== null) {
      at += pair[0].length
      const [, high = '', low = ''] = pair
      return codePoint(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)))
    }
    const found =
      letter === 'x' ? /^([0-9a-f]{2})/i.exec(rest) : /^(?:\{([0-9a-f]+)\}|([0-9a-f]{4}))/i.exec(rest)
    at += found?.[0].length ?? 0
    return Number.parseInt(found?.[1] ?? found?.[2] ?? '0', 16)
  }

  // At the beginning a lookahead is one more pattern of the whole text.
  const anchored = takes('^')
  while (looks('(?=') || looks('(?!')) {
    if (!anchored) throw new PatternProblem("a lookahead without '^' before it")
    at += 2
    const holds = symbols[at++] === '='
    ahead.push({ expression: closed(choice()), holds })
  }
  if (anchored && ahead.length === 0) at = 0
  const expression = choice()
  if (ahead.length === 0) return { expression, ahead }
  if (expression.type === 'choice') throw new PatternProblem('a lookahead in one of several branches')
  const start: Expression = { type: 'start' }
  const fromStart = (inner: Expression): Expression => ({ type: 'sequence', parts: [start, inner] })
  return {
    expression: fromStart(expression),
    ahead: ahead.map(({ expression: inner, holds }) => ({ expression: fromStart(inner), holds })),
  }
}

function point(value: number): CharacterSet {
  return intersection(EVERY, [[value, value]])
}
