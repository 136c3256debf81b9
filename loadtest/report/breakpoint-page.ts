// The search for the highest rate as one page that loads nothing: goodput against rate.
import { markup } from '../../harness/html/markup.ts'
import type { BreakpointVerdict } from '../latency/breakpoint-verdict.ts'
import { percent } from '../latency/latency-verdict.ts'
import { OUTCOMES, loadPage, plate, tableCard } from './page.ts'
import { bars, line, type Plot, renderPlot } from './plots.ts'
import { breakpointLine } from './render-breakpoint.ts'
import { objectives } from './table.ts'

const SIGNS = {
  holds: OUTCOMES.pass,
  breaks: OUTCOMES.fail,
  invalid: OUTCOMES.invalid,
} as const

export function renderBreakpointPage(verdict: BreakpointVerdict): string {
  const { holds, breaks, slo, sloShare, windowSeconds, arrivals, seed } = verdict
  const rates = verdict.rates.toSorted((one, other) => one.ratePerSecond - other.ratePerSecond)
  const goodputs = (wanted: 'holds' | 'breaks'): number[] =>
    rates.map(({ outcome, goodput }) => ((outcome === 'holds') === (wanted === 'holds') ? goodput * 100 : 0))
  const plot: Plot = {
    title: 'Goodput against rate',
    unit: 'percent of the requests that meet the objectives, at so many requests in each second',
    axis: { labels: rates.map(({ ratePerSecond }) => String(ratePerSecond)) },
    series: [
      bars('holds', 'a', goodputs('holds')),
      bars('breaks', 'c', goodputs('breaks')),
      line('demanded', 'bound', Array(rates.length).fill(sloShare * 100)),
    ],
  }
  return loadPage({
    title: 'breakpoint',
    word: verdict.verdict,
    heading: `Highest rate · ${verdict.target}`,
    tiles: [
      { name: 'Highest rate that holds', value: String(holds ?? '–'), about: 'requests in each second' },
      { name: 'Lowest rate that breaks', value: String(breaks ?? '–'), about: 'requests in each second' },
      { name: 'Objectives', value: percent(sloShare), about: `of the requests: ${objectives(slo)}` },
    ],
    line: breakpointLine(verdict),
    notes: [
      `${verdict.model}: open model, ${arrivals}, windows of ${windowSeconds} s, seed ${seed}`,
      ...verdict.invalid,
      ...verdict.notes,
    ],
    content: markup`${renderPlot(plot)}
${tableCard(
  'The rates',
  ['rate', 'windows', 'requests', 'goodput', '95 % interval', 'outcome'],
  rates.map(({ ratePerSecond, windows, offered, goodput, interval: [least, most], outcome, saturated }) => [
    `${ratePerSecond} in each second`,
    windows,
    offered,
    percent(goodput),
    `${percent(least)} to ${percent(most)}`,
    plate(SIGNS[outcome], `${outcome}${saturated ? ', over-saturated' : ''}`),
  ]),
  'figures intervals',
)}`,
  })
}
