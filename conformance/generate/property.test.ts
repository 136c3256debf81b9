import { expect, test, vi } from 'vitest'
import { fc, forAllAsync } from '../../spec/property.fixture.ts'
import { property } from './property.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../contract/outcome.ts'

const context = { seed: 7, runs: 40 }
const numbers = fc.integer({ min: 0, max: 1000 })

function failsFrom(least: number, judged: number[] = []) {
  return async (value: number): Promise<void> => {
    judged.push(value)
    if (value >= least) throw new CheckFailure({ expected: `less than ${least}`, actual: String(value) })
  }
}

test('judges so many values, the same for the same seed', async () => {
  const [first, second, other]: number[][] = [[], [], []]
  await property(context, numbers, failsFrom(Infinity, first))
  await property(context, numbers, failsFrom(Infinity, second))
  await property({ ...context, seed: 8 }, numbers, failsFrom(Infinity, other))
  expect(first).toHaveLength(40)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})

test('a failure is that of the smallest value', async () => {
  await forAllAsync(fc.integer({ min: 0, max: 900 }), fc.integer(), async (least, seed) => {
    const failure = property({ ...context, seed, runs: 200 }, numbers, failsFrom(least))
    await expect(failure).rejects.toMatchObject({ mismatch: { actual: String(least) } })
  })
})

test('shrinking is bounded in steps', async () => {
  let judged = 0
  const endless = fc.array(fc.string({ minLength: 50 }), { minLength: 50 })
  const failure = property(context, endless, async () => {
    judged += 1
    throw new CheckFailure({ expected: 'a', actual: 'b' })
  })
  await expect(failure).rejects.toThrow(CheckFailure)
  expect(judged).toBeLessThanOrEqual(101)
})

test.each([new NotApplicable('no echo'), new Inconclusive('no key'), new Error('a fault')])(
  '%s ends the property at once, as it is',
  async (thrown) => {
    let judged = 0
    const ended = property(context, numbers, async () => {
      judged += 1
      throw thrown
    })
    await expect(ended).rejects.toBe(thrown)
    expect(judged).toBe(1)
  },
)

test('a failure outweighs what ended its shrinking', async () => {
  let judged = 0
  const ended = property(context, numbers, async (value) => {
    judged += 1
    if (judged > 1) throw new Inconclusive('time is over')
    throw new CheckFailure({ expected: 'a', actual: String(value) })
  })
  await expect(ended).rejects.toThrow(CheckFailure)
})

test('a slow target is judged on fewer values, but on some', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    for (const [seconds, expected] of [
      [1, 40],
      [2, 20],
      [30, 10],
    ] as const) {
      const judged: number[] = []
      await property(context, numbers, async (value) => {
        judged.push(value)
        vi.advanceTimersByTime(seconds * 1000 + 1)
      })
      expect(judged).toHaveLength(expected)
    }
  } finally {
    vi.useRealTimers()
  }
})

test('examples are tried first, and runs may be fewer', async () => {
  const judged: number[] = []
  await property(context, numbers, failsFrom(Infinity, judged), { runs: 3, examples: [1001] })
  expect(judged).toHaveLength(3)
  expect(judged[0]).toBe(1001)
})
