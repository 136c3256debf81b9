// Decides whether two alternatives of a schema are disjoint. If that is unknown, they are not.
import type { Schema } from '../../schema-problem.ts'
import { alternativesOf } from './schema-alternatives.ts'
import { compareNumbers, nearest } from '../grammar/decimal.ts'
import type { Alternative } from './schema-keywords.ts'
import { constantsOf } from './schema-constants.ts'
import { boundsIn, countsIn, itemsAt, requiredIn } from './joined-keywords.ts'
import { valuesNamed } from './property-values.ts'
import { namedTypes, type Type } from './json-types.ts'
import { stringGrammar, TooManyStates } from '../grammar/string-grammar.ts'
import { lengthAutomata, patternAutomata } from './string-rules.ts'

/** Maximum nesting depth of the values that are compared. */
const MAX_DEPTH = 4

/** A keyword that cannot be expressed is assumed to exclude no value. */
const ignore = (): void => {}

export function areApart(a: Alternative, b: Alternative, root: Schema): boolean {
  return isImpossible([...a, ...b], root, MAX_DEPTH)
}

function isImpossible(parts: Alternative, root: Schema, depth: number): boolean {
  if (depth === 0) return false
  const constants = constantsOf(parts, ignore)
  if (constants !== undefined) return constants.length === 0
  return namedTypes(parts).every((type) => isImpossibleAs(type, parts, root, depth - 1))
}

function isImpossibleAs(type: Type, parts: Alternative, root: Schema, depth: number): boolean {
  const none = (schemas: readonly unknown[]): boolean =>
    alternativesOf(schemas, { root, refuse: ignore, apart: () => true, narrows: false }).every((each) =>
      isImpossible(each, root, depth),
    )
  switch (type) {
    case 'string':
      return noString(parts)
    case 'number':
    case 'integer':
      return noNumber(parts, type)
    case 'object': {
      const { min, max } = countsIn(parts, 'Properties')
      return min > max || requiredIn(parts).some((name) => none(valuesNamed(parts, name)))
    }
    case 'array': {
      const { min, max } = countsIn(parts, 'Items')
      const places = Array.from({ length: Math.min(min, 8) }, (_, place) => place)
      return min > max || places.some((place) => none(itemsAt(parts, place)))
    }
    case 'boolean':
    case 'null':
      return false
  }
}

function noString(parts: Alternative): boolean {
  try {
    return stringGrammar([...patternAutomata(parts, ignore), ...lengthAutomata(parts)]) === undefined
  } catch (error) {
    if (error instanceof TooManyStates) return false
    throw error
  }
}

/** Whether the bounds exclude every number, or, if they are integers, each that may be one. */
function noNumber(parts: Alternative, type: 'number' | 'integer'): boolean {
  const bounds = boundsIn(parts)
  const crossed = bounds.some((low) =>
    bounds.some((high) => {
      if (low.side !== 1 || high.side !== -1) return false
      const order = compareNumbers(low.value, high.value)
      return order > 0 || (order === 0 && (low.isExcluded || high.isExcluded))
    }),
  )
  if (crossed || type === 'number') return crossed
  const ends = (side: 1 | -1) =>
    bounds.filter((bound) => bound.side === side).map(({ value }) => side * nearest(value))
  const [low, high] = [Math.max(...ends(1)), -Math.max(...ends(-1))]
  // Larger doubles have no fraction.
  if (!(Math.abs(low) < MAX_FRACTIONS && Math.abs(high) < MAX_FRACTIONS)) return false
  const excludes = (number: number) =>
    bounds.some(({ value, isExcluded }) => isExcluded && compareNumbers(number, value) === 0)
  return Math.ceil(low) > Math.floor(high) || (excludes(low) && Math.floor(low) + 1 > high)
}

const MAX_FRACTIONS = 2 ** 50
