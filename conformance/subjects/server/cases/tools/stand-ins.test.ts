// A validator that computes with doubles judges exact numbers.
import { expect, test } from 'vitest'
import { fc, forAll } from '../../../../../spec/property.fixture.ts'
import { exactJson } from '../../../../../harness/json-text.ts'
import { schemaMismatch } from './schema-matching.ts'

const isValid = (schema: string, value: string): boolean =>
  schemaMismatch(Object(exactJson(schema)), exactJson(value)) === undefined

test.each([
  ['{"enum":[9007199254740993]}', '9007199254740993', true],
  ['{"enum":[9007199254740993]}', '9007199254740993.0', true],
  ['{"enum":[9007199254740993]}', '9007199254740992', false],
  ['{"enum":[9007199254740992]}', '9007199254740993', false],
  ['{"const":-9223372036854775808}', '-9223372036854775809', false],
  ['{"const":{"a":[9223372036854775807]}}', '{"a":[9223372036854775807]}', true],
  ['{"const":{"a":[9223372036854775807]}}', '{"a":[9223372036854776000]}', false],
  ['{"uniqueItems":true}', '[9007199254740993,9007199254740992]', true],
  ['{"uniqueItems":true}', '[9007199254740993,9007199254740993]', false],
  ['{"type":"integer","maximum":9223372036854775807}', '9223372036854775807', true],
  ['{"type":"integer","maximum":9223372036854775807}', '9223372036854775808', false],
  ['{"type":"integer","minimum":5}', '9223372036854775807', true],
  ['{"enum":[2]}', '2.0', true],
  // A double is what strict parsers read of a fraction.
  ['{"enum":[0.12345678901234567891]}', '0.12345678901234568', true],
])('%s and %s: valid is %s', (schema, value, expected) => {
  expect(isValid(schema, value)).toBe(expected)
})

test('an integer is valid exactly where it is within its bounds', () => {
  const wide = fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n })
  forAll(wide, wide, fc.bigInt({ min: -2n, max: 2n }), (one, other, distance) => {
    const [low, high] = one < other ? [one, other] : [other, one]
    for (const value of [low + distance, high + distance])
      expect(isValid(`{"type":"integer","minimum":${low},"maximum":${high}}`, String(value))).toBe(
        low <= value && value <= high,
      )
  })
})

test('a value that is nested too deeply is judged, too', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  expect(schemaMismatch({ type: 'object' }, deep)).toContain('must be object')
})
