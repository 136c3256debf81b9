// The exponent of a curve is that of its power, however much of the cost every request has.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exponent } from './exponent.ts'

const power = fc.double({ min: 0.2, max: 3, noNaN: true })
const pointsOf = (cost: (size: number) => number) =>
  [1, 8, 32, 128, 1000, 10_000].map((size) => ({ size, cpuMicros: cost(size) }))

test('a power has its exponent', () => {
  fc.assert(
    fc.property(power, fc.double({ min: 1, max: 1000, noNaN: true }), (own, factor) => {
      expect(exponent(pointsOf((size) => factor * size ** own))).toBeCloseTo(own, 6)
    }),
  )
})

test('a constant cost makes no curve steeper', () => {
  fc.assert(
    fc.property(power, fc.double({ min: 1, max: 1000, noNaN: true }), (own, constant) => {
      expect(exponent(pointsOf((size) => constant + size ** own))).toBeLessThan(own)
    }),
  )
})

test('one quadratic step among constant ones shows', () => {
  expect(exponent(pointsOf((size) => Math.max(100, (size / 1000) ** 2 * 100)))).toBeCloseTo(2, 6)
})
