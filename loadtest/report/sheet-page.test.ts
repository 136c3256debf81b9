// The pages about streams: the figures that are read first, and text of a service that stays text.
import { expect, it } from 'vitest'
import { compareLatency, meaningOf } from '../latency/compare-latency.ts'
import type { StreamRecord } from '../generator/stream-record.ts'
import { plan, stream } from '../generator/stream.fixture.ts'
import { judgeLatency } from '../latency/latency-verdict.ts'
import { breakpointSheet } from './breakpoint-sheet.ts'
import { comparisonSheet } from './comparison-sheet.ts'
import { latencySheet } from './latency-sheet.ts'
import { renderPage } from './sheet-page.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

/** A run of 40 streams, the last of which fails with hostile text. */
function run(more: Partial<StreamRecord> = {}) {
  const streams = Array.from({ length: 40 }, (_, conversation) =>
    stream({
      conversation,
      plannedAt: 1_000_000 + 100 * conversation,
      ...(conversation < 39 ? more : { failure: 'error-record', detail: HOSTILE }),
    }),
  )
  return judgeLatency({
    plan: plan({ model: HOSTILE }),
    record: { streams, generators: [] },
    slo: { ttft: 500 },
    sloShare: 0.99,
    cores: 2,
  })
}

/** The name, the value and the comparison of each tile. */
const tilesOf = (page: string): string[][] =>
  [...page.matchAll(/<li>([^<]*)<strong>([^<]*)<\/strong><span[^>]*>([^<]*)/g)].map(([, ...texts]) => texts)

it('a measurement is read from five figures', () => {
  const page = renderPage(latencySheet(run()))
  expect(tilesOf(page)).toEqual([
    ['Goodput', '97.5 %', 'at least 99 %, ttft 500 ms'],
    ['Time to first token', '100 ms', 'median; p99 100 ms'],
    ['Gap between events', '20.0 ms', 'median; p99 30.0 ms'],
    ['Output tokens', expect.stringMatching(/^\d/), 'in each second, all streams'],
    ['Failed', '1', 'of 40 streams'],
  ])
  expect(page).not.toContain(HOSTILE)
})

it('a comparison counts the figures that are better, worse and within the noise', () => {
  const [a, b] = [run(), run({ outputMs: [250, 270, 300], ttfvMs: 250 })]
  const differences = compareLatency(a, b)
  const count = (meaning: string): string =>
    String(differences.filter((one) => meaningOf(one) === meaning).length)
  const page = renderPage(comparisonSheet([HOSTILE, 'b.json'], [a, b], differences))
  expect(tilesOf(page)).toEqual([
    ['B is worse in', count('worse'), `of ${differences.length} figures`],
    ['B is better in', '0', `of ${differences.length} figures`],
    ['B is within the noise in', count('noise'), `of ${differences.length} figures`],
    ['Time to first token, median', '100 → 250 ms', expect.stringMatching(/^\+150 ms .*: worse$/)],
  ])
  expect(page).not.toContain(HOSTILE)
})

it('a search names the rate that holds, the rate that breaks and the objectives', () => {
  const tried = { windows: 1, offered: 100, isCertain: true, saturated: false, invalid: [] }
  const page = renderPage(
    breakpointSheet({
      schema: 'touchstone.breakpoint/1',
      scenario: 'breakpoint',
      target: 'http://127.0.0.1:1',
      model: HOSTILE,
      verdict: 'pass',
      valid: true,
      invalid: [],
      slo: { ttft: 500, tpot: 50 },
      sloShare: 0.99,
      arrivals: 'poisson',
      windowSeconds: 10,
      seed: 1,
      cores: 2,
      notes: [],
      holds: 8,
      breaks: 8.7,
      rates: [
        { ...tried, ratePerSecond: 8, good: 100, goodput: 1, interval: [0.96, 1], outcome: 'holds' },
        { ...tried, ratePerSecond: 8.7, good: 50, goodput: 0.5, interval: [0.4, 0.6], outcome: 'breaks' },
      ],
    }),
  )
  expect(tilesOf(page)).toEqual([
    ['Highest rate that holds', '8', 'requests in each second'],
    ['Lowest rate that breaks', '8.7', 'requests in each second'],
    ['Objectives', '99 %', 'of the requests: ttft 500 ms, tpot 50 ms'],
  ])
  expect(page).not.toContain(HOSTILE)
})
