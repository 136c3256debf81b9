// Values are the same or not whatever they hold, also members with the names of what every object inherits.
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../../../../spec/property.fixture.ts'
import { compileSchema } from '../compile-schema.ts'
import { canonical } from './json-equality.ts'

const INHERITED = Object.getOwnPropertyNames(Object.prototype)

const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, 1, '0', '', null, true),
    tie('object'),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', '1', ...INHERITED), tie('value'), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
})).value

/** Reverses the members of every object in `value`. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, turned(member)]),
  )
}

test('two values have the same text if and only if they are equal', () => {
  forAllWith({ numRuns: 1000 }, json, json, (one, other) => {
    expect(canonical(turned(one))).toBe(canonical(one))
    expect(canonical(one) === canonical(other)).toBe(isDeepStrictEqual(one, other))
  })
  expect(canonical(-0)).toBe(canonical(0))
})

test('const, enum and uniqueItems compare by it', () => {
  forAll(json, json, (one, other) => {
    const same = isDeepStrictEqual(one, other)
    expect(compileSchema({ const: one })(turned(one))).toBe(true)
    expect(compileSchema({ const: one })(other)).toBe(same)
    expect(compileSchema({ enum: [one, 'x'] })(other)).toBe(same)
    expect(compileSchema({ uniqueItems: true })([one, other, 'x'])).toBe(!same)
    expect(compileSchema({ uniqueItems: false })([one, one])).toBe(true)
  })
})

describe.each(INHERITED.filter((name) => name !== '__proto__'))('a member with inherited name %s', (name) => {
  test('is there where the value has it', () => {
    const required = compileSchema({ required: [name] })
    expect([required({}), required({ [name]: 1 })]).toEqual([false, true])
    const dependent = compileSchema({ dependentRequired: { [name]: ['a'] } })
    expect([dependent({}), dependent({ [name]: 1 })]).toEqual([true, false])
    const typed = compileSchema({
      properties: { [name]: { type: 'integer' } },
      additionalProperties: false,
    })
    expect([typed({}), typed({ [name]: 1 }), typed({ [name]: 'a' })]).toEqual([true, true, false])
  })
})

test('member names such as toString are ordinary names when a schema itself is validated', () => {
  expect(() => compileSchema({ required: [{ toString: 1 }, { toString: 2 }] })).toThrow('required')
})
