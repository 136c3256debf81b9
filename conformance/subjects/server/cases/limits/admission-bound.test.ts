// The bound holds for every honest limiter, whenever it is asked; and it is not so wide that it says nothing.
import { expect, it } from 'vitest'
import { fc, forAll } from '../../../../../spec/property.fixture.ts'
import {
  alignedWindow,
  anchoredWindow,
  type Limit,
  type Limiter,
  slidingWindow,
  tokenBucket,
} from '../../../../../fixtures/limiters/limiters.ts'
import { mostAdmitted } from './admission-bound.ts'

/** Windows by the clock, of which the one before counts by the share of it that a sliding window would have. */
function weightedWindows({ requests, windowSeconds }: Limit, phase: number): Limiter {
  const used = new Map<number, number>()
  return (now) => {
    const at = now / windowSeconds + phase
    const window = Math.floor(at)
    const counted = (used.get(window - 1) ?? 0) * (1 - (at - window)) + (used.get(window) ?? 0)
    const admitted = counted + 1 <= requests
    if (admitted) used.set(window, (used.get(window) ?? 0) + 1)
    return { admitted, retryAfterSeconds: 0 }
  }
}

const limiters = {
  alignedWindow,
  anchoredWindow,
  slidingWindow,
  weightedWindows,
  tokenBucket: (limit: Limit) => tokenBucket(limit),
}

const given = fc.record({
  requests: fc.integer({ min: 1, max: 20 }),
  windowSeconds: fc.double({ min: 0.5, max: 100, noNaN: true }),
  phase: fc.double({ min: 0, max: 1, noNaN: true }),
  gaps: fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 150 }),
  from: fc.nat(100),
})

it.each(Object.entries(limiters))('%s stays within it, from whichever request on (LIMIT-4)', (_, make) => {
  forAll(given, ({ requests, windowSeconds, phase, gaps, from }) => {
    const limiter = make({ requests, windowSeconds }, phase)
    let now = 0
    const times = gaps.map((gap) => (now += gap))
    const asked = times.map((at) => ({ at, isAdmitted: limiter(at).admitted })).slice(from)
    const seconds = (asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0)
    const admitted = asked.filter(({ isAdmitted }) => isAdmitted).length
    expect(admitted).toBeLessThanOrEqual(mostAdmitted({ requests, windowSeconds }, seconds))
  })
})

it('is twice the limit for requests at the same time', () => {
  expect(mostAdmitted({ requests: 5, windowSeconds: 10 }, 0)).toBe(10)
})
