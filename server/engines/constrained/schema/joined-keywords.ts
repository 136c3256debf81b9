// Combines several lists of keywords that apply to the same value: properties, items, bounds and counts.
import { isJsonNumber, type JsonNumber, nearest } from '../grammar/decimal.ts'
import type { Bound } from '../grammar/number-grammar.ts'
import type { Alternative } from './schema-keywords.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { listOf } from './schema-keywords.ts'

/** The names that `properties` and `required` list, in their order. */
export function namesIn(parts: Alternative): string[] {
  const named = parts.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : []))
  return [...new Set([...named, ...requiredIn(parts)])]
}

export function requiredIn(parts: Alternative): string[] {
  return [...new Set(parts.flatMap(({ required }) => listOf(required).map(String)))]
}

/** `names`, and the names that the presence of these requires. */
export function withDependents(parts: Alternative, names: Iterable<string>): Set<string> {
  const found = new Set(names)
  // The loop also visits the names that it adds.
  for (const name of found) {
    for (const { dependencies, dependentRequired } of parts)
      for (const map of [dependencies, dependentRequired])
        if (isRecord(map) && Object.hasOwn(map, name))
          for (const other of listOf(map[name])) found.add(String(other))
  }
  return found
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

export function numbersIn(parts: Alternative, keyword: string): JsonNumber[] {
  return parts.map((part) => part[keyword]).filter(isJsonNumber)
}

/** The string values of `keyword` in `parts`, without duplicates. */
export function textsIn(parts: Alternative, keyword: string): string[] {
  return [...new Set(parts.map((part) => part[keyword]).filter((value) => typeof value === 'string'))]
}

/** The bounds of numbers in `parts`; all apply. */
export function boundsIn(parts: Alternative): Bound[] {
  const all = (keyword: string, side: Bound['side'], isExcluded: boolean) =>
    numbersIn(parts, keyword).map((value) => ({ keyword, value, side, isExcluded }))
  return [
    ...all('minimum', 1, false),
    ...all('exclusiveMinimum', 1, true),
    ...all('maximum', -1, false),
    ...all('exclusiveMaximum', -1, true),
  ]
}

/** The largest minimum count and the smallest maximum count. */
export function countsIn(
  parts: Alternative,
  what: 'Length' | 'Items' | 'Properties',
): { min: number; max: number } {
  return {
    min: Math.max(0, ...numbersIn(parts, `min${what}`).map(nearest)),
    max: Math.min(...numbersIn(parts, `max${what}`).map(nearest)),
  }
}
