// The figures of streams, each from its definition.
import { describe, expect, it } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { isGood, latencyOf, summarize, throughputOf, timesOf } from './latency-figures.ts'
import { secondsOfRun } from './seconds-of-run.ts'
import { stream } from '../generator/stream.fixture.ts'
import { nearestRank } from '../theory/statistics.ts'

describe('a stream', () => {
  it('has its times from the planned time, and tpot from the tokens of its usage', () => {
    expect(timesOf(stream())).toEqual({ ttftMs: 100, ttfvMs: 120, itlMs: [20, 30], tpotMs: 10, e2eMs: 150 })
  })

  it('has no tpot with one token or without usage', () => {
    const { completionTokens: _, ...uncounted } = stream()
    expect(timesOf(stream({ completionTokens: 1 })).tpotMs).toBeUndefined()
    expect(timesOf(uncounted).tpotMs).toBeUndefined()
  })

  it.each([
    [{}, true],
    [{ ttft: 100, tpot: 10, e2e: 150 }, true],
    [{ ttft: 99.9 }, false],
    [{ tpot: 9.9 }, false],
    [{ e2e: 149.9 }, false],
  ])('meets %j: %s', (slo, good) => {
    expect(isGood(stream(), slo)).toBe(good)
    expect(isGood(stream({ failure: 'cut' }), slo)).toBe(false)
  })

  it('without output keeps no objective about output, and counts as completed', () => {
    const empty = stream({ outputMs: [] })
    expect([isGood(empty, {}), isGood(empty, { ttft: 1000 }), isGood(empty, { e2e: 1000 })]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('a set of streams', () => {
  it('leaves failed streams out of every latency but the dispatch', () => {
    const { ttftMs, itlMs, dispatchMs } = latencyOf([
      stream(),
      stream({ failure: 'error-record', outputMs: [0, 1], dispatchMs: 3 }),
    ])
    expect([ttftMs?.max, itlMs?.max, dispatchMs?.max]).toEqual([100, 30, 3])
  })

  it('has all gaps of all streams in one set', () => {
    const streams = [stream({ outputMs: [0, 10, 20, 30] }), stream({ outputMs: [0, 100] })]
    expect(latencyOf(streams).itlMs).toMatchObject({ mean: 32.5, p50: 10, max: 100 })
  })

  it('counts tokens by usage, from the first planned time to the last output', () => {
    const later = stream({ plannedAt: 1_001_850, completionTokens: 12 })
    expect(throughputOf([stream(), later])).toMatchObject({
      outputTokensPerSecond: 9,
      tokensPerEvent: { mean: 3 },
    })
    const { completionTokens: _, ...uncounted } = stream()
    expect(throughputOf([uncounted]).outputTokensPerSecond).toBeNull()
  })

  it('has every stream and every token in a second of its timeline', () => {
    const one = fc.record({
      plannedAt: fc.integer({ min: 1_000_000, max: 1_005_000 }),
      first: fc.integer({ min: 0, max: 2_000 }),
      more: fc.integer({ min: 0, max: 3_000 }),
      failed: fc.boolean(),
    })
    forAll(fc.array(one, { minLength: 1 }), (all) => {
      const streams = all
        .map(({ plannedAt, first, more, failed }) =>
          stream({
            plannedAt,
            outputMs: [first, first + more],
            endMs: first + more + 1,
            ...(failed ? { failure: 'cut' } : {}),
          }),
        )
        .toSorted((a, b) => a.plannedAt - b.plannedAt)
      const rows = secondsOfRun(streams)
      const sum = (name: 'offered' | 'completed' | 'failed' | 'outputTokens'): number =>
        rows.reduce((total, row) => total + row[name], 0)
      const failed = all.filter((each) => each.failed).length
      expect([sum('offered'), sum('completed'), sum('failed')]).toEqual([
        all.length,
        all.length - failed,
        failed,
      ])
      expect(sum('outputTokens')).toBeCloseTo(6 * (all.length - failed), 0)
      expect(Math.max(...rows.map(({ inFlight }) => inFlight))).toBeGreaterThan(0)
    })
  })
})

describe('nearestRank', () => {
  it('is the smallest value that at least this share does not exceed', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 })
    forAll(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, part) => {
      const found = nearestRank(
        all.toSorted((a, b) => a - b),
        part,
      )
      const within = (bound: number): number => all.filter((value) => value <= bound).length / all.length
      expect(all).toContain(found)
      expect(within(found)).toBeGreaterThanOrEqual(part - 1e-12)
      const smaller = all.filter((value) => value < found)
      if (smaller.length > 0) expect(within(Math.max(...smaller))).toBeLessThan(part)
    })
  })

  it('differs from an average of processes', () => {
    const [fast, slow] = [Array<number>(99).fill(1), [100]]
    expect(summarize([...fast, ...slow])?.p95).toBe(1)
    expect(((summarize(fast)?.p95 ?? 0) + (summarize(slow)?.p95 ?? 0)) / 2).toBe(50.5)
  })
})
