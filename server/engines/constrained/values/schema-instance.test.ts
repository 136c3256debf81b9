import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { compileSchema } from '../compile-schema.ts'
import { instanceOf } from './schema-instance.ts'

const valueOf = (schema: Schema): unknown => instanceOf(compileSchema(schema))

function accepts(schema: Schema, value: unknown): boolean {
  return new Ajv2020({ strict: false, validateFormats: false, logger: false }).validate(schema, value)
}

const tree = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: {
        value: { type: 'integer' },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      required: ['value', 'next'],
      additionalProperties: false,
    },
  },
}

test.each([
  [true, {}],
  [
    {
      type: 'object',
      properties: {
        note: { type: 'string' },
        people: { type: 'array', items: { $ref: '#/$defs/person' } },
        none: { type: 'array', maxItems: 0 },
        never: false,
      },
      required: ['people'],
      $defs: {
        person: {
          type: 'object',
          properties: {
            age: { type: 'integer' },
            friends: { type: 'array', items: { $ref: '#/$defs/person' } },
            twin: { $ref: '#/$defs/person' },
          },
        },
      },
    },
    { note: '', people: [{ age: 0, friends: [] }], none: [] },
  ],
  [
    { type: 'object', properties: { a: { const: 1 }, b: { const: 2 } }, not: { required: ['a', 'b'] } },
    { b: 2 },
  ],
  [
    {
      $ref: '#/$defs/0',
      $defs: Object.fromEntries(
        Array.from({ length: 31 }, (_, place) => {
          const next = { $ref: `#/$defs/${place + 1}` }
          return [place, { type: 'object', properties: place < 30 ? { a: next, b: next } : {} }]
        }),
      ),
    },
    {},
  ],
  [{ type: ['null', 'string'], minLength: 2 }, 'aa'],
  [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  [{ type: 'integer', minimum: 10, multipleOf: 7 }, 14],
  [{ type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }, [0, 1, 2]],
  [{ type: 'string', format: 'date' }, '2026-01-01'],
  [{ type: 'string', pattern: '^[A-Z]{3}$' }, 'ABC'],
  [{ type: 'string', pattern: '^(a+)+$' }, 'a'],
  [{ type: 'string', pattern: '^touchstone-[0-9]{40}$' }, `touchstone-${'0'.repeat(40)}`],
  [{ type: 'string', pattern: '^[A-Z]{2}\\d+$' }, 'AA0'],
  [{ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, '2026-01-01'],
  [{ type: 'string', pattern: '@a\\.org$', format: 'email', minLength: 20 }, '++++++++++++++@a.org'],
  [
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { const: 2 } }, required: ['b'] },
      ],
    },
    { a: '', b: 2 },
  ],
  [
    {
      anyOf: [{ minimum: 5 }, { minimum: 9 }],
      allOf: [{ anyOf: [{ maximum: 3 }, { maximum: 12 }] }],
      type: 'integer',
    },
    5,
  ],
  [
    { type: 'object', minProperties: 2 },
    { property0: {}, property1: {} },
  ],
  [{ not: { type: 'object' }, type: ['object', 'boolean'] }, true],
  [tree, { value: 0, next: null }],
  [{ $schema: 'http://json-schema.org/draft-07/schema#', const: 1 }, 1],
])('%j has the value %j', (schema, value) => {
  expect(valueOf(schema)).toEqual(value)
})

test.each([
  [{ type: 'string', pattern: '^(a)\\1$' }, 'pattern'],
  [{ type: 'string', pattern: '^a$', minLength: 2 }, 'pattern'],
  [{ type: 'integer', minimum: 2, maximum: 1 }, 'maximum'],
  [{ type: 'frob' }, 'type'],
  [{ $ref: '#/$defs/none' }, '$ref'],
  [{ $ref: 'https://example.com/schema' }, '$ref'],
  [{ not: {} }, 'not'],
  [{ $schema: 'https://example.com/dialect' }, '$schema'],
])('%j is refused with the keyword %s', (schema, keyword) => {
  expect(() => valueOf(schema)).toThrow(SchemaProblem)
  expect(() => valueOf(schema)).toThrow(expect.objectContaining({ keyword }))
})

describe('any schema', () => {
  const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Schema>(
        true,
        { type: 'string', minLength: 3 },
        { type: 'integer', minimum: -5, maximum: 5 },
        { type: 'boolean' },
        { enum: [1, 'a', null] },
        { const: 7 },
        { type: 'number', exclusiveMinimum: 2 },
      ),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
      fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')).map((properties) => ({
        type: 'object',
        properties,
        required: Object.keys(properties),
        additionalProperties: false,
      })),
    ),
  }))

  test('gets a value that it accepts, the same each time, or a refusal by keyword', () => {
    let [tried, found] = [0, 0]
    forAllWith({ numRuns: 100 }, schema, (given) => {
      tried += 1
      try {
        const value = valueOf(given)
        found += 1
        expect(accepts(given, value)).toBe(true)
        expect(valueOf(given)).toEqual(value)
      } catch (error) {
        if (!(error instanceof SchemaProblem)) throw error
        expect(error.keyword).not.toBe('')
      }
    })

    // Five of six have a value. Refusals are for what cannot be found, not for what is tedious.
    expect(found).toBeGreaterThan((2 / 3) * tried)
  })
})
