// Hostile JSON Schemas: small to send and expensive to compile, match or print naively.
import * as fc from 'fast-check'
import type { Json, JsonObject } from '../../spec/openapi/schema-walk.ts'

/** The most parts of a schema of each kind; the schema still fits into a body of 1 MiB. */
const MOST_STARS = 40
const MOST_DEFINITIONS = 600
const MOST_LEVELS = 2_000
const MOST_PROPERTIES = 5_000
const MOST_ENUM_VALUES = 20_000

const names = (count: number): string[] => Array.from({ length: count }, (_, place) => `p${place}`)

/** Regular expressions that backtrack, repeat or expand. */
const pattern: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 2, max: MOST_STARS }).map((stars) => `^${'a*'.repeat(stars)}$`),
  fc.integer({ min: 1, max: 12 }).map((depth) => `^${'('.repeat(depth)}a${'+)'.repeat(depth)}+$`),
  fc.integer({ min: 1, max: 6 }).map((depth) => `^${'('.repeat(depth)}a${'{50})'.repeat(depth)}$`),
  fc.integer({ min: 1, max: 15 }).map((digits) => `^(?:){1${'0'.repeat(digits)}}a$`),
  fc.integer({ min: 1, max: 5_000 }).map((count) => `^(a|b)*a(a|b){${count}}$`),
  fc.constantFrom(
    '^(a|a)*b$',
    '(x+x+)+y',
    '^(?=(a+)+$)[ab]+$',
    '(a)\\1',
    '(?<!b)a',
    '\\p{L}{999}',
    '[',
    '(',
    '',
  ),
)

const bound = fc.constantFrom(0, 1, 1000, 1e6, 1e9, Number.MAX_SAFE_INTEGER, 1e300, 0.1, -1)

/** Definitions that each refer to the next one several times: twice doubles the size with every step. */
const references = fc
  .tuple(fc.integer({ min: 1, max: MOST_DEFINITIONS }), fc.integer({ min: 1, max: 4 }), combiner())
  .map(([count, times, word]): Json => {
    const next = (place: number): Json =>
      place + 1 === count
        ? { type: 'string' }
        : { [word]: Array.from({ length: times }, () => ({ $ref: `#/$defs/p${place + 1}` })) }
    return {
      $ref: '#/$defs/p0',
      $defs: Object.fromEntries(names(count).map((name, place) => [name, next(place)])),
    }
  })

/** References to themselves or to nothing. */
const circles: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    { $ref: '#' },
    { $ref: '#/$defs/none' },
    { $ref: 'https://127.0.0.1:1/schema' },
    { $dynamicRef: '#none' },
    { $id: '#', $ref: '#' },
  ),
  fc
    .tuple(fc.integer({ min: 1, max: 12 }), combiner())
    .map(([times, word]) => ({ [word]: Array.from({ length: times }, () => ({ $ref: '#' })), not: {} })),
)

const deep = fc
  .tuple(fc.integer({ min: 1, max: MOST_LEVELS }), fc.constantFrom('items', 'not', 'contains', 'allOf'))
  .map(([levels, word]): Json => {
    let schema: Json = { type: 'string' }
    for (let level = 0; level < levels; level += 1) schema = { [word]: word === 'allOf' ? [schema] : schema }
    return schema
  })

const wide = fc
  .tuple(fc.integer({ min: 1, max: MOST_PROPERTIES }), fc.option(pattern), fc.boolean())
  .map(([count, shape, isRequired]): Json => {
    const each: Json = shape === null ? { type: 'integer' } : { type: 'string', pattern: shape }
    const properties = Object.fromEntries(names(count).map((name) => [name, each]))
    return {
      type: 'object',
      properties,
      required: isRequired ? names(count) : [],
      additionalProperties: false,
    }
  })

const lists = fc.tuple(bound, bound, pattern).map(([minItems, maxItems, shape]): Json => ({
  type: 'array',
  items: { anyOf: [{ type: 'array' }, { type: 'string', pattern: shape }] },
  uniqueItems: true,
  minItems,
  maxItems,
}))

const choices = fc
  .tuple(fc.integer({ min: 1, max: MOST_ENUM_VALUES }), fc.boolean())
  .map(([count, asConstants]): Json => {
    const values = names(count)
    return asConstants
      ? { oneOf: values.slice(0, 2_000).map((value) => ({ const: value })) }
      : { enum: values }
  })

const strings = fc
  .record({
    type: fc.constant('string'),
    pattern,
    minLength: bound,
    maxLength: bound,
    format: fc.constantFrom('email', 'regex', 'none'),
  })
  .map((schema): Json => schema)

const named = fc.array(fc.tuple(pattern, strings), { minLength: 1, maxLength: 300 }).map((each): Json => ({
  type: 'object',
  patternProperties: Object.fromEntries(each),
  unevaluatedProperties: false,
}))

/** Members with the names that every JavaScript object inherits. */
const inherited = fc
  .tuple(
    fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)),
    fc.constantFrom<Json>(null, 1, 'a', {}),
  )
  .map(([name, value]): Json => ({
    type: 'object',
    properties: { [name]: { enum: [{ [name]: value }, { [name]: [value] }] } },
    required: [name],
  }))

function combiner(): fc.Arbitrary<string> {
  return fc.constantFrom('allOf', 'anyOf', 'oneOf')
}

export const hostileSchema: fc.Arbitrary<Json> = fc.oneof(
  strings,
  references,
  circles,
  deep,
  wide,
  lists,
  choices,
  named,
  inherited,
  fc.tuple(strings, lists, named).map(([a, b, c]): JsonObject => {
    return { type: 'object', properties: { a, b, c }, required: ['a', 'b', 'c'] }
  }),
)
