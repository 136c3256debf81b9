// The bounds hold for every honest limiter and any requests, and they find the errors that they promise to find.
import { describe, expect, it } from 'vitest'
import { fc, forAll, forAllWith } from '../../spec/property.fixture.ts'
import {
  alignedWindow,
  anchoredWindow,
  type Limiter,
  slidingWindow,
  tokenBucket,
} from '../../fixtures/limiters/limiters.ts'
import {
  type Algorithm,
  busiest,
  busiestPossible,
  type Counting,
  detectable,
  extent,
  leastAdmitted,
  mostAdmitted,
  type RequestLimit,
  type Span,
} from './limiter-bounds.ts'

const limits = fc.record({
  requests: fc.integer({ min: 1, max: 12 }),
  windowSeconds: fc.integer({ min: 1, max: 9 }),
})
const fractions = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

/** The step of time, in seconds: a power of two, so that sums are exact. */
const STEP = 1 / 1024
const inSteps = (seconds: number): number => Math.round(seconds / STEP) * STEP

/** The start of clock windows, in half steps: rounding moves no request over an edge. */
const halfSteps = fc.integer({ min: 0, max: 9 / STEP }).map((steps) => (steps + 0.5) * STEP)

interface Kind {
  readonly name: string
  readonly algorithm: Algorithm
  /** `shiftSeconds` moves the windows of a limiter with clock windows. */
  make(limit: RequestLimit, shiftSeconds: number): Limiter
  burst?(limit: RequestLimit): number
}

const kinds: readonly Kind[] = [
  {
    name: 'fixed windows by the clock',
    algorithm: 'fixed-window',
    make: (limit, shift) => alignedWindow(limit, shift / limit.windowSeconds),
  },
  { name: 'fixed windows from the first request', algorithm: 'fixed-window', make: anchoredWindow },
  { name: 'a sliding window', algorithm: 'sliding-window', make: slidingWindow },
  { name: 'a token bucket', algorithm: 'token-bucket', make: (limit) => tokenBucket(limit) },
  {
    name: 'a bucket of one token',
    algorithm: 'token-bucket',
    make: (limit) => tokenBucket(limit, 1),
    burst: () => 1,
  },
]

const countingOf = (kind: Kind, limit: RequestLimit): Counting => ({
  limit,
  algorithm: kind.algorithm,
  burst: kind.burst?.(limit) ?? limit.requests,
})
const unknown = (limit: RequestLimit): Counting => ({ limit, algorithm: 'any', burst: limit.requests })

/** The gaps between requests, after others that leave the limiter in any state. */
const arrivals = fc.record({
  before: fc.array(fractions, { maxLength: 15 }),
  gaps: fc.array(fractions, { minLength: 1, maxLength: 300 }),
})

/** The times of all requests and of the admitted ones. */
function run(limiter: Limiter, before: readonly number[], gaps: readonly number[]) {
  let now = 0
  for (const gap of before) limiter((now += inSteps(gap)))
  const offered: number[] = []
  const admitted: number[] = []
  for (const gap of gaps) {
    now += inSteps(gap)
    offered.push(now)
    if (limiter(now).admitted) admitted.push(now)
  }
  return { offered, admitted }
}

const at = (times: readonly number[]): Span[] => times.map((time) => ({ start: time, end: time }))

describe.each(kinds)('$name', (kind) => {
  it('never admits more than its own bound and the bound of any', () => {
    forAll(
      limits,
      halfSteps,
      arrivals,
      fc.double({ min: 0.001, max: 3, noNaN: true }),
      (limit, shift, { before, gaps }, pace) => {
        const scaled = gaps.map((gap) => gap * pace)
        const { admitted } = run(kind.make(limit, shift), before, scaled)
        for (const counting of [countingOf(kind, limit), unknown(limit)]) {
          const seconds = extent(at(admitted))
          expect(admitted.length).toBeLessThanOrEqual(mostAdmitted(counting, seconds))
          for (const length of [limit.windowSeconds, limit.windowSeconds / 3, limit.windowSeconds * 2.5])
            expect(busiest(at(admitted), length)).toBeLessThanOrEqual(mostAdmitted(counting, length))
        }
      },
    )
  })

  it('never admits less than the bound if requests come fast enough', () => {
    forAllWith(
      { numRuns: 300 },
      limits,
      halfSteps,
      arrivals,
      fractions,
      (limit, shift, { before, gaps }, pace) => {
        // Up to one and a half times the gap at which the bound becomes zero.
        const most = (1.5 * pace * limit.windowSeconds) / limit.requests
        const { offered, admitted } = run(
          kind.make(limit, shift),
          before,
          gaps.map((gap) => gap * most),
        )
        expect(admitted.length).toBeGreaterThanOrEqual(leastAdmitted(limit, at(offered)))
      },
    )
  })
})

