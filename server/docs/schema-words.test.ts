// Members, types and bounds of a schema as text.
import { expect, test } from 'vitest'
import { type Schema, type TypeWord, fieldsOf, limitsOf, typeOf } from './schema-words.ts'

const text = (words: readonly TypeWord[]) => words.map((word) => Object.values(word).join()).join('')

test.each<[string, Schema]>([
  ['string', { type: 'string' }],
  ['string or null', { type: ['string', 'null'] }],
  ['any value', {}],
  ['low or high or null', { type: ['string', 'null'], enum: ['low', 'high', null] }],
  ['array of string or null', { type: ['array', 'null'], items: { type: 'string' } }],
  ['array of (a or b)', { type: 'array', items: { enum: ['a', 'b'] } }],
  ['object of integer', { type: 'object', additionalProperties: { type: 'integer' } }],
  ['object', { type: 'object', additionalProperties: {} }],
  ['object', { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] }],
  ['Tool', { $ref: '#/components/schemas/Tool' }],
  ['string or Tool', { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Tool' }] }],
])('type: %s', (expected, schema) => {
  expect(text(typeOf(schema))).toBe(expected)
})

test.each<[string[], Schema]>([
  [[], { type: 'string' }],
  [['0 to 2'], { type: 'number', minimum: 0, maximum: 2 }],
  [['at least 1'], { type: 'integer', minimum: 1 }],
  [['64 bits'], { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63, format: 'int64' }],
  [['at most 64 characters'], { type: 'string', maxLength: 64 }],
  [['at least 1 item'], { type: 'array', minItems: 1 }],
  [['1 to 4 items'], { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, maxItems: 4 }] }],
  [
    ['at most 16 members', 'names: at most 64 characters', 'values: at most 512 characters'],
    { maxProperties: 16, propertyNames: { maxLength: 64 }, additionalProperties: { maxLength: 512 } },
  ],
  [['matches ^a$'], { pattern: '^a$' }],
])('limits: %j', (expected, schema) => {
  expect(limitsOf(schema)).toEqual(expected)
})

test('members of inner objects have a path, and referenced schemas are not expanded', () => {
  const schema: Schema = {
    required: ['a'],
    properties: {
      a: { properties: { b: {}, c: { items: { required: ['d'], properties: { d: {} } } } } },
      e: { anyOf: [{ type: 'string' }, { properties: { f: {} } }] },
      g: { $ref: '#/components/schemas/Tool' },
    },
  }
  const names = fieldsOf(schema).map(({ name, required }) => (required ? `${name}!` : name))
  expect(names).toEqual(['a!', 'a.b', 'a.c', 'a.c[].d!', 'e', 'e.f', 'g'])
})
