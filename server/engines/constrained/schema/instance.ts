// A JSON value for a JSON Schema, always the same one and about the smallest: what the echo model answers where an
// answer must match a schema. What it cannot find a value for is reported by its keyword, never ignored.
import type { ErrorObject } from 'ajv/dist/2020.js'
import { compileSchema } from './compile-schema.ts'
import { type Schema, SchemaProblem } from './schema-problem.ts'
import { EXPRESSED } from './alternatives.ts'
import { isKeywords, type Keywords, listOf, mergeAll, targetOf, without } from './keywords.ts'

/** Candidates that are tried before a schema counts as one without a value that can be found. */
const MAX_CANDIDATES = 200

/** How deep references are followed, tried in this order: a recursive schema gets its smallest value. */
const REFERENCE_DEPTHS = [0, 1, 2, 4, 8]

/** A value that `schema` accepts. Throws `SchemaProblem`, with the keyword that stood in the way. */
export function instanceOf(schema: Schema): unknown {
  const validate = compileSchema(schema)
  let problem: ErrorObject | undefined
  const depths = JSON.stringify(schema).includes('"$ref"') ? REFERENCE_DEPTHS : [0]
  for (const depth of depths) {
    for (const candidate of new Candidates(schema).of(schema, depth).take(MAX_CANDIDATES)) {
      if (validate(candidate)) return candidate
      problem ??= validate.errors?.[0]
    }
  }
  const keyword = problem?.keyword ?? 'type'
  const place = problem?.schemaPath ?? '#'
  throw new SchemaProblem(keyword, `no value was found that satisfies '${keyword}' at ${place.slice(0, 200)}`)
}

const TYPES = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null'] as const
type Type = (typeof TYPES)[number]

/** Which type a keyword speaks of, for schemas that do not name one. */
const TYPE_OF_KEYWORD: Readonly<Record<string, Type | undefined>> = Object.fromEntries([
  ['contains', 'array'],
  ...TYPES.flatMap((type) => (EXPRESSED[type] ?? []).map((keyword) => [keyword, type])),
])

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'a@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** Texts that satisfy most patterns that schemas have: words, numbers, identifiers, and the formats above. */
const PATTERN_TEXTS = [
  'a',
  'A',
  '0',
  '1',
  'ab',
  'abc',
  'Abc',
  'ABC',
  'a1',
  'A1',
  'a-b',
  'a_b',
  '00',
  '000',
  '0000',
  '00000',
  '123456',
  '0.0',
  '1.0.0',
  '#000000',
  '+15550100',
  'a.b',
  '/a',
  ...Object.values(FORMATS),
]

/** Finds candidates for the parts of one root schema. What they lack, the validator says. */
class Candidates {
  readonly #root: Schema

  constructor(root: Schema) {
    this.#root = root
  }

  /** Values that `schema` may accept, likeliest first; `depth` is how many references may still be followed. */
  *of(schema: unknown, depth: number): Generator<unknown> {
    if (schema === false) return
    if (!isKeywords(schema)) {
      yield* TYPES.map((type) => SIMPLEST[type])
      return
    }
    if ('const' in schema) yield schema['const']
    else if (Array.isArray(schema['enum'])) yield* schema['enum']
    else if (typeof schema['$ref'] === 'string') yield* this.#referred(schema, schema['$ref'], depth)
    else if (Array.isArray(schema['anyOf'])) yield* this.#branches(schema, 'anyOf', depth)
    else if (Array.isArray(schema['oneOf'])) yield* this.#branches(schema, 'oneOf', depth)
    // After the choices: merging may find a second `anyOf`, which then waits in `allOf` for its turn.
    else if (Array.isArray(schema['allOf']))
      yield* this.of(mergeAll(without(schema, 'allOf'), schema['allOf']), depth)
    else for (const type of typesOf(schema)) yield* this.#ofType(type, schema, depth)
  }

