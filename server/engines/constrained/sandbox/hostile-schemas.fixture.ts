// Schemas that no ordinary client sends: deep, wide, recursive, doubling, with patterns and bounds beyond all use.
import * as fc from 'fast-check'
import type { Keywords } from '../schema/schema-keywords.ts'
import type { Schema } from '../../schema-problem.ts'

const pattern = fc.constantFrom(
  '^a*a*a*a*a*a*a*a*a*$',
  '^(a+)+$',
  '^(a|a)*b$',
  '(x+x+)+y',
  '(a|b)*a(a|b){20}$',
  '^a{5000}$',
  '^((a{100}){100}){100}$',
  '^(?:){100000000}a$',
  '^(?=(a+)+$)(?!(b|b)*c)[ab]+$',
  '[\\s\\S]{4999}',
  '(a)\\1',
  '(?<=a)b',
  '\\bword\\b',
  '[',
)
const bound = fc.constantFrom(0, 1, 3, 1000, 1e6, 1e9, 1e15, 1e300, 0.1, -1, -1e15)
const places = ['#', '#/$defs/a', '#/$defs/b', '#/$defs/none', '#anchor', '#/%zz', 'https://example.com/']
const reference = fc.constantFrom(...places)
const name = fc.constantFrom(
  'a',
  'b',
  'c',
  '$ref',
  'properties',
  '',
  ...Object.getOwnPropertyNames(Object.prototype),
)
/** Objects that a careless check takes for a function. */
const masked = fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
})

const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const one = tie('schema')
  const several = fc.array(one, { minLength: 1, maxLength: 4 })
  const named = fc.dictionary(name, one, { maxKeys: 3 })
  return {
    schema: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<Schema>(
        true,
        false,
        {},
        { type: 'string' },
        { type: 'integer' },
        { $dynamicRef: '#node' },
      ),
      reference.map(($ref) => ({ $ref })),
      fc.record(
        { type: fc.constant('string'), pattern, minLength: bound },
        { requiredKeys: ['type', 'pattern'] },
      ),
      fc.record({ minimum: bound, exclusiveMaximum: bound, multipleOf: bound }, { requiredKeys: [] }),
      fc.record(
        { enum: fc.array(fc.oneof(fc.jsonValue(), masked), { maxLength: 5 }), minLength: bound },
        { requiredKeys: ['enum'] },
      ),
      masked.map((value) => ({ const: value })),
      several.map((anyOf) => ({ anyOf })),
      several.map((oneOf) => ({ oneOf })),
      several.map((allOf) => ({ allOf })),
      one.map((not) => ({ not })),
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      fc.record({ if: one, then: one, else: one }, { requiredKeys: ['if'] }),
      fc.record(
        {
          type: fc.constant('array'),
          items: one,
          prefixItems: several,
          minItems: bound,
          uniqueItems: fc.boolean(),
          unevaluatedItems: one,
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({ contains: one, minContains: bound, maxContains: bound }, { requiredKeys: ['contains'] }),
      fc.record(
        {
          type: fc.constant('object'),
          properties: named,
          patternProperties: fc.dictionary(pattern, one, { maxKeys: 2 }),
          propertyNames: one,
          required: fc.uniqueArray(name, { maxLength: 3 }),
          additionalProperties: one,
          minProperties: bound,
          dependentSchemas: named,
          unevaluatedProperties: one,
          $dynamicAnchor: fc.constant('node'),
        },
        { requiredKeys: ['type'] },
      ),
    ),
  }
})

/** Each of `count` definitions refers to the next one, `times` times. */
export function referenceChain(count: number, times: number): Keywords {
  const next = (place: number): Keywords =>
    place + 1 === count
      ? { type: 'string' }
      : { allOf: Array.from({ length: times }, () => ({ $ref: `#/$defs/d${place + 1}` })) }
  return {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(Array.from({ length: count }, (_, place) => [`d${place}`, next(place)])),
  }
}

/** An object of `count` required integers. */
export function integers(count: number): Keywords {
  const names = Array.from({ length: count }, (_, place) => `p${place}`)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((each) => [each, { type: 'integer' }])),
    required: names,
  }
}

/** Lists of lists, `levels` deep. */
export function nested(levels: number, inner: Schema): Schema {
  let around = inner
  for (let level = 0; level < levels; level += 1) around = { type: 'array', items: around, minItems: 2 }
  return around
}

/** A schema without `$defs` if it is generated, so that its references lead somewhere. */
export const hostileSchema: fc.Arbitrary<Schema> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(schema, schema, schema).map(([root, a, b]) => ({ allOf: [root], $defs: { a, b } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 3 }))
      .map(([count, times]) => referenceChain(count, times)),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map(integers) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 200 }), schema)
      .map(([levels, inner]) => nested(levels, inner)),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 600 }).chain((count) =>
      fc.array(pattern, { minLength: count, maxLength: count }).map((patterns) => ({
        properties: Object.fromEntries(
          patterns.map((each, place) => [`p${place}`, { type: 'string', pattern: each, maxLength: place }]),
        ),
      })),
    ),
  },
)

/** JSON that is tedious to match. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('{}', 'null', '"a"', '{"a":1}'),
  fc.oneof(masked, fc.array(masked)).map((value) => JSON.stringify(value)),
  fc.integer({ min: 1, max: 50_000 }).map((length) => JSON.stringify(`${'a'.repeat(length)}!`)),
  fc
    .integer({ min: 1, max: 20_000 })
    .map((count) => JSON.stringify(Array.from({ length: count }, (_, place) => [place]))),
  fc.integer({ min: 1, max: 50_000 }).map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
)

/** The longest time for which a hostile schema may block the event loop of the service, in milliseconds. */
export const MAX_TURN_MS = 100

/** The name of the schema of `response_format` in errors. */
export const PARAM = 'response_format.json_schema.schema'

/** The member of a request that asks for an answer of `schema`. */
export const withSchema = (schema: object) => ({
  response_format: { type: 'json_schema' as const, json_schema: { name: 's', schema: { ...schema } } },
})
