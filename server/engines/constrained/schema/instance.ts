// A JSON value for a JSON Schema, always the same one: what the echo model answers if an answer must match a schema.
// It has every property and one item in each list, so that a client's parser sees something; where the schema does not
// allow that, it is about the smallest. A keyword without a value that can be found is reported, never ignored.
import type { ErrorObject } from 'ajv/dist/2020.js'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { compileSchema } from './compile-schema.ts'
import { type Schema, SchemaProblem } from './schema-problem.ts'
import { EXPRESSED } from './alternatives.ts'
import { lengthOf, numberOr, numbers, strings } from './simple-values.ts'
import { type Keywords, listOf, mergeAll, targetOf } from './keywords.ts'
import type { Type } from './types.ts'

/** Candidates that are tried before a schema counts as one without a value that can be found. */
const MAX_CANDIDATES = 200

/** How deep references are followed for the smallest value, tried in this order. */
const REFERENCE_DEPTHS = [0, 1, 2, 4, 8]

/** Parts and characters of a value with every property: one that has more gives way to the smallest. */
const MAX_FULL_SIZE = 50_000

/** A value that `schema` accepts. Throws `SchemaProblem`, with the keyword that stood in the way. */
export function instanceOf(schema: Schema): unknown {
  const validate = compileSchema(schema)
  let problem: ErrorObject | undefined
  const depths = JSON.stringify(schema).includes('"$ref"') ? REFERENCE_DEPTHS : [0]
  const searches = [
    candidatesOf(schema, outside(new Set()), MAX_FULL_SIZE),
    ...depths.map((depth) => candidatesOf(schema, upTo(depth))),
  ]
  for (const candidates of searches) {
    try {
      for (const candidate of candidates.take(MAX_CANDIDATES)) {
        if (validate(candidate)) return candidate
        problem ??= validate.errors?.[0]
      }
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
    }
  }
  const { keyword = 'type', schemaPath: place = '#' } = problem ?? {}
  throw new SchemaProblem(keyword, `no value was found that satisfies '${keyword}' at ${place.slice(0, 200)}`)
}

/** The simplest value of each type. */
const SIMPLEST = { object: {}, string: '', integer: 0, number: 0, boolean: true, array: [], null: null }
const TYPES = Object.keys(SIMPLEST) as readonly (keyof typeof SIMPLEST)[]

/** Which type a keyword speaks of, for schemas that do not name one. */
const TYPE_OF_KEYWORD: ReadonlyMap<string, Type> = new Map<string, Type>([
  ['contains', 'array'],
  ...TYPES.flatMap((type) => (EXPRESSED[type] ?? []).map((keyword) => [keyword, type] as const)),
])

/** Decides about a reference: the rule for references behind it, or undefined if it is not followed. */
type Follow = (reference: string) => Follow | undefined

/** So many references, one behind the other. */
function upTo(depth: number): Follow {
  return () => (depth === 0 ? undefined : upTo(depth - 1))
}

/** Follows every reference except one into a schema that contains it. */
function outside(entered: ReadonlySet<string>): Follow {
  return (reference) => (entered.has(reference) ? undefined : outside(new Set([...entered, reference])))
}

/** A value with every property would be too large. */
class TooLarge extends Error {}

/**
 * Values that `root` may accept, likeliest first; the validator finds their errors. They have all that is optional, up to
 * `fullSize` parts and characters in all; without it, nothing that is optional. Throws `TooLarge`.
 */
