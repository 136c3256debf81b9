// The schemas for the value of a property: its own, those of the patterns that its name matches, or those for all others.
import { acceptsText } from '../grammar/string-grammar.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import type { Alternative } from './schema-keywords.ts'
import type { Keywords } from './schema-keywords.ts'
import { patternAutomata } from './string-rules.ts'

interface NamePattern {
  readonly source: string
  readonly matches: (name: string) => boolean
  readonly value: unknown
}

const known = new WeakMap<object, readonly NamePattern[]>()

/** The schemas that apply to the value of property `name`. */
export function valuesNamed(parts: Alternative, name: string): unknown[] {
  return parts.flatMap((part) => {
    const { properties, additionalProperties } = part
    const own = isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
    const matching = namePatterns([part]).flatMap(({ matches, value }) => (matches(name) ? [value] : []))
    if (own.length + matching.length > 0) return [...own, ...matching]
    return additionalProperties === undefined ? [] : [additionalProperties]
  })
}

/** The schemas for properties that no `properties` lists: for each set of names, those of a name and those of its value. */
export function unlistedProperties(parts: Alternative): { names: Keywords[]; values: unknown[] }[] {
  const sources = [...new Set(namePatterns(parts).map(({ source }) => source))]
  const valuesOf = (source: string | undefined) =>
    parts.flatMap((part) => {
      const own = namePatterns([part]).find((pattern) => pattern.source === source)
      if (own !== undefined) return [own.value]
      return part['additionalProperties'] === undefined ? [] : [part['additionalProperties']]
    })
  // Each name of a grammar matches one pattern or none.
  return [...sources, undefined].map((source) => ({
    names: sources.map((pattern) => (pattern === source ? { pattern } : { not: { pattern } })),
    values: valuesOf(source),
  }))
}

/** The entries of `patternProperties`, without patterns that no automaton can follow. */
export function namePatterns(parts: Alternative): readonly NamePattern[] {
  return parts.flatMap(({ patternProperties: patterns }) => {
    if (!isRecord(patterns)) return []
    const found = known.get(patterns) ?? Object.entries(patterns).flatMap(namePattern)
    known.set(patterns, found)
    return found
  })
}

function namePattern([source, value]: readonly [string, unknown]): NamePattern[] {
  const automata = patternAutomata([{ pattern: source }], () => {})
  return automata.length === 0 ? [] : [{ source, matches: (name) => acceptsText(automata, name), value }]
}
