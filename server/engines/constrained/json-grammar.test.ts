// Whatever is drawn from a grammar, its schema accepts; values that a schema was made for match its grammar; what a grammar cannot
// express is refused by name.
import { describe, expect, it } from 'vitest'
import { fc, forAllWith } from '../../../spec/property.fixture.ts'
import { begin, leastBytes } from './grammar/byte-grammar.ts'
import { textOf } from './grammar/grammar.fixture.ts'
import { jsonGrammar } from './json-grammar.ts'
import { compileSchema } from './compile-schema.ts'
import type { Schema } from '../schema-problem.ts'

const accepts = (schema: Schema, value: unknown): boolean => compileSchema(schema)(value)
const admits = (schema: Schema, value: unknown): boolean =>
  begin(jsonGrammar(schema)).after(Buffer.from(JSON.stringify(value)))?.mayEnd === true

/** A schema, and a value that it accepts, its properties in the order of the schema. */
interface Made {
  readonly schema: Schema
  readonly value: unknown
}

const PATTERNS = ['^[a-z]+$', '^(ab|c)*$', '\\d{2}', '^[^x]', 'é|"', '^\\w+-\\w+$']
const string = fc
  .constantFrom(...PATTERNS)
  .chain((pattern) => fc.stringMatching(new RegExp(pattern, 'u')).map((value) => ({ pattern, value })))
  .map(({ pattern, value }): Made => {
    const length = Array.from(value.toWellFormed()).length
    return {
      schema: { type: 'string', pattern, minLength: length, maxLength: length + 2 },
      value: value.toWellFormed(),
    }
  })
  .filter(({ schema, value }) => accepts(schema, value))
const plain = fc.string({ unit: 'grapheme', maxLength: 5 }).map((value): Made => {
  const length = Array.from(value).length
  return { schema: { type: 'string', minLength: Math.max(0, length - 1), maxLength: length + 1 }, value }
})
const integer = fc
  .tuple(fc.integer({ min: -1200, max: 1200 }), fc.nat(150), fc.nat(150), fc.integer({ min: 1, max: 40 }))
  .map(([units, below, above, step]): Made => {
    const value = units * step
    return {
      schema: {
        type: 'integer',
        minimum: value - below,
        exclusiveMaximum: value + above + 1,
        multipleOf: step,
      },
      value,
    }
  })
const number = fc
  .tuple(fc.integer({ min: -4000, max: 4000 }), fc.nat(99), fc.nat(99))
  .map(([units, below, above]): Made => ({
    schema: {
      type: 'number',
      exclusiveMinimum: (units - below - 1) / 4,
      maximum: (units + above) / 4,
      multipleOf: 0.25,
    },
    value: units / 4,
  }))
const constant = fc
  .tuple(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }))
  .map(([others, value]): Made => ({ schema: { enum: [...others, value] }, value }))

const { made } = fc.letrec<{ made: Made; object: Made }>((tie) => ({
  made: fc.oneof(
    { depthSize: 'small' },
    string,
    plain,
    integer,
    number,
    constant,
    tie('object'),
    fc
      .tuple(tie('made'), tie('made'))
      .map(([a, b]): Made => ({ schema: { anyOf: [a.schema, b.schema] }, value: b.value })),
    fc.tuple(tie('object'), tie('made')).map(([a, b]): Made => ({
      schema: {
        oneOf: [kinded('a', a.schema), kinded('b', b.schema)],
      },
      value: { kind: 'b', value: b.value },
    })),
    fc.array(tie('made'), { minLength: 1, maxLength: 3 }).map((items): Made => ({
      schema: {
        type: 'array',
        prefixItems: items.map(({ schema }) => schema),
        items: false,
        minItems: items.length,
      },
      value: items.map(({ value }) => value),
    })),
    fc.tuple(tie('made'), fc.nat(3)).map(([{ schema, value }, count]): Made => ({
      schema: { type: 'array', items: schema, minItems: count, maxItems: count + 1 },
      value: Array.from({ length: count }, () => value),
    })),
    fc.shuffledSubarray(['a', 'b', 'c', 1, null]).map((value): Made => ({
      schema: {
        type: 'array',
        items: { enum: ['a', 'b', 'c', 1, null] },
        uniqueItems: true,
        minItems: Math.max(0, value.length - 1),
        maxItems: value.length + 1,
      },
      value,
    })),
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.stringMatching(/^[a-z"é]{1,3}$/), tie('made'), { maxKeys: 4 }),
      fc.nat(3),
      fc.boolean(),
    )
    .map(([members, count, joined]): Made => {
      const entries = Object.entries(members)
      const schemas = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))
      const given = entries.slice(0, count)
      const sized = {
        type: 'object',
        properties: schemas,
        minProperties: Math.max(0, given.length - 1),
        maxProperties: given.length,
      }
      const required = given.slice(0, 1).map(([name]) => name)
      return {
        schema: joined
          ? { allOf: [sized, { required }, { additionalProperties: true }] }
          : { ...sized, required, additionalProperties: false },
        value: Object.fromEntries(given.map(([name, { value }]) => [name, value])),
      }
    }),
}))