function candidatesOf(root: Schema, references: Follow, fullSize?: number): Generator<unknown> {
  const isFull = fullSize !== undefined
  let room = fullSize ?? Infinity
  return of(root, references)

  function spend(size: number): void {
    room -= size
    if (room < 0) throw new TooLarge()
  }

  function* of(schema: unknown, follow: Follow): Generator<unknown> {
    spend(1)
    if (schema === false) return
    if (!isRecord(schema)) return yield* Object.values(SIMPLEST)
    const joined = (keyword: string, others: readonly unknown[], behind: Follow) => {
      const { [keyword]: _, ...rest } = schema
      return of(mergeAll(rest, others), behind)
    }
    const { $ref: reference, allOf } = schema
    const choice = ['anyOf', 'oneOf'].find((keyword) => Array.isArray(schema[keyword]))
    if ('const' in schema) yield schema['const']
    else if (Array.isArray(schema['enum'])) yield* schema['enum']
    else if (typeof reference === 'string') {
      const behind = follow(reference)
      if (behind !== undefined) yield* joined('$ref', [targetOf(root, reference) ?? false], behind)
    } else if (choice !== undefined) {
      for (const branch of listOf(schema[choice])) yield* joined(choice, [branch], follow)
    }
    // After the choices: merging may find a second `anyOf`, which then waits in `allOf` for its turn.
    else if (Array.isArray(allOf)) yield* joined('allOf', allOf, follow)
    else for (const type of typesOf(schema)) yield* ofType(type, schema, follow)
  }

  function ofType(type: Type, schema: Keywords, follow: Follow): Iterable<unknown> {
    switch (type) {
      case 'string':
        spend(lengthOf(schema))
        return strings(schema)
      case 'integer':
      case 'number':
        return numbers(schema, type)
      case 'object':
        return objects(schema, follow)
      case 'array':
        return arrays(schema, follow)
      case 'boolean':
        return [true, false]
      case 'null':
        return [null]
    }
  }

  function* objects(schema: Keywords, follow: Follow): Generator<unknown> {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    const required = new Set(listOf(schema['required']).filter((name) => typeof name === 'string'))
    const least = numberOr(schema['minProperties'], 0)
    const wanted = isFull ? numberOr(schema['maxProperties'], Infinity) : least
    const optional = Object.keys(properties)
      .filter((name) => !required.has(name))
      .slice(0, Math.max(0, wanted - required.size))
    const named = new Set([...required, ...optional])
    const inOrder = Object.keys(properties).filter((name) => named.has(name))
    const names = [...new Set([...inOrder, ...named])]
    for (let extra = 0; names.length < Math.min(least, 100); extra += 1) names.push(`property${extra}`)
    const sources = names.map((name) => {
      const own = Object.hasOwn(properties, name)
        ? properties[name]
        : (schema['additionalProperties'] ?? true)
      return source(own, follow, !required.has(name))
    })
    for (const values of combinations(sources)) {
      const pairs = names.map((name, index) => [name, values[index]] as const)
      yield Object.fromEntries(pairs.filter(([, value]) => value !== ABSENT))
    }
  }

  function* arrays(schema: Keywords, follow: Follow): Generator<unknown> {
    const { uniqueItems, maxItems, items: others = true } = schema
    const prefix = listOf(schema['prefixItems'])
    const wanted = 'contains' in schema ? [schema['contains']] : []
    const least = Math.min(Math.max(numberOr(schema['minItems'], 0), wanted.length), 1000)
    const isOptional = isFull && least === 0 && maxItems !== 0
    const items = Array.from(
      { length: isOptional ? 1 : least },
      (_, index) => prefix[index] ?? wanted[index - prefix.length] ?? others,
    )
    if (uniqueItems === true && items.length > 1) {
      const values = of(others, follow).take(MAX_CANDIDATES)
      const different = new Map(values.map((value) => [JSON.stringify(value), value]))
      yield [...different.values()].slice(0, least)
    }
    const sources = items.map((item) => source(item, follow, isOptional))
    for (const values of combinations(sources)) yield values.filter((value) => value !== ABSENT)
  }

  /** The values of a part. */
  function source(schema: unknown, follow: Follow, isOptional: boolean): Source {
    return function* values() {
      yield* of(schema, follow)
      if (isFull && isOptional) yield ABSENT
    }
  }
}

type Source = () => Generator<unknown>

/** Stands for an optional part that is left out. */
const ABSENT = Symbol('absent')

/** One value of each source: the first of all, then with one of them at a time replaced by its other values. */
function* combinations(sources: readonly Source[]): Generator<unknown[]> {
  const first: unknown[] = []
  for (const source of sources) {
    const { value, done } = source().next()
    if (done === true) return
    first.push(value)
  }
  yield first
  for (const [place, source] of sources.entries()) {
    for (const value of source().drop(1).take(20)) yield first.with(place, value)
  }
}

function typesOf(schema: Keywords): readonly Type[] {
  const named = [schema['type']].flat().flatMap((name) => TYPES.filter((type) => type === name))
  // `null` last: it says the least.
  if (named.length > 0) return named.toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
  const spokenOf = Object.keys(schema).flatMap((keyword) => TYPE_OF_KEYWORD.get(keyword) ?? [])
  return spokenOf.length > 0 ? [...new Set(spokenOf)] : TYPES
}
