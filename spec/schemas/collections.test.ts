// Lists and dictionaries give zod's verdict and zod's value, with the issues of the first bad item alone.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fc, forAll } from '../property.fixture.ts'
import { dictionary, list } from './collections.ts'

const item = z.object({ a: z.number().optional() })
const key = z.string().regex(/^[a-z]*$/)
const anyItem = fc.oneof(fc.constantFrom({}, { a: 1 }, { a: 1, b: 2 }, { a: 'x' }, 5, null), fc.jsonValue())

/** A schema that counts how often it is asked. */
function counting(): { schema: z.ZodTypeAny; asked: () => number } {
  let count = 0
  const schema = z.unknown().superRefine((value, context) => {
    count++
    if (value === 'bad') context.addIssue({ code: 'custom', message: 'bad' })
  })
  return { schema, asked: () => count }
}

describe('a list', () => {
  test('accepts and returns what an array of zod does', () => {
    const ours = list(item, { min: 1, max: 3 })
    const theirs = z.array(item).min(1).max(3)
    forAll(fc.oneof(fc.array(anyItem, { maxLength: 5 }), fc.jsonValue()), (value) => {
      const [our, their] = [ours.safeParse(value), theirs.safeParse(value)]
      expect([our.success, our.data]).toEqual([their.success, their.data])
      expect(our.error?.issues[0]?.path).toEqual(their.error?.issues[0]?.path)
    })
  })

  test('ends at the first bad item, and reads no item if there are too many', () => {
    const first = counting()
    expect(list(first.schema).safeParse(['good', 'bad', 'bad', 'bad']).error?.issues).toHaveLength(1)
    expect(first.asked()).toBe(2)

    const none = counting()
    expect(list(none.schema, { max: 2 }).safeParse(['good', 'good', 'good']).success).toBe(false)
    expect(none.asked()).toBe(0)
  })

  test('in lists and unions says where the bad item is', () => {
    const nested = z.object({ x: z.union([z.string(), list(list(item))]) })
    const { error } = nested.safeParse({ x: [[{}], [{}, { a: 'x' }]] })
    expect(error?.issues).toMatchObject([
      { code: 'invalid_union', unionErrors: [{}, { issues: [{ path: ['x', 1, 1, 'a'] }] }] },
    ])
  })
})

describe('a dictionary', () => {
  const ours = dictionary({ key, keys: 'small letters', value: item, max: 2 })

  test('accepts and returns what a record of zod does', () => {
    const theirs = z.record(key, item).refine((pairs) => Object.keys(pairs).length <= 2)
    const pairs = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'A', '', 'constructor'), anyItem, {
      maxKeys: 3,
      noNullPrototype: true,
    })
    forAll(fc.oneof(pairs, fc.jsonValue()), (value) => {
      const [our, their] = [ours.safeParse(value), theirs.safeParse(value)]
      expect([our.success, our.data]).toEqual([their.success, their.data])
    })
  })

  test('keeps a key that has a use of its own in JavaScript as a key', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1}}')
    const parsed = dictionary({ key: z.string(), keys: 'texts', value: item }).parse(value)
    expect(Object.keys(parsed)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  })

  test('ends at the first bad value, and reads no value if there are too many', () => {
    const first = counting()
    const open = dictionary({ key, keys: 'small letters', value: first.schema })
    expect(open.safeParse({ a: 'good', b: 'bad', c: 'bad' }).error?.issues).toMatchObject([{ path: ['b'] }])
    expect(first.asked()).toBe(2)
    expect(open.safeParse({ A: 'good' }).error?.issues).toMatchObject([{ path: [], code: 'custom' }])
    expect(first.asked()).toBe(2)

    const none = counting()
    const bounded = dictionary({ key, keys: 'small letters', value: none.schema, max: 1 })
    expect(bounded.safeParse({ a: 'bad', b: 'bad' }).error?.issues).toHaveLength(1)
    expect(none.asked()).toBe(0)
  })
})
