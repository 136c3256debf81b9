// The search for the highest rate, against services whose limit is known.
import { describe, expect, it } from 'vitest'
import { fc, forAllAsync } from '../../spec/property.fixture.ts'
import { createSaturation, rises } from '../generator/saturation.ts'
import { type Window, searchRate, wilson } from './search-rate.ts'

/** A service that keeps every objective up to `limit`, and few above it. */
function service(limit: number, requests = 200): (rate: number) => Promise<Window> {
  return async (rate) => {
    const good = rate <= limit ? requests : Math.round(requests * 0.8)
    return { offered: requests, good, saturated: false, invalid: [] }
  }
}

describe('searchRate', () => {
  it('ends with the limit between its two rates, at most a tenth apart', async () => {
    await forAllAsync(fc.double({ min: 1.01, max: 900, noNaN: true }), async (limit) => {
      const options = { fromPerSecond: 1, toPerSecond: 1000, share: 0.99, tryWindow: service(limit) }
      const { holds, breaks } = await searchRate(options)
      expect(holds).toBeLessThanOrEqual(limit)
      expect(breaks).toBeGreaterThan(limit)
      expect((breaks ?? 0) / (holds ?? 0)).toBeLessThanOrEqual(1.1)
    })
  })

  it('goes below the first rate, and says so when none holds', async () => {
    const from = { fromPerSecond: 8, toPerSecond: 100, share: 0.99 }
    expect(await searchRate({ ...from, tryWindow: service(3) })).toMatchObject({ holds: expect.any(Number) })
    expect(await searchRate({ ...from, tryWindow: service(0) })).toMatchObject({ holds: null, breaks: 1 })
  })

  it('stops at the highest rate that may be tried', async () => {
    const options = { fromPerSecond: 1, toPerSecond: 5, share: 0.99, tryWindow: service(1e9) }
    expect(await searchRate(options)).toMatchObject({ holds: 5, breaks: null })
  })

  it('tries a rate again while its windows do not decide, and pools them', async () => {
    const windows = [196, 200, 200].map((good) => ({ offered: 200, good, saturated: false, invalid: [] }))
    const tryWindow = async (): Promise<Window> =>
      windows.shift() ?? { offered: 200, good: 0, saturated: false, invalid: [] }
    const { rates } = await searchRate({ fromPerSecond: 1, toPerSecond: 1, share: 0.99, tryWindow })
    expect(rates[0]).toMatchObject({
      windows: 2,
      offered: 400,
      good: 396,
      outcome: 'holds',
      isCertain: false,
    })
  })

  it('repeats a window in which the generator was late, and ends without a verdict on the rate if it stays late', async () => {
    let calls = 0
    const late = async (): Promise<Window> => {
      calls += 1
      return { offered: 10, good: 0, saturated: false, invalid: ['late'] }
    }
    const { rates, holds, breaks } = await searchRate({
      fromPerSecond: 1,
      toPerSecond: 9,
      share: 0.99,
      tryWindow: late,
    })
    expect([calls, holds, breaks, rates.map(({ outcome }) => outcome)]).toEqual([2, null, null, ['invalid']])
  })

  it('breaks where the service is over-saturated, whatever has completed until then', async () => {
    const tryWindow = async (): Promise<Window> => ({ offered: 50, good: 50, saturated: true, invalid: [] })
    const { rates } = await searchRate({ fromPerSecond: 1, toPerSecond: 1, share: 0.99, tryWindow })
    expect(rates[0]).toMatchObject({ outcome: 'breaks', windows: 1 })
  })
})

it.each([
  // Values of the Wilson score interval at 95 %, computed with statsmodels' formula by hand.
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [5, 10, 0.2366, 0.7634],
  [297, 300, 0.971, 0.9966],
])('the Wilson interval of %i in %i', (good, offered, least, most) => {
  const interval = wilson(good, offered)
  expect(interval[0]).toBeCloseTo(least, 3)
  expect(interval[1]).toBeCloseTo(most, 3)
})

describe('over-saturation', () => {
  /** Feeds the watcher with a queue: `arriving` and `served` requests in each sample of 250 ms. */
  function isSeen(arriving: (sample: number) => number, served: number, samples = 60): boolean {
    const watch = createSaturation()
    const queue: { first(): void; end(): void }[] = []
    let room = 0
    for (let sample = 0; sample < samples; sample++) {
      for (let count = 0; count < arriving(sample); count++) queue.push(watch.begin(sample * 250))
      room = Math.min(queue.length, room + served)
      for (; room >= 1; room--) {
        const request = queue.shift()
        request?.first()
        request?.end()
      }
      if (watch.isReached(sample * 250)) return true
    }
    return false
  }

  it('is seen when more arrives than is served', () => {
    expect(isSeen(() => 6, 4)).toBe(true)
    expect(isSeen(() => 20, 19)).toBe(true)
  })

  it('is not seen when everything is served, in a burst, or while requests are merely slow', () => {
    expect(isSeen(() => 4, 4)).toBe(false)
    expect(isSeen((sample) => (sample === 20 ? 60 : 3), 5)).toBe(false)
    expect(isSeen((sample) => (sample < 3 ? 10 : 4), 4)).toBe(false)
  })

  it('needs a rise throughout, to at least twice the start', () => {
    expect(rises([1, 2, 3, 4, 5, 6, 7, 8, 9], 1)).toBe(true)
    expect(rises([10, 11, 12, 13, 14, 15, 16, 17, 18], 1)).toBe(false)
    expect(rises([1, 9, 1, 9, 1, 9, 1, 9, 1], 1)).toBe(false)
    expect(rises([1, 2, 3, 4, 5, 6, 7, 8, 9], 50)).toBe(false)
  })
})
