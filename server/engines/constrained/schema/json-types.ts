// The JSON types of a value to which several lists of keywords apply.
import type { Alternative } from './schema-keywords.ts'
import { EXPRESSED } from './schema-keywords.ts'
import { isInteger, isJsonNumber } from '../grammar/decimal.ts'

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
export type Type = (typeof TYPES)[number]

/** The types that `parts` allow; all if they name none. `integer` is listed only if other numbers are not allowed. */
export function namedTypes(parts: Alternative): readonly Type[] {
  const lists = parts.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]))
  const allowed = TYPES.filter((type) =>
    lists.every((list) => list.includes(type) || (type === 'integer' && list.includes('number'))),
  )
  return allowed.filter((type) => type !== 'integer' || !allowed.includes('number'))
}

/** The types that `parts` name; otherwise the types of their keywords; otherwise all. */
export function typesOf(parts: Alternative): readonly Type[] {
  const named = namedTypes(parts)
  if (parts.some(({ type }) => type !== undefined)) return named
  const spokenOf = named.filter((type) => parts.some((part) => EXPRESSED[type]?.some((name) => name in part)))
  return spokenOf.length > 0 ? spokenOf : named
}

export function isOfType(value: unknown, type: Type): boolean {
  if (type === 'null') return value === null
  if (isJsonNumber(value)) return type === 'number' || (type === 'integer' && isInteger(value))
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
