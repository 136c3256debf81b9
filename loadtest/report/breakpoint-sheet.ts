// The report on a search for the highest rate: goodput against rate.
import type { BreakpointVerdict } from '../latency/breakpoint-verdict.ts'
import { percent } from '../latency/latency-verdict.ts'
import { bars, line } from './plots.ts'
import { LOOKS, type Sheet, objectives } from './sheet.ts'

const OUTCOMES = { holds: LOOKS.pass, breaks: LOOKS.fail, invalid: LOOKS.invalid } as const

export function breakpointSheet(verdict: BreakpointVerdict): Sheet {
  const { holds, breaks, slo, sloShare, windowSeconds, arrivals, seed } = verdict
  const rates = verdict.rates.toSorted((one, other) => one.ratePerSecond - other.ratePerSecond)
  const goodputs = (isHeld: boolean): number[] =>
    rates.map(({ outcome, goodput }) => ((outcome === 'holds') === isHeld ? goodput * 100 : 0))
  return {
    title: 'breakpoint',
    verdict: verdict.verdict,
    heading: `${verdict.target} ${verdict.model}`,
    tiles: [
      { name: 'Highest rate that holds', value: String(holds ?? '–'), about: 'requests in each second' },
      { name: 'Lowest rate that breaks', value: String(breaks ?? '–'), about: 'requests in each second' },
      { name: 'Objectives', value: percent(sloShare), about: `of the requests: ${objectives(slo)}` },
    ],
    about: [
      `${objectives(slo)} for ${percent(sloShare)} of the requests, open model, ${arrivals}, windows of ${windowSeconds} s, seed ${seed}`,
    ],
    parts: [
      {
        title: 'Goodput against rate',
        unit: 'percent of the requests that meet the objectives, for each number of requests in a second',
        axis: { labels: rates.map(({ ratePerSecond }) => String(ratePerSecond)) },
        series: [
          bars('holds', 'a', goodputs(true)),
          bars('breaks', 'c', goodputs(false)),
          line('demanded', 'bound', Array(rates.length).fill(sloShare * 100)),
        ],
      },
      {
        title: 'The rates, in requests per second',
        columns: ['rate', 'windows', 'requests', 'goodput', '95 % interval'],
        rows: rates.map((rate) => ({
          cells: [
            rate.ratePerSecond,
            rate.windows,
            rate.offered,
            percent(rate.goodput),
            rate.interval.map(percent).join(' to '),
          ],
          outcome: {
            look: OUTCOMES[rate.outcome],
            text: `${rate.outcome}${rate.saturated ? ', over-saturated' : ''}`,
          },
        })),
      },
    ],
    invalid: verdict.invalid,
    notes: verdict.notes,
    line: breakpointLine(verdict),
  }
}

/** `PASS breakpoint: from 8 to 8.7 requests a second, 9 rates tried, 2 cores` */
function breakpointLine({ verdict, holds, breaks, rates, cores, valid }: BreakpointVerdict): string {
  const found =
    holds === null
      ? `below ${breaks ?? 0} requests a second`
      : breaks === null
        ? `at least ${holds} requests a second`
        : `from ${holds} to ${breaks} requests a second`
  return `${verdict.toUpperCase()} breakpoint: ${found}, ${rates.length} rates tried, ${cores} cores, ${valid ? 'valid' : 'not valid'}`
}
