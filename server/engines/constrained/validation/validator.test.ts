// Values are judged as draft 2020-12 says, where validators of this language often go wrong. `server/engines/constrained/test-suite.fixture.ts` runs the
// test suite of the standard.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { parseExact } from '../../../../spec/protocol/exact-json.ts'
import type { Schema } from '../../schema-problem.ts'
import { compileSchema } from '../compile-schema.ts'

const BIG = '9007199254740993'
const accepts = (schema: string, value: string) =>
  compileSchema(parseExact(schema) as Schema)(parseExact(value))

describe('numbers are compared exactly', () => {
  test.each([
    [
      `{"const":${BIG}}`,
      [BIG, `${BIG}.0`, '90071992547409930e-1'],
      ['9007199254740992', '9007199254740994', `"${BIG}"`],
    ],
    [
      '{"enum":[1e400,{"a":[9223372036854775807]}]}',
      ['10e399', '{"a":[9223372036854775807]}'],
      ['1e401', '{"a":[9223372036854775808]}'],
    ],
    [`{"minimum":${BIG}}`, [BIG, '9007199254740994', '1e400'], ['9007199254740992', '-1e400']],
    [
      `{"exclusiveMaximum":${BIG}}`,
      ['9007199254740992', '-9007199254740995', '0.5'],
      [BIG, '9007199254740993.5'],
    ],
    ['{"type":"integer"}', ['2.0', BIG, '1e400', '-0.0'], ['2.5', '9007199254740993.5', '1e-400']],
    ['{"multipleOf":3}', ['9007199254740993', '3e1000000000'], ['9007199254740994', '1e1000000000']],
    ['{"multipleOf":0.1}', ['0.3', '1.1', '1e300'], ['0.25', '1e-400']],
    ['{"multipleOf":1e-400}', ['1e-399', '5'], ['1e-401']],
    ['{"uniqueItems":true}', [`[9007199254740992,${BIG}]`], [`[${BIG},${BIG}.0]`, '[1,1.0]']],
    ['{"const":2}', ['2.0', '20e-1'], ['2.1']],
    ['{"const":0}', ['-0', '0.0'], ['1e-400']],
    ['{"type":"object"}', ['{}'], [BIG, '[1e400]']],
  ])('%s', (schema, valid, invalid) => {
    expect(valid.filter((value) => !accepts(schema, value))).toEqual([])
    expect(invalid.filter((value) => accepts(schema, value))).toEqual([])
  })
})

describe('what is evaluated', () => {
  test.each([
    // `contains` evaluates the items that it accepts.
    ['{"contains":{"type":"string"},"unevaluatedItems":false}', ['["a","b"]'], ['["a",1]', '[1]']],
    [
      '{"prefixItems":[true],"anyOf":[{"contains":{"const":1}},{"contains":{"const":2}}],"unevaluatedItems":false}',
      ['[0,1,2]', '[0,2]'],
      ['[0,1,3]'],
    ],
    [
      '{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"properties":{"b":true}},"else":{"properties":{"c":true}},"unevaluatedProperties":false}',
      ['{"a":1,"b":2}', '{"c":3}'],
      ['{"a":1,"c":3}', '{"b":2}', '{"a":2}'],
    ],
    [
      '{"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":true}}],"unevaluatedProperties":{"type":"null"}}',
      ['{"a":1,"b":2}', '{"b":2,"a":null}'],
      ['{"a":2,"b":2}'],
    ],
    // A schema beside this one, and `not`, evaluate nothing for it.
    ['{"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]}', ['{}'], ['{"a":1}']],
    ['{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}', ['{}'], ['{"a":1}']],
    [
      '{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"a":true}}},"unevaluatedProperties":false}',
      ['{"a":1}'],
      ['{"b":1}'],
    ],
    [
      '{"dependentSchemas":{"a":{"properties":{"b":true}}},"properties":{"a":true},"unevaluatedProperties":false}',
      ['{"a":1,"b":1}'],
      ['{"b":1}'],
    ],
  ])('%s', (schema, valid, invalid) => {
    expect(valid.filter((value) => !accepts(schema, value))).toEqual([])
    expect(invalid.filter((value) => accepts(schema, value))).toEqual([])
  })
})