function kinded(kind: string, schema: Schema): Schema {
  return {
    type: 'object',
    properties: { kind: { const: kind }, value: schema },
    required: ['kind', 'value'],
    additionalProperties: false,
  }
}

describe('jsonGrammar', () => {
  it('has only texts that the schema accepts', () => {
    forAllWith({ numRuns: 80 }, made, fc.nat(), fc.nat(40), ({ schema }, seed, wander) => {
      fc.pre(leastBytes(jsonGrammar(schema)) < Infinity)
      const value: unknown = JSON.parse(textOf(jsonGrammar(schema), seed, wander))
      expect({ schema, value }).toSatisfy(({ value: drawn }) => accepts(schema, drawn))
    })
  })

  it('has the values that a schema was made for', () => {
    forAllWith({ numRuns: 150 }, made, ({ schema, value }) => {
      expect(accepts(schema, value)).toBe(true)
      expect({ schema, value }).toSatisfy(({ value: given }) => admits(schema, given))
    })
  })

  it('follows references, also to itself', () => {
    const schema = {
      type: 'object',
      properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/none' }] } },
      required: ['value', 'next'],
      additionalProperties: false,
      $defs: { none: { type: 'null' } },
    }
    const nested = '{"value":1,"next":{"value":2,"next":null}}'
    expect(begin(jsonGrammar(schema)).after(Buffer.from(nested))?.mustEnd).toBe(true)
    expect(begin(jsonGrammar(schema)).after(Buffer.from('{"value":1,"next":2'))).toBeUndefined()
  })

  it('joins what holds at once, also through references', () => {
    const schema = {
      $defs: {
        positive: { type: 'number', exclusiveMinimum: 0 },
        tree: { allOf: [{ $ref: '#' }, { required: ['b'] }] },
      },
      allOf: [
        { type: 'object', properties: { a: { $ref: '#/$defs/positive', type: 'integer', maximum: 12 } } },
      ],
      properties: { a: { minimum: 10 }, b: { anyOf: [{ $ref: '#/$defs/tree' }, { type: 'null' }] } },
    }
    expect([9, 10, 12, 13].map((a) => admits(schema, { a }))).toEqual([false, true, true, false])
    expect(admits(schema, { b: { b: null } })).toBe(true)
    expect(admits(schema, { b: {} })).toBe(false)
  })

  it.each([
    ['types', { type: 'integer' }, { type: 'string' }, true],
    ['numbers of one type', { type: 'integer' }, { type: 'number' }, false],
    ['bounds', { type: 'number', maximum: 1 }, { type: 'number', exclusiveMinimum: 1 }, true],
    ['bounds that touch', { type: 'number', maximum: 1 }, { type: 'number', minimum: 1 }, true],
    ['patterns', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^b' }, true],
    [
      'patterns that both may match',
      { type: 'string', pattern: '^a' },
      { type: 'string', pattern: 'b$' },
      true,
    ],
    [
      'properties that both may have',
      { type: 'object', properties: { a: { type: 'string' }, b: true }, required: ['a'] },
      { type: 'object', properties: { a: true, b: { type: 'string' } }, required: ['b'] },
      true,
    ],
    ['a constant', { enum: ['a', 'b'] }, { type: 'string', pattern: 'c' }, true],
    [
      'a name that only one has',
      kinded('a', true),
      { type: 'object', properties: {}, additionalProperties: false },
      true,
    ],
    ['lengths of lists', { type: 'array', maxItems: 1 }, { type: 'array', minItems: 2 }, true],
  ] satisfies [string, Schema, Schema, boolean][])(
    'distinguishes the branches of oneOf by %s, or not',
    (_, one, other, apart) => {
      const grammar = () => jsonGrammar({ oneOf: [one, other] })
      if (apart)
        forAllWith({ numRuns: 20 }, fc.nat(), fc.nat(30), (seed, wander) => {
          const drawn: unknown = JSON.parse(textOf(grammar(), seed, wander))
          expect(drawn).toSatisfy((value) => accepts({ oneOf: [one, other] }, value))
        })
      else expect(grammar).toThrow(expect.objectContaining({ keyword: 'oneOf' }))
    },
  )

  it.each([
    ['pattern', { type: 'string', pattern: '(a)\\1' }],
    ['pattern', { type: 'string', pattern: '\\bword\\b' }],
    ['pattern', { type: 'string', pattern: 'a.{400}', maxLength: 3000 }],
    ['multipleOf', { type: 'integer', multipleOf: 123_456 }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'string', format: 'date' }] }],
    ['not', { not: { format: 'date' } }],
    ['pattern', { type: 'object', patternProperties: { '\\ba': true } }],
    ['unevaluatedProperties', { unevaluatedProperties: false }],
    ['contains', { type: 'array', contains: { type: 'string' } }],
    ['uniqueItems', { type: 'array', items: { type: 'array', uniqueItems: true } }],
    ['minProperties', { type: 'object', minProperties: 2 }],
    ['required', { enum: [{ a: 1 }], required: ['a'] }],
    ['$ref', { $ref: '#/$defs/missing' }],
  ] satisfies [string, Schema][])('refuses %s by name, unless the schema is a hint', (keyword, schema) => {
    expect(() => jsonGrammar(schema)).toThrow(expect.objectContaining({ keyword }))
    if (keyword !== '$ref') expect(leastBytes(jsonGrammar(schema, { hint: true }))).toBeLessThan(Infinity)
  })

  it.each([
    false,
    { $ref: '#' },
    { anyOf: [{ $ref: '#' }] },
    { allOf: [{ type: 'string', pattern: '^a' }, { pattern: '^b' }] },
  ])('throws if no text can match: %o', (schema) => {
    expect(() => begin(jsonGrammar(schema))).toThrow(RangeError)
  })
})

