// Combines several lists of keywords that apply to the same value: properties, items, bounds and counts.
import type { Alternative } from './alternatives.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { listOf } from './keywords.ts'

/** The names that `properties` and `required` list, in their order. */
export function namesIn(parts: Alternative): string[] {
  const named = parts.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : []))
  return [...new Set([...named, ...requiredIn(parts)])]
}

export function requiredIn(parts: Alternative): string[] {
  return [...new Set(parts.flatMap(({ required }) => listOf(required).map(String)))]
}

/** The schemas that apply to the value of property `name`. */
export function valuesNamed(parts: Alternative, name: string): unknown[] {
  return parts.flatMap(({ properties, additionalProperties }) => {
    if (isRecord(properties) && Object.hasOwn(properties, name)) return [properties[name]]
    return additionalProperties === undefined ? [] : [additionalProperties]
  })
}

/** The schemas that apply to the values of unnamed properties. */
export function valuesOfOthers(parts: Alternative): unknown[] {
  return parts.flatMap(({ additionalProperties }) => additionalProperties ?? [])
}

/** The schemas that apply to the item at index `place`. */
export function itemsAt(parts: Alternative, place: number): unknown[] {
  return parts.flatMap(({ prefixItems, items }) => {
    const prefix = listOf(prefixItems)
    if (place < prefix.length) return [prefix[place]]
    return items === undefined ? [] : [items]
  })
}

/** The number of items with a schema of their own. */
export function placesIn(parts: Alternative): number {
  return Math.max(0, ...parts.map(({ prefixItems }) => listOf(prefixItems).length))
}

/** The numeric values of `keyword` in `parts`. */
export function numbersIn(parts: Alternative, keyword: string): number[] {
  return parts.map((part) => part[keyword]).filter((value) => typeof value === 'number')
}

/** The string values of `keyword` in `parts`, without duplicates. */
export function textsIn(parts: Alternative, keyword: string): string[] {
  return [...new Set(parts.map((part) => part[keyword]).filter((value) => typeof value === 'string'))]
}

/** The numeric bounds in `parts`, by keyword; the strictest of each applies. */
export function boundsIn(parts: Alternative) {
  return {
    minimum: numbersIn(parts, 'minimum'),
    exclusiveMinimum: numbersIn(parts, 'exclusiveMinimum'),
    maximum: numbersIn(parts, 'maximum'),
    exclusiveMaximum: numbersIn(parts, 'exclusiveMaximum'),
  }
}

/** The largest minimum count and the smallest maximum count. */
export function countsIn(
  parts: Alternative,
  what: 'Length' | 'Items' | 'Properties',
): { min: number; max: number } {
  return {
    min: Math.max(0, ...numbersIn(parts, `min${what}`)),
    max: Math.min(...numbersIn(parts, `max${what}`)),
  }
}
