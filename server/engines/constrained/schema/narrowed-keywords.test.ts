// A grammar of a schema with keywords that it expresses by others has only texts that the schema accepts.
import { expect, it } from 'vitest'
import { fc } from '../../../../spec/property.fixture.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { compileSchema } from '../compile-schema.ts'
import { begin, type Grammar, NoText } from '../grammar/byte-grammar.ts'
import { TooMuchEffort } from '../grammar/effort.ts'
import { textOf } from '../grammar/grammar.fixture.ts'
import { jsonGrammar } from '../json-grammar.ts'

const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const part = tie('schema')
  const parts = fc.array(part, { minLength: 1, maxLength: 2 })
  return {
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Schema>(
        { type: 'integer' },
        { type: ['string', 'null'] },
        { enum: ['a', 1, null] },
        { const: true },
        { enum: [1, 3.5] },
        { pattern: '^a' },
        { type: 'string', pattern: 'b', minLength: 2 },
        { type: 'number', minimum: 1, exclusiveMaximum: 4 },
        { type: 'array', minItems: 1, maxItems: 2 },
        { type: 'object', required: ['a', 'b'], maxProperties: 2 },
        { type: 'object', additionalProperties: false, properties: { a: { type: 'integer' }, b: true } },
      ),
      part.map((not) => ({ not })),
      fc.tuple(part, part).map((oneOf) => ({ oneOf })),
      parts.map((anyOf) => ({ anyOf })),
      fc.tuple(part, part).map((allOf) => ({ allOf })),
      fc.tuple(part, part, part).map(([condition, yes, no]) => ({
        if: condition,
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: yes,
        else: no,
      })),
      fc.tuple(part, part).map(([a, b]) => ({
        type: 'object',
        properties: { a },
        patternProperties: { '^a|b$': b, c: { type: 'string' } },
        additionalProperties: false,
      })),
      fc.tuple(part, part).map(([a, b]) => ({
        type: 'object',
        properties: { a, b },
        dependencies: { a: ['b'], b: { required: ['c'] } },
        required: ['a'],
      })),
      part.map((items) => ({ type: 'array', items, minItems: 1 })),
    ),
  }
})

function grammarOf(given: Schema): Grammar | undefined {
  try {
    const grammar = jsonGrammar(given)
    begin(grammar)
    return grammar
  } catch (error) {
    if (error instanceof SchemaProblem || error instanceof NoText || error instanceof TooMuchEffort)
      return undefined
    throw error
  }
}

it('has only texts that the schema accepts', () => {
  let found = 0
  const property = fc.property(schema, fc.nat(), fc.nat(40), (given, seed, wander) => {
    const grammar = grammarOf(given)
    if (grammar === undefined) return
    found += 1
    const validate = compileSchema(given)
    expect([given, JSON.parse(textOf(grammar, seed, wander))]).toSatisfy(([, value]) => validate(value))
  })
  // Two of three have a grammar: a part of the values could have fewer by chance.
  fc.assert(property, { numRuns: 300 })
  expect(found).toBeGreaterThan(150)
})

const admits = (given: Schema, json: string): boolean =>
  begin(jsonGrammar(given)).after(Buffer.from(json))?.mayEnd === true

it.each<[Schema, readonly string[], readonly string[]]>([
  [{ type: 'integer', not: { minimum: 1 } }, ['0', '-1'], ['1']],
  [{ type: 'integer', not: { exclusiveMaximum: 1 } }, ['1', '2'], ['0']],
  [{ type: 'string', not: { minLength: 2 } }, ['""', '"a"'], ['"aa"']],
  [{ not: { type: ['integer', 'string'] } }, ['null', '[]'], ['1', '0.5', '"a"']],
  [{ type: 'string', not: { enum: ['a.b', 'c'] } }, ['"axb"', '""'], ['"a.b"', '"c"']],
  [{ type: 'boolean', not: { const: true } }, ['false'], ['true']],
  [{ type: 'string', not: { pattern: 'b|^a' } }, ['"ca"'], ['"a"', '"cb"']],
  [{ type: 'object', properties: { a: true }, not: { required: ['a'] } }, ['{}'], ['{"a":1}']],
  // The second branch accepts 2, although its grammar does not.
  [{ oneOf: [{ const: 2 }, { type: 'integer', not: { enum: [1, 3] } }] }, ['4', '0'], ['1', '2', '3']],
])('of %j, %j are texts of the grammar, and %j are not', (given, texts, others) => {
  expect(texts.filter((text) => admits(given, text))).toEqual(texts)
  expect(others.filter((text) => admits(given, text))).toEqual([])
})
