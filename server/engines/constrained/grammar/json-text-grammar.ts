// The grammars of JSON text without a schema: strings, numbers, lists, maps, and any value.
import { all, byte, type Grammar, lazy, literal, one, optional, repeat } from './byte-grammar.ts'
import { complement, inString, intersection, UNESCAPED } from './character-set.ts'

const digit = byte(0x30, 0x39)
/**
 * One character of a string. Without `\u`, so that each alternative is one character. Lower-case letters come first, because
 * the first of equally short alternatives is taken.
 */
const character = one(
  byte(0x61, 0x7a),
  inString(intersection(UNESCAPED, complement([[0x61, 0x7a]]))),
  all(byte(0x5c), one(...Array.from('"\\/bfnrt', literal))),
)

/** A string of `min` to `max` characters. */
export const text = (min: number, max: number): Grammar =>
  all(literal('"'), repeat(character, min, max), literal('"'))

/** The number of digits is limited, so that each number is exact, or at least finite. */
export const anyInteger = all(
  optional(literal('-')),
  one(literal('0'), all(byte(0x31, 0x39), repeat(digit, 0, 14))),
)
const fraction = all(literal('.'), repeat(digit, 1, 16))
const exponent = all(
  one(literal('e'), literal('E')),
  optional(one(literal('-'), literal('+'))),
  repeat(digit, 1, 2),
)
export const anyNumber = all(anyInteger, optional(fraction), optional(exponent))

export const boolean = one(literal('true'), literal('false'))

export const colon = all(literal(':'), optional(literal(' ')))
export const comma = all(literal(','), optional(literal(' ')))

export const list = (item: Grammar, min: number, max: number): Grammar => enclosed('[]', item, min, max)

/** An object of `min` to `max` pairs; a name may occur twice. */
export const mapOf = (pair: Grammar, min: number, max: number): Grammar => enclosed('{}', pair, min, max)

function enclosed(brackets: '[]' | '{}', part: Grammar, min: number, max: number): Grammar {
  const [open = '', close = ''] = brackets
  return one(
    ...(min <= 0 ? [literal(brackets)] : []),
    ...(max <= 0
      ? []
      : [all(literal(open), part, repeat(all(comma, part), Math.max(0, min - 1), max - 1), literal(close))]),
  )
}

export const anything: Grammar = lazy(() => anyValue)

export const anyObject: Grammar = mapOf(all(text(0, Infinity), colon, anything), 0, Infinity)

const anyValue: Grammar = one(
  text(0, Infinity),
  anyNumber,
  boolean,
  literal('null'),
  anyObject,
  list(anything, 0, Infinity),
)
