// A schema of any draft accepts the same values as a validator of that draft says, and so does the value that is found for it.
import { Ajv, type Options } from 'ajv'
import Ajv04 from 'ajv-draft-04'
import formats from 'ajv-formats'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import { describe, expect, it, test } from 'vitest'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { compileSchema } from '../compile-schema.ts'
import { instanceOf } from '../values/schema-instance.ts'
import { inCurrentDraft } from './current-draft.ts'

const OPTIONS: Options = { strict: false, logger: false }
const OLD: Options = { ...OPTIONS, ignoreKeywordsWithRef: true }

const DRAFTS = {
  'http://json-schema.org/draft-04/schema#': (more?: Options) => new Ajv04.default({ ...OLD, ...more }),
  'http://json-schema.org/draft-06/schema#': (more?: Options) =>
    new Ajv({ ...OLD, ...more }).addMetaSchema(draft6),
  'http://json-schema.org/draft-07/schema#': (more?: Options) => new Ajv({ ...OLD, ...more }),
  'https://json-schema.org/draft/2019-09/schema': (more?: Options) => new Ajv2019({ ...OPTIONS, ...more }),
  'https://json-schema.org/draft/2020-12/schema': (more?: Options) => new Ajv2020({ ...OPTIONS, ...more }),
} as const

const names = fc.constantFrom('a', 'b', 'x1', '~/%')
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: -1, max: 4 }),
    fc.constantFrom(null, true, 0.5, '', 'a', 'aa', '2026-01-01', '2026-02-30'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

/** Schemas with the keywords that differ between drafts. Each definition has an address and an anchor of its own. */
function schemas(dialect: string): fc.Arbitrary<Record<string, unknown>> {
  const isFirst = dialect.includes('draft-04')
  const isLast = dialect.includes('2020-12')
  const isNew = isLast || dialect.includes('2019-09')
  const list = isLast ? 'prefixItems' : 'items'
  const rest = isLast ? 'items' : 'additionalItems'
  const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Record<string, unknown>>(
        {},
        { type: 'integer', minimum: 1, ...(isFirst ? { exclusiveMinimum: true } : { exclusiveMaximum: 3 }) },
        { maximum: 2, ...(isFirst && { exclusiveMaximum: false }) },
        { type: 'string', minLength: 1 },
        { format: 'date' },
        { pattern: '^a\\d*$' },
        { enum: ['a', 1, [], {}] },
        { dependencies: { a: ['b'] }, minProperties: 1 },
      ),
      fc
        .constantFrom(
          '#/definitions/1',
          '#/definitions/0',
          '#two',
          'one.json',
          'one.json#/properties/a',
          `#/definitions/list/${list}/1`,
          `#/definitions/list/${rest}`,
          '#/definitions/%7E1~0/not',
          '#/elsewhere/a',
        )
        .map(($ref) => ({ $ref, maximum: 1, maxLength: 1 })),
      fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => ({ [list]: [a], [rest]: b, type: 'array' })),
      fc.tuple(names, tie('schema'), tie('schema')).map(([name, a, b]) => ({
        properties: { [name]: a },
        patternProperties: { '^x': b },
        required: [name],
      })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
      fc.tuple(tie('schema'), tie('schema')).map((allOf) => ({ allOf })),
      tie('schema').map((not) => ({ not })),
      tie('schema').map((additionalProperties) => ({ additionalProperties, type: 'object' })),
    ),
  }))
  const parts = [schema, schema, schema] as const
  return fc.tuple(...parts).map(([root, one, two]) => ({
    $schema: dialect,
    [isFirst ? 'id' : '$id']: 'https://example.com/root.json',
    definitions: {
      0: withoutCircle(one),
      1: { [isFirst ? 'id' : '$id']: 'one.json', properties: { a: { type: 'integer' } } },
      2: { [isNew ? '$anchor' : isFirst ? 'id' : '$id']: isNew ? 'two' : '#two', type: 'string' },
      '/~': { not: { type: 'null' } },
      list: { [list]: [{ type: 'string' }, { type: 'integer' }], [rest]: { type: 'boolean' } },
    },
    elsewhere: { a: { [list]: [withoutCircle(two)], [rest]: { type: 'string' } } },
    allOf: [root],
  }))
}

/** The schema without references that may lead back to it. */
function withoutCircle(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(/#\/(?:definitions\/0|elsewhere\/a)/g, '#/definitions/1'),
  )
}

