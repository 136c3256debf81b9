import { expect, test } from 'vitest'
import { TookTooLong, withinTime } from './within-time.ts'

test('work returns its result, and throws its own error', () => {
  const value = { a: 1 }
  expect(withinTime(10_000, () => value)).toBe(value)
  const thrown = (): never => {
    throw new RangeError('its own')
  }
  expect(() => withinTime(10_000, thrown)).toThrow(RangeError)
})

test.each<[string, () => unknown]>([
  ['a pattern that explodes', () => /^(a+)+$/.test(`${'a'.repeat(50)}!`)],
  [
    'a recursion that doubles',
    () => {
      const twice = (depth: number): number => (depth === 0 ? 1 : twice(depth - 1) + twice(depth - 1))
      return twice(60)
    },
  ],
])('%s is ended, and the next work runs', (_, work) => {
  expect(() => withinTime(20, work)).toThrow(TookTooLong)
  expect(withinTime(10_000, () => 1)).toBe(1)
})
