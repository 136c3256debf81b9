// What several lists of keywords say together of the parts of an object or an array.
import { type Alternative, isKeywords, listOf } from './alternatives.ts'

/** The names that `properties` and `required` list, in their order. */
export function namesIn(parts: Alternative): string[] {
  const named = parts.flatMap(({ properties }) => (isKeywords(properties) ? Object.keys(properties) : []))
  return [...new Set([...named, ...requiredIn(parts)])]
}

export function requiredIn(parts: Alternative): string[] {
  return [...new Set(parts.flatMap(({ required }) => listOf(required).map(String)))]
}

/** The schemas that the value of property `name` must keep. */
export function valuesNamed(parts: Alternative, name: string): unknown[] {
  return parts.flatMap(({ properties, additionalProperties }) => {
    if (isKeywords(properties) && Object.hasOwn(properties, name)) return [properties[name]]
    return additionalProperties === undefined ? [] : [additionalProperties]
  })
}

/** The schemas that the values of all other properties must keep. */
export function valuesOfOthers(parts: Alternative): unknown[] {
  return parts.flatMap(({ additionalProperties }) => additionalProperties ?? [])
}

/** The schemas that the item at `place` must keep. */
export function itemsAt(parts: Alternative, place: number): unknown[] {
  return parts.flatMap(({ prefixItems, items }) => {
    const prefix = listOf(prefixItems)
    if (place < prefix.length) return [prefix[place]]
    return items === undefined ? [] : [items]
  })
}

/** How many items are listed by place. */
export function placesIn(parts: Alternative): number {
  return Math.max(0, ...parts.map(({ prefixItems }) => listOf(prefixItems).length))
}