test.each([
  [
    '{"properties":{"__proto__":{"type":"integer"}},"additionalProperties":false}',
    '{"__proto__":1}',
    '{"__proto__":"a"}',
  ],
  ['{"required":["__proto__"]}', '{"__proto__":1}', '{}'],
  ['{"patternProperties":{"^__":{"const":1}}}', '{"__proto__":1}', '{"__proto__":2}'],
  ['{"const":{"__proto__":1}}', '{"__proto__":1}', '{"__proto__":2}'],
])('a property may be named __proto__: %s', (schema, valid, invalid) => {
  expect([accepts(schema, valid), accepts(schema, invalid)]).toEqual([true, false])
})

test.each(['$dynamicRef', '$recursiveRef'])('%s is refused by its name', (keyword) => {
  const schema = { properties: { a: { [keyword]: '#' } }, $dynamicAnchor: 'a' }
  expect(() => compileSchema(schema)).toThrow(expect.objectContaining({ keyword }))
})

test.each([
  [{ properties: { 'x-y': 5 } }, 'properties'],
  [{ items: { minLength: -1 } }, 'minLength'],
  [{ required: 'a' }, 'required'],
])('an invalid schema is refused by the keyword: %j', (schema, keyword) => {
  expect(() => compileSchema(schema)).toThrow(expect.objectContaining({ keyword }))
})

describe('any schema without unevaluated keywords', () => {
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(0, 1, 2, 0.5, '', 'a', 'ab', null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value
  const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
    const one = tie('schema')
    const several = fc.array(one, { minLength: 1, maxLength: 3 })
    const keyword = (name: string, value: fc.Arbitrary<unknown>) =>
      value.map((each): Schema => ({ [name]: each }))
    return {
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Schema>(
          true,
          false,
          { type: ['string', 'integer'] },
          { enum: [1, 'a', null, []] },
          { minimum: 1, exclusiveMaximum: 2 },
          { multipleOf: 0.5 },
          { maxLength: 1 },
          { minItems: 1, uniqueItems: true },
          { minProperties: 1, maxProperties: 2 },
          { required: ['a'] },
          { dependentRequired: { a: ['b'] } },
          { pattern: '^a' },
        ),
        ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => keyword(name, several)),
        ...['not', 'items', 'contains', 'additionalProperties', 'propertyNames'].map((name) =>
          keyword(name, one),
        ),
        fc.record({ contains: one, minContains: fc.nat(2), maxContains: fc.nat(2) }),
        fc.record(Object.fromEntries(['if', 'then', 'else'].map((name) => [name, one]))),
        fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b'), one), additionalProperties: one }),
        fc.record({ patternProperties: fc.record({ '^[ab]': one }), additionalProperties: one }),
        fc.record({ dependentSchemas: fc.record({ a: one }) }),
      ),
    }
  })

  test('accepts what another validator accepts', () => {
    const ajv = new Ajv2020({ strict: false, logger: false })
    // It counts an empty list as one that contains a value, if the schema of `contains` has a `contains` in it.
    const miscounted = { contains: { contains: { minimum: 1 } }, maxContains: 2 }
    expect(
      [compileSchema(miscounted), ajv.compile(miscounted)].map((valid) => valid([[[]], {}, []])),
    ).toEqual([true, false])
    forAllWith({ numRuns: 500 }, schema, values, (given, value) => {
      fc.pre(!/"contains":.*"contains":/.test(JSON.stringify(given)))
      expect(compileSchema(given)(value)).toBe(ajv.validate(given, value))
    })
  })
})
