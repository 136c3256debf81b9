// Limits the size of a client's schema before any other work: one pass over its JSON, without recursion, which costs no
// more than parsing the body.

/** Maximum counts of one schema. */
export const SCHEMA_LIMITS = {
  characters: 100_000,
  levels: 64,
  properties: 2000,
  references: 1000,
  alternatives: 5000,
  patterns: 500,
  'characters of patterns': 20_000,
  'repetitions of one part of a pattern': 5000,
} as const

type Count = keyof typeof SCHEMA_LIMITS

/** Keywords whose value maps names to schemas. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const ALTERNATIVES = new Set(['enum', 'anyOf', 'oneOf', 'allOf'])

/**
 * The limit of `SCHEMA_LIMITS` that `schema`, JSON of `characters` characters, exceeds, as a part of a sentence; undefined
 * if it exceeds none. Names count at every place, also inside a constant.
 */
export function overBudget(schema: unknown, characters: number): string | undefined {
  const counts = new Map<Count, number>()
  function exceeds(what: Count, more: number): boolean {
    const count = (counts.get(what) ?? 0) + more
    counts.set(what, count)
    return count > SCHEMA_LIMITS[what]
  }
  const refusal = (what: Count): string => `expected at most ${SCHEMA_LIMITS[what]} ${what}`

  if (exceeds('characters', characters)) return refusal('characters')
  const waiting: { readonly value: unknown; readonly level: number }[] = [{ value: schema, level: 1 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, level } = next
    if (typeof value !== 'object' || value === null) continue
    if (level > SCHEMA_LIMITS.levels) return refusal('levels')
    for (const [name, part] of Object.entries(value)) {
      waiting.push({ value: part, level: level + 1 })
      const found = Array.isArray(value) ? undefined : keywordExcess(name, part)
      if (found !== undefined) return refusal(found)
    }
  }
  return undefined

  /** The limit that this keyword exceeds, together with those before. */
  function keywordExcess(name: string, value: unknown): Count | undefined {
    if (REFERENCES.has(name) && typeof value === 'string' && exceeds('references', 1)) return 'references'
    if (name === 'pattern' && typeof value === 'string') return patternExcess(value)
    if (typeof value !== 'object' || value === null) return undefined
    if (ALTERNATIVES.has(name) && Array.isArray(value) && exceeds('alternatives', value.length))
      return 'alternatives'
    if (!NAMED.has(name)) return undefined
    const names = Object.keys(value)
    if (exceeds('properties', names.length)) return 'properties'
    if (name !== 'patternProperties') return undefined
    for (const pattern of names) {
      const found = patternExcess(pattern)
      if (found !== undefined) return found
    }
    return undefined
  }

  function patternExcess(pattern: string): Count | undefined {
    if (exceeds('patterns', 1)) return 'patterns'
    if (exceeds('characters of patterns', pattern.length)) return 'characters of patterns'
    for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
      if (Math.max(Number(least), Number(most)) > SCHEMA_LIMITS['repetitions of one part of a pattern'])
        return 'repetitions of one part of a pattern'
    }
    return undefined
  }
}
