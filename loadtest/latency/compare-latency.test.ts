// A comparison of two runs: noise is not called a difference, and a difference is found.
import { expect, it } from 'vitest'
import { fc, forAllWith } from '../../spec/property.fixture.ts'
import { compareLatency } from './compare-latency.ts'
import { randomOf } from '../generator/stream-plan.ts'
import type { StreamRecord } from '../generator/stream-record.ts'
import { stream } from '../generator/stream.fixture.ts'
import type { LatencyVerdict } from './latency-verdict.ts'

/** A run of streams whose first token comes after about 100 ms, in a long-tailed distribution. */
function run(seed: number, requests: number, more: (first: number) => Partial<StreamRecord>): LatencyVerdict {
  const random = randomOf(seed, 7, 0)
  const streams = Array.from({ length: requests }, (_, conversation) =>
    stream({ conversation, ...more(100 - 30 * Math.log(1 - random())) }),
  )
  const completed = streams.filter(({ failure }) => failure === undefined).length
  // The comparison reads these two members.
  return { requests: streams, offered: requests, goodput: completed / requests } as unknown as LatencyVerdict
}

const shifted =
  (ms: number) =>
  (first: number): Partial<StreamRecord> => ({ outputMs: [first + ms, first + ms + 20, first + ms + 50] })

const larger = (a: LatencyVerdict, b: LatencyVerdict): string[] =>
  compareLatency(a, b)
    .filter(({ isLarger }) => isLarger)
    .map(({ figure, statistic }) => `${figure}.${statistic}`)

it('two runs that are the same run have no difference', () => {
  const one = run(1, 100, shifted(0))
  for (const { difference } of compareLatency(one, one)) expect(difference).toBe(0)
  expect(larger(one, one)).toEqual([])
})

it(
  'two runs of the same service are called different about as rarely as the interval says',
  { tags: 'slow' },
  () => {
    const called = Array.from({ length: 30 }, (_, seed) =>
      larger(run(seed, 50, shifted(0)), run(seed + 1000, 50, shifted(0))).includes('ttft.mean'),
    )
    // 1.5 of 30 are expected; 8 or more have a probability of 0.0001 by the binomial distribution.
    expect(called.filter(Boolean).length).toBeLessThan(8)
  },
)

it('two runs differ where the later tokens are 40 ms later, and nowhere else', () => {
  const late = (first: number) => ({ outputMs: [first, first + 20, first + 90] })
  const found = larger(run(1, 200, shifted(0)), run(2, 200, late))
  expect(found).toEqual(expect.arrayContaining(['itl.mean', 'tpot.mean', 'e2e.mean', 'e2e.p50']))
  expect(found.filter((name) => name.startsWith('ttft'))).toEqual([])
})

it('two runs have the size and the sign of their difference, and the interval contains it', () => {
  forAllWith({ numRuns: 10 }, fc.integer({ min: 60, max: 500 }), fc.boolean(), (ms, isFaster) => {
    const [one, other] = [run(1, 50, shifted(0)), run(1, 50, shifted(ms))]
    const [a, b] = isFaster ? [other, one] : [one, other]
    const found = compareLatency(a, b).find(
      ({ figure, statistic }) => figure === 'ttft' && statistic === 'mean',
    )
    expect(found?.difference).toBeCloseTo(isFaster ? -ms : ms, 6)
    expect(found?.isLarger).toBe(true)
    const [least, most] = found?.interval ?? []
    expect(least).toBeLessThan(found?.difference ?? Number.NaN)
    expect(most).toBeGreaterThan(found?.difference ?? Number.NaN)
  })
})

it('two runs differ in goodput if enough streams fail', () => {
  const failing = (share: number) => {
    const random = randomOf(9, 9, 9)
    return (first: number): Partial<StreamRecord> =>
      random() < share ? { failure: 'cut' } : shifted(0)(first)
  }
  expect(larger(run(1, 200, failing(0.01)), run(2, 200, failing(0.2)))).toContain('goodput.share')
  expect(larger(run(1, 200, failing(0.01)), run(2, 200, failing(0.02)))).not.toContain('goodput.share')
})