describe('detectable', () => {
  const few = fc.record({
    requests: fc.integer({ min: 1, max: 8 }),
    windowSeconds: fc.integer({ min: 1, max: 4 }),
  })
  const kindsOfCounting = fc.constantFrom<Algorithm>('any', 'fixed-window', 'sliding-window', 'token-bucket')

  it('is the smallest error that shows in the sum', () => {
    forAll(few, kindsOfCounting, fc.integer({ min: 1, max: 30 }), (limit, algorithm, windows) => {
      const counting = { limit, algorithm, burst: limit.requests }
      const seconds = windows * limit.windowSeconds
      const error = detectable(counting, seconds)
      const limiter = alignedWindow({ ...limit, requests: limit.requests + error })
      const step = limit.windowSeconds / 64
      const { admitted } = run(limiter, [], [0, ...Array<number>(windows * 64 - 1).fill(step)])
      const most = mostAdmitted(counting, seconds)
      expect(admitted.length).toBeGreaterThan(most)
      if (error > 1) expect((limit.requests + error - 1) * windows).toBeLessThanOrEqual(most)
    })
  })

  it('is one request if a run has more than twice as many windows as the limit has requests', () => {
    expect(detectable(unknown({ requests: 3, windowSeconds: 1 }), 10)).toBe(1)
    expect(detectable(unknown({ requests: 3, windowSeconds: 1 }), 10.05)).toBe(1)
    expect(detectable(unknown({ requests: 600, windowSeconds: 60 }), 60)).toBe(601)
    expect(detectable(unknown({ requests: 600, windowSeconds: 60 }), 59)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('spans', () => {
  it('count in a window only if they lie completely in it', () => {
    const spans = [
      { start: 0, end: 0.2 },
      { start: 0.5, end: 1.1 },
      { start: 0.9, end: 1 },
    ]
    expect(busiest(spans, 1)).toBe(2)
    expect(busiest(spans, 1.1)).toBe(3)
    expect(extent(spans)).toBeCloseTo(1.1)
  })

  it('may count in every window that they overlap', () => {
    const spansOfTime = fc
      .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 5 }))
      .map(([start, length]) => ({ start, end: start + length }))
    forAll(fc.array(spansOfTime), fc.integer({ min: 0, max: 8 }), (spans, seconds) => {
      const reaching = spans.map(
        ({ end: from }) => spans.filter(({ start, end }) => start <= from + seconds && end >= from).length,
      )
      expect(busiestPossible(spans, seconds)).toBe(Math.max(0, ...reaching))
      expect(busiestPossible(spans, seconds)).toBeGreaterThanOrEqual(busiest(spans, seconds))
    })
  })

  it('give a lower bound for each stretch of requests that came fast enough', () => {
    const limit = { requests: 2, windowSeconds: 1 }
    const steady = Array.from({ length: 101 }, (_, index) => ({ start: index / 10, end: index / 10 + 0.01 }))
    // A stretch is 1 s and two gaps of 0.11 s; a request every 0.1 s fills it.
    expect(leastAdmitted(limit, steady)).toBe(2 * 7)
    const paused = steady.filter(({ start }) => start < 4 || start > 6)
    expect(leastAdmitted(limit, paused)).toBe(2 * (3 + 3))
    expect(
      leastAdmitted(
        limit,
        steady.filter((_, index) => index % 6 === 0),
      ),
    ).toBe(0)
    expect(leastAdmitted(limit, [])).toBe(0)
  })
})