const impossible: readonly (readonly [string, Schema])[] = [
  ['a minLength above maxLength', { type: 'string', minLength: 5, maxLength: 2 }],
  ['the same with a pattern', { type: 'string', pattern: '^[a-z]+$', minLength: 5, maxLength: 2 }],
  ['a minItems above maxItems', { type: 'array', minItems: 3, maxItems: 1 }],
  ['a minItems above a maxItems of 0', { type: 'array', items: { type: 'null' }, minItems: 1, maxItems: 0 }],
  ['a minProperties above maxProperties', { type: 'object', minProperties: 3, maxProperties: 1 }],
  ['a required property above maxProperties', { type: 'object', required: ['a'], maxProperties: 0 }],
  ['a required property that is false', { type: 'object', properties: { a: false }, required: ['a'] }],
  ['a minimum above maximum', { type: 'integer', minimum: 5, maximum: 2 }],
  ['bounds that exclude each other', { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1 }],
  ['an empty enum', { enum: [] }],
  ['a const of another type', { type: 'string', const: 1 }],
]
const within: readonly (readonly [string, (schema: Schema) => Schema])[] = [
  ['itself', (schema) => schema],
  [
    'in a required property',
    (schema) => ({
      type: 'object',
      properties: { a: schema },
      required: ['a'],
      additionalProperties: false,
    }),
  ],
  ['in a list that is not empty', (schema) => ({ type: 'array', items: schema, minItems: 1 })],
  ['in every alternative', (schema) => ({ anyOf: [schema, schema] })],
  ['behind a reference', (schema) => ({ $defs: { a: schema }, $ref: '#/$defs/a' })],
]

it.each(
  impossible.flatMap(([what, schema]) => within.map(([where, wrap]) => [what, where, wrap(schema)] as const)),
)('a schema that no value satisfies has no grammar: %s, %s', (_what, _where, schema) => {
  const refused = (): unknown => begin(jsonGrammar(schema))
  expect(refused).toThrow(/no JSON text|names that the schema does not list/)
})
