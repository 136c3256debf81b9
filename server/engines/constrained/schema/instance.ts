// A JSON value for a JSON Schema, always the same one: what the echo model answers if an answer must match a schema.
// It has every property and one item in each list, so that a client's parser sees something; where the schema does not
// allow that, it is about the smallest. A keyword without a value that can be found is reported, never ignored.
import type { ErrorObject } from 'ajv/dist/2020.js'
import { compileSchema } from './compile-schema.ts'
import { type Schema, SchemaProblem } from './schema-problem.ts'
import { EXPRESSED } from './alternatives.ts'
import { lengthOf, numberOr, numbers, strings } from './simple-values.ts'
import { isKeywords, type Keywords, listOf, mergeAll, targetOf, without } from './keywords.ts'

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
    new Candidates(schema, MAX_FULL_SIZE).of(schema, outside(new Set())),
    ...depths.map((depth) => new Candidates(schema).of(schema, upTo(depth))),
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
  const keyword = problem?.keyword ?? 'type'
  const place = problem?.schemaPath ?? '#'
  throw new SchemaProblem(keyword, `no value was found that satisfies '${keyword}' at ${place.slice(0, 200)}`)
}

const TYPES = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null'] as const
type Type = (typeof TYPES)[number]

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

/** Finds candidates for the parts of one root schema. The validator finds their errors. */
class Candidates {
  readonly #root: Schema
  /** Whether optional properties and items are there. */
  readonly #full: boolean
  #room: number

  /** Candidates of all that is optional, up to `fullSize` parts and characters in all; without it of nothing optional. */
  constructor(root: Schema, fullSize?: number) {
    this.#root = root
    this.#full = fullSize !== undefined
    this.#room = fullSize ?? Infinity
  }

  #spend(size: number): void {
    this.#room -= size
    if (this.#room < 0) throw new TooLarge()
  }

  /** Values that `schema` may accept, likeliest first. */
  *of(schema: unknown, follow: Follow): Generator<unknown> {
    this.#spend(1)
    if (schema === false) return
    if (!isKeywords(schema)) {
      yield* TYPES.map((type) => SIMPLEST[type])
      return
    }
    if ('const' in schema) yield schema['const']
    else if (Array.isArray(schema['enum'])) yield* schema['enum']
    else if (typeof schema['$ref'] === 'string') yield* this.#referred(schema, schema['$ref'], follow)
    else if (Array.isArray(schema['anyOf'])) yield* this.#branches(schema, 'anyOf', follow)
    else if (Array.isArray(schema['oneOf'])) yield* this.#branches(schema, 'oneOf', follow)
    // After the choices: merging may find a second `anyOf`, which then waits in `allOf` for its turn.
    else if (Array.isArray(schema['allOf']))
      yield* this.of(mergeAll(without(schema, 'allOf'), schema['allOf']), follow)
    else for (const type of typesOf(schema)) yield* this.#ofType(type, schema, follow)
  }

  *#referred(schema: Keywords, reference: string, follow: Follow): Generator<unknown> {
    const behind = follow(reference)
    if (behind === undefined) return
    yield* this.of(mergeAll(without(schema, '$ref'), [targetOf(this.#root, reference) ?? false]), behind)
  }

  *#branches(schema: Keywords, keyword: 'anyOf' | 'oneOf', follow: Follow): Generator<unknown> {
    for (const branch of listOf(schema[keyword]))
      yield* this.of(mergeAll(without(schema, keyword), [branch]), follow)
  }

  *#ofType(type: Type, schema: Keywords, follow: Follow): Generator<unknown> {
    switch (type) {
      case 'string':
        this.#spend(lengthOf(schema))
        yield* strings(schema)
        break
      case 'integer':
      case 'number':
        yield* numbers(schema, type)
        break
      case 'object':
        yield* this.#objects(schema, follow)
        break
      case 'array':
        yield* this.#arrays(schema, follow)
        break
      case 'boolean':
        yield* [true, false]
        break
      case 'null':
        yield null
        break
    }
  }

  *#objects(schema: Keywords, follow: Follow): Generator<unknown> {
    const properties = isKeywords(schema['properties']) ? schema['properties'] : {}
    const required = new Set(listOf(schema['required']).filter((name) => typeof name === 'string'))
    const least = numberOr(schema['minProperties'], 0)
    const wanted = this.#full ? numberOr(schema['maxProperties'], Infinity) : least
    const optional = Object.keys(properties)
      .filter((name) => !required.has(name))
      .slice(0, Math.max(0, wanted - required.size))
    const named = new Set([...required, ...optional])
    const inOrder = Object.keys(properties).filter((name) => named.has(name))
    const names = [...new Set([...inOrder, ...named])]
    for (let extra = 0; names.length < Math.min(least, 100); extra += 1) names.push(`property${extra}`)
    const schemaOf = (name: string): unknown =>
      Object.hasOwn(properties, name) ? properties[name] : (schema['additionalProperties'] ?? true)
    const sources = names.map((name) => () => {
      const values = this.of(schemaOf(name), follow)
      return this.#full && !required.has(name) ? orAbsent(values) : values
    })
    for (const values of combinations(sources)) {
      const pairs = names.map((name, index) => [name, values[index]] as const)
      yield Object.fromEntries(pairs.filter(([, value]) => value !== ABSENT))
    }
  }

  *#arrays(schema: Keywords, follow: Follow): Generator<unknown> {
    const prefix = listOf(schema['prefixItems'])
    const wanted = 'contains' in schema ? [schema['contains']] : []
    const least = Math.min(Math.max(numberOr(schema['minItems'], 0), wanted.length), 1000)
    const isOptional = this.#full && least === 0 && schema['maxItems'] !== 0
    const items = Array.from(
      { length: isOptional ? 1 : least },
      (_, index) => prefix[index] ?? wanted[index - prefix.length] ?? schema['items'] ?? true,
    )
    if (schema['uniqueItems'] === true && items.length > 1) {
      const different = new Map<string, unknown>()
      for (const value of this.of(schema['items'] ?? true, follow).take(MAX_CANDIDATES))
        different.set(JSON.stringify(value), value)
      yield [...different.values()].slice(0, least)
    }
    const sources = items.map((item) => () => {
      const values = this.of(item, follow)
      return isOptional ? orAbsent(values) : values
    })
    for (const values of combinations(sources)) yield values.filter((value) => value !== ABSENT)
  }
}

const SIMPLEST: Readonly<Record<Type, unknown>> = {
  object: {},
  string: '',
  integer: 0,
  number: 0,
  boolean: true,
  array: [],
  null: null,
}

/** Stands for an optional part that is left out. */
const ABSENT = Symbol('absent')

function* orAbsent(values: Generator<unknown>): Generator<unknown> {
  yield* values
  yield ABSENT
}

/** One value of each source: the first of all, then with one of them at a time replaced by its other values. */
function* combinations(sources: readonly (() => Generator<unknown>)[]): Generator<unknown[]> {
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
