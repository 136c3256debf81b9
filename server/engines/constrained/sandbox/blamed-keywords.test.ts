// A schema that nothing matches is refused by the keyword that is the cause, never by one that it does not have.
import { expect, test } from 'vitest'
import { invalidSchema } from '../../request-options.ts'
import type { Schema } from '../../schema-problem.ts'
import { perform } from './sandbox-jobs.ts'

test.each([
  ['maxLength', { type: 'string', minLength: 5, maxLength: 2 }],
  ['maxItems', { type: 'array', minItems: 3, maxItems: 1 }],
  ['required', { type: 'object', properties: { a: false }, required: ['a'] }],
  [
    'maximum',
    { type: 'object', properties: { a: { type: 'integer', minimum: 5, maximum: 2 } }, required: ['a'] },
  ],
  ['enum', { enum: [] }],
  ['type', { allOf: [{ type: 'string' }, { type: 'integer' }] }],
  ['pattern', { type: 'string', allOf: [{ pattern: '^a' }, { pattern: '^b' }] }],
  ['oneOf', { oneOf: [{ type: 'string' }, { type: 'string' }] }],
  ['minItems', { type: 'array', items: false, minItems: 1 }],
  ['$ref', { $ref: '#' }],
  ['not', { not: {} }],
] satisfies [string, Schema][])('%s: %j', (keyword, schema) => {
  const problem = { problem: expect.objectContaining({ keyword }) }
  expect(perform({ type: 'fit', schema, texts: [], value: true })).toEqual(problem)
  expect(perform({ type: 'grammars', wanted: [{ schema, hint: false, objects: false }] })).toEqual(problem)
})

test('a schema that costs too much is refused as a whole, without a keyword', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, place) => [
      `p${place}`,
      { type: 'string', pattern: `^[a-z]{1,300}${place}$` },
    ]),
  )
  const result = perform({
    type: 'grammars',
    wanted: [{ schema: { properties }, hint: false, objects: false }],
  })
  expect(result).toEqual({
    problem: { place: 0, keyword: undefined, message: 'its grammar takes too much work' },
  })
  const { message, param } = invalidSchema('tools[0].function.parameters', {
    keyword: undefined,
    message: 'a',
  })
  expect({ message, param }).toEqual({
    message: "Invalid schema for 'tools[0].function.parameters': a.",
    param: 'tools[0].function.parameters',
  })
})