  *#referred(schema: Keywords, reference: string, depth: number): Generator<unknown> {
    if (depth === 0) return
    yield* this.of(mergeAll(without(schema, '$ref'), [targetOf(this.#root, reference) ?? false]), depth - 1)
  }

  *#branches(schema: Keywords, keyword: 'anyOf' | 'oneOf', depth: number): Generator<unknown> {
    for (const branch of listOf(schema[keyword]))
      yield* this.of(mergeAll(without(schema, keyword), [branch]), depth)
  }

  *#ofType(type: Type, schema: Keywords, depth: number): Generator<unknown> {
    switch (type) {
      case 'string':
        yield* strings(schema)
        break
      case 'integer':
      case 'number':
        yield* numbers(schema, type)
        break
      case 'object':
        yield* this.#objects(schema, depth)
        break
      case 'array':
        yield* this.#arrays(schema, depth)
        break
      case 'boolean':
        yield* [true, false]
        break
      case 'null':
        yield null
        break
    }
  }

  *#objects(schema: Keywords, depth: number): Generator<unknown> {
    const properties = isKeywords(schema['properties']) ? schema['properties'] : {}
    const required = listOf(schema['required']).filter((name) => typeof name === 'string')
    const least = numberOr(schema['minProperties'], 0)
    const names = [
      ...new Set([...required, ...Object.keys(properties).slice(0, Math.max(0, least - required.length))]),
    ]
    for (let extra = 0; names.length < Math.min(least, 100); extra += 1) names.push(`property${extra}`)
    const schemaOf = (name: string): unknown =>
      Object.hasOwn(properties, name) ? properties[name] : (schema['additionalProperties'] ?? true)
    for (const values of combinations(names.map((name) => () => this.of(schemaOf(name), depth)))) {
      yield Object.fromEntries(names.map((name, index) => [name, values[index]]))
    }
  }

  *#arrays(schema: Keywords, depth: number): Generator<unknown> {
    const prefix = listOf(schema['prefixItems'])
    const wanted = 'contains' in schema ? [schema['contains']] : []
    const least = Math.min(Math.max(numberOr(schema['minItems'], 0), wanted.length), 1000)
    const items = Array.from(
      { length: least },
      (_, index) => prefix[index] ?? wanted[index - prefix.length] ?? schema['items'] ?? true,
    )
    if (schema['uniqueItems'] === true && items.length > 1) {
      const different = new Map<string, unknown>()
      for (const value of this.of(schema['items'] ?? true, depth).take(MAX_CANDIDATES))
        different.set(JSON.stringify(value), value)
      yield [...different.values()].slice(0, least)
    }
    yield* combinations(items.map((item) => () => this.of(item, depth)))
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

function* strings(schema: Keywords): Generator<string> {
  const least = Math.min(numberOr(schema['minLength'], 0), 100_000)
  const format = FORMATS[String(schema['format'])]
  if (format !== undefined) yield format
  if (typeof schema['pattern'] === 'string') yield* PATTERN_TEXTS
  yield 'a'.repeat(least)
  // Different values for lists of different ones.
  for (let count = 0; count < 100; count += 1) yield String(count).padStart(least, 'a')
}

function* numbers(schema: Keywords, type: 'integer' | 'number'): Generator<number> {
  const step = numberOr(schema['multipleOf'], type === 'integer' ? 1 : 0)
  const low = numberOr(schema['minimum'], Number.NEGATIVE_INFINITY)
  const above = numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY)
  const high = numberOr(schema['maximum'], Number.POSITIVE_INFINITY)
  const below = numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY)
  const from = Math.max(low, above)
  const to = Math.min(high, below)
  const start = from > 0 ? from : to < 0 ? to : 0
  if (step > 0) {
    const first = (start > 0 ? Math.ceil(start / step) : Math.floor(start / step)) * step
    for (let count = 0; count < 100; count += 1) yield first + (to <= 0 ? -count : count) * step
  } else {
    yield start
    yield Number.isFinite(from) && Number.isFinite(to) ? (from + to) / 2 : start + (to <= 0 ? -1 : 1)
    for (let count = 1; count < 100; count += 1) yield start + count
  }
}

function typesOf(schema: Keywords): readonly Type[] {
  const named = [schema['type']].flat().flatMap((name) => TYPES.filter((type) => type === name))
  // `null` last: it says the least.
  if (named.length > 0) return named.toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
  const spokenOf = Object.keys(schema).flatMap((keyword) => TYPE_OF_KEYWORD[keyword] ?? [])
  return spokenOf.length > 0 ? [...new Set(spokenOf)] : TYPES
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
