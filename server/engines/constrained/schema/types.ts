// Which types of JSON a value may have that keeps several lists of keywords at once.
import { type Alternative, EXPRESSED } from './alternatives.ts'

export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
export type Type = (typeof TYPES)[number]

/** The types that `parts` name; where none does, all. An integer is listed only where other numbers are not allowed. */
export function namedTypes(parts: Alternative): readonly Type[] {
  const lists = parts.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]))
  const allowed = TYPES.filter((type) =>
    lists.every((list) => list.includes(type) || (type === 'integer' && list.includes('number'))),
  )
  return allowed.filter((type) => type !== 'integer' || !allowed.includes('number'))
}

/** The types that `parts` name, or that their keywords speak of; all types where they speak of none. */
export function typesOf(parts: Alternative): readonly Type[] {
  const named = namedTypes(parts)
  if (parts.some(({ type }) => type !== undefined)) return named
  const spokenOf = named.filter((type) => parts.some((part) => EXPRESSED[type]?.some((name) => name in part)))
  return spokenOf.length > 0 ? spokenOf : named
}

export function isOfType(value: unknown, type: Type): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
