// The interval of a median contains the median of all possible rounds as often as it says.
import { expect, it } from 'vitest'
import { randomOf } from '../generator/stream-plan.ts'
import { medianInterval } from './statistics.ts'

it.each([
  [6, [1, 6]],
  [9, [2, 8]],
  [20, [6, 15]],
])('of %i values leaves out as many on each side as tables of the sign test say', (count, interval) => {
  const values = Array.from({ length: count }, (_, index) => count - index)
  expect(medianInterval(values)).toEqual(interval)
})

it('is not given for fewer than six values', () => {
  expect(medianInterval([1, 2, 3, 4, 5])).toBeUndefined()
  expect(medianInterval([])).toBeUndefined()
})

it('contains the true median in at least 95 % of the samples of a skewed distribution', () => {
  const random = randomOf(20_261_125, 0, 0)
  const samples = Array.from({ length: 4000 }, () =>
    medianInterval(Array.from({ length: 9 }, () => -Math.log(1 - random()))),
  )
  const hits = samples.filter((interval) => interval && interval[0] < Math.LN2 && Math.LN2 < interval[1])
  expect(hits.length / samples.length).toBeGreaterThan(0.95)
  expect(hits.length / samples.length).toBeLessThan(0.972)
})