describe.each(Object.entries(DRAFTS))('a schema of %s', (dialect, createAjv) => {
  /** Compiles the meta-schema, which takes longer than any schema. */
  const meta = createAjv()

  /** A validator of the draft. Throws if the schema is not valid. */
  function validatorOf(schema: Schema): (value: unknown) => boolean {
    void meta.validateSchema(schema, true)
    const ajv = createAjv({ validateSchema: false })
    formats.default(ajv)
    const validate = ajv.compile(schema)
    return (value) => validate(value) === true
  }

  it('accepts what a validator of its draft accepts; a value that is found for it is one of these', () => {
    let [tried, found] = [0, 0]
    forAllWith({ numRuns: 60 }, schemas(dialect), fc.array(values, { maxLength: 12 }), (schema, given) => {
      tried += 1
      const accepts = validatorOf(schema)
      const validate = compileSchema(schema)
      for (const value of given) expect([value, validate(value)]).toEqual([value, accepts(value)])
      const value = valueOf(schema)
      if (value === undefined) return
      expect(accepts(value)).toBe(true)
      found += 1
    })

    expect(found).toBeGreaterThan(tried / 3)
  })

  function valueOf(schema: Schema): unknown {
    try {
      return instanceOf(compileSchema(schema))
    } catch (error) {
      if (error instanceof SchemaProblem) return undefined
      throw error
    }
  }
})

const [DRAFT_4, DRAFT_6, , DRAFT_2019] = Object.keys(DRAFTS)

test.each([
  ['an old draft ignores newer keywords', { $schema: DRAFT_4, const: 1, if: true, else: false }, {}],
  ['draft 6 has const, but not if', { $schema: DRAFT_6, const: 1, if: true }, { const: 1 }],
  [
    'keywords of the validator alone are ignored',
    { type: 'string', nullable: true, id: 1 },
    { type: 'string' },
  ],
  [
    'a boolean bound counts although no draft is named',
    { maximum: 3, exclusiveMaximum: true, minimum: 1, exclusiveMinimum: false },
    { exclusiveMaximum: 3, minimum: 1 },
  ],
  [
    'a list of items counts although no draft is named',
    { items: [true], additionalItems: false },
    { prefixItems: [true], items: false },
  ],
  ['additionalItems alone means nothing', { additionalItems: false }, {}],
  [
    'an anchor is a pointer',
    { $ref: '#a', $defs: { b: { $anchor: 'a' } } },
    { $ref: '#/$defs/b', $defs: { b: {} } },
  ],
  [
    'an address without the scheme is relative to the one around it',
    { $id: 'https://a.org/b/c', items: { $ref: 'd' }, $defs: { x: { $id: '/b/d' } } },
    { items: { $ref: '#/$defs/x' }, $defs: { x: {} } },
  ],
  [
    'names in constants, defaults and properties are not keywords',
    {
      $schema: DRAFT_4,
      properties: { id: {}, items: { enum: [{ id: 'a', items: [{}] }], default: { id: 'b' } } },
    },
    { properties: { id: {}, items: { enum: [{ id: 'a', items: [{}] }], default: { id: 'b' } } } },
  ],
  [
    'a dynamic reference stays, to be refused by its name',
    { $id: 'a', $dynamicAnchor: 'b', items: { $dynamicRef: '#b' } },
    { items: { $dynamicRef: '#b' } },
  ],
])('%s', (_, schema, current) => {
  expect(inCurrentDraft(schema)).toEqual(current)
})

test('a reference to a meta-schema is followed, and its values are valid schemas', () => {
  const schema = { $schema: DRAFT_4, properties: { schema: { $ref: `${DRAFT_4}` } }, required: ['schema'] }
  const validate = compileSchema(schema)
  expect(validate({ schema: { minimum: 1, exclusiveMinimum: true } })).toBe(true)
  expect(validate({ schema: { minimum: 1, exclusiveMinimum: 2 } })).toBe(false)
  expect(validate(instanceOf(validate))).toBe(true)
})

test.each([
  [{ $ref: '#/definitions/a' }, '$ref', "'#/definitions/a' leads nowhere"],
  [{ $ref: '#/$defs/constructor', $defs: {} }, '$ref', 'leads nowhere'],
  [{ $schema: DRAFT_2019, $ref: 'https://example.com/other.json#a' }, '$ref', 'leads nowhere'],
  [{ $ref: 'http://[' }, '$ref', 'leads nowhere'],
  [{ $schema: 'http://json-schema.org/draft-03/schema#' }, '$schema', 'expected draft-04, draft-06'],
  [{ $schema: DRAFT_4, properties: { a: { type: 'string', required: true } } }, 'required', 'must be array'],
])('%j is refused by the name of %s', (schema, keyword, message) => {
  expect(() => compileSchema(schema)).toThrow(
    expect.objectContaining({ keyword, message: expect.stringContaining(message) }),
  )
})
