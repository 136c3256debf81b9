// Limits the size of a job before any other work: one pass over the JSON of its schemas, without recursion, which costs no
// more than parsing the body. This runs in the server's process.
import { hash } from 'node:crypto'
import { costlySchema } from '../../request-options.ts'
import type { Job } from './sandbox-jobs.ts'

/** Maximum counts of one schema. */
const SCHEMA_LIMITS = {
  characters: 200_000,
  levels: 64,
  properties: 2000,
  references: 1000,
  alternatives: 5000,
  patterns: 500,
  'characters of patterns': 20_000,
  'repetitions of one part of a pattern': 5000,
} as const

type Count = keyof typeof SCHEMA_LIMITS

/** Maximum number of characters of all schemas of one request. */
const MAX_CHARACTERS_TOGETHER = 2 * SCHEMA_LIMITS.characters

/** Maximum length of the texts of a job whose result is cached, in characters. */
const MAX_KEPT_TEXTS = 4096

/** Keywords whose value maps names to schemas. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const ALTERNATIVES = new Set(['enum', 'anyOf', 'oneOf', 'allOf'])

/** The cache key of a job; undefined if its result is not cached. Throws a 400 if the job exceeds a limit. */
export function affordable(job: Job, params: readonly string[], whole: string): string | undefined {
  const schemas = job.type === 'fit' ? [job.schema] : job.wanted.map(({ schema }) => schema)
  const texts = schemas.map((schema) => JSON.stringify(schema))
  if (lengthOf(texts) > MAX_CHARACTERS_TOGETHER)
    throw costlySchema(
      whole,
      `expected at most ${MAX_CHARACTERS_TOGETHER} characters of all schemas together`,
    )
  for (const [place, schema] of schemas.entries())
    refuseLarge(schema, texts[place]?.length ?? 0, params[place] ?? whole)
  if (job.type === 'fit' && lengthOf(job.texts) > MAX_KEPT_TEXTS) return undefined
  const rest =
    job.type === 'fit' ? [job.value, ...job.texts] : job.wanted.map(({ hint, objects }) => [hint, objects])
  return hash('sha256', JSON.stringify([job.type, texts, rest]), 'base64')
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

/**
 * Throws the 400 of a schema, JSON of `characters` characters, that exceeds one of `SCHEMA_LIMITS`. Names count at every place, also
 * inside a constant.
 */
function refuseLarge(schema: unknown, characters: number, param: string): void {
  const counts = new Map<Count, number>()
  function limit(what: Count, value: number): void {
    if (value > SCHEMA_LIMITS[what])
      throw costlySchema(param, `expected at most ${SCHEMA_LIMITS[what]} ${what}`)
  }
  function count(what: Count, more: number): void {
    const total = (counts.get(what) ?? 0) + more
    counts.set(what, total)
    limit(what, total)
  }

  function countKeyword(name: string, value: unknown): void {
    if (REFERENCES.has(name) && typeof value === 'string') count('references', 1)
    if (name === 'pattern' && typeof value === 'string') countPattern(value)
    if (typeof value !== 'object' || value === null) return
    if (ALTERNATIVES.has(name) && Array.isArray(value)) count('alternatives', value.length)
    if (NAMED.has(name)) count('properties', Object.keys(value).length)
    if (name === 'patternProperties') Object.keys(value).forEach(countPattern)
  }

  function countPattern(pattern: string): void {
    count('patterns', 1)
    count('characters of patterns', pattern.length)
    for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
      limit('repetitions of one part of a pattern', Math.max(Number(least), Number(most)))
  }

  limit('characters', characters)
  const waiting: { readonly value: unknown; readonly level: number }[] = [{ value: schema, level: 1 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, level } = next
    if (typeof value !== 'object' || value === null) continue
    limit('levels', level)
    for (const [name, part] of Object.entries(value)) {
      waiting.push({ value: part, level: level + 1 })
      if (!Array.isArray(value)) countKeyword(name, part)
    }
  }
}
