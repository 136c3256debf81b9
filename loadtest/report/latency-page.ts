// A measurement of streams, a search for the highest rate, and a comparison, each as one page that loads nothing.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { renderPage } from '../../harness/html/page.ts'
import type { BreakpointVerdict } from '../latency/breakpoint.ts'
import type { Difference } from '../latency/compare.ts'
import { type Summary, isCompleted, timesOf } from '../latency/figures.ts'
import { latencyLine, loadLine } from './render-latency.ts'
import { breakpointLine } from './render-breakpoint.ts'
import { format } from './table.ts'
import { type LatencyVerdict, type VerdictWord, percent } from '../latency/verdict.ts'
import { bars, histogram, histograms } from './distributions.ts'
import { STYLE } from './html.ts'
import { type Plot, renderPlot } from './plots.ts'

const LABELS = {
  pass: { sign: '✓', kind: 'pass', label: 'Pass' },
  fail: { sign: '✗', kind: 'fail', label: 'Fail' },
  invalid: { sign: '?', kind: 'inconclusive', label: 'Not a valid run' },
} as const

const COLUMNS = ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const

const FIGURES = [
  ['Time to first token', 'ttftMs', 'from the planned time to the first content, reasoning or tool call'],
  ['Time to visible text', 'ttfvMs', 'to the first text that a reader sees'],
  ['Gap between events', 'itlMs', 'of all streams together'],
  ['Time per output token', 'tpotMs', 'by the usage that the service reports'],
  ['End to end', 'e2eMs', 'to the last event with output'],
  ['Late dispatch', 'dispatchMs', 'how late the generator sent'],
] as const

/** The page of one measurement. */
export function renderLatencyPage(verdict: LatencyVerdict): string {
  const { latency, throughput, failures, invalid, notes } = verdict
  const ttft = valuesOf(verdict, 'ttftMs')
  const gaps = verdict.requests.filter(isCompleted).flatMap((stream) => timesOf(stream).itlMs)
  return page({
    title: 'latency',
    word: verdict.verdict,
    heading: `Latency of streams · ${verdict.target}`,
    line: latencyLine(verdict),
    notes: [loadLine(verdict), ...invalid, ...notes],
    content: markup`<section class="card"><h2>Latency, in milliseconds</h2>${figures(
      FIGURES.map(([name, key, about]) => [name, latency[key], about]),
    )}</section>
<section class="card"><h2>Tokens</h2>${figures([
      ['Of a prompt', throughput.promptTokens, 'by the usage'],
      ['Of a prompt, cached', throughput.cachedTokens, 'if it is reported'],
      ['Of an answer', throughput.completionTokens, 'by the usage'],
      ['In each second of a stream', throughput.tokensPerSecondOfRequest, 'from its planned time'],
      ['In each event', throughput.tokensPerEvent, ''],
    ])}</section>
${failures.length === 0 ? '' : failureTable(verdict)}
${[histogram('Time to first token', ttft), histogram('Gap between events', gaps), ...timelines(verdict)].map((plot) => plot && renderPlot(plot))}
${verdict.turns.length === 0 ? '' : turnTable(verdict)}`,
  })
}

/** The page of a search: goodput against rate. */
export function renderBreakpointPage(verdict: BreakpointVerdict): string {
  const rates = verdict.rates.toSorted((one, other) => one.ratePerSecond - other.ratePerSecond)
  const plot: Plot = {
    title: 'Goodput against rate',
    unit: 'percent of the requests that meet the objectives, at so many requests a second',
    axis: { labels: rates.map(({ ratePerSecond }) => String(ratePerSecond)) },
    series: [
      bars(
        'holds',
        'a',
        rates.map(({ outcome, goodput }) => (outcome === 'holds' ? goodput * 100 : 0)),
      ),
      bars(
        'does not',
        'c',
        rates.map(({ outcome, goodput }) => (outcome === 'holds' ? 0 : goodput * 100)),
      ),
      { name: 'demanded', style: 'bound', kind: 'line', values: rates.map(() => verdict.sloShare * 100) },
    ],
  }
  return page({
    title: 'breakpoint',
    word: verdict.verdict,
    heading: `Highest rate · ${verdict.target}`,
    line: breakpointLine(verdict),
    notes: [...verdict.invalid, ...verdict.notes],
    content: markup`${renderPlot(plot)}
<section class="card"><h2>The rates</h2><table><thead><tr><th>requests a second</th><th>windows</th><th>requests</th><th>goodput</th><th>95 % interval</th><th>outcome</th></tr></thead>
<tbody>${rates.map(
      (one) =>
        markup`<tr><td>${one.ratePerSecond}</td><td>${one.windows}</td><td>${one.offered}</td><td>${percent(one.goodput)}</td><td>${percent(one.interval[0])} to ${percent(one.interval[1])}</td><td>${one.outcome}${one.saturated ? ', over-saturated' : ''}</td></tr>`,
    )}</tbody></table></section>`,
  })
}

/** The page of a comparison: the distributions over each other, and each difference with its interval. */
export function renderComparisonPage(
  names: readonly [a: string, b: string],
  [a, b]: readonly [LatencyVerdict, LatencyVerdict],
  differences: readonly Difference[],
): string {
  const overlay = histograms('Time to first token', [
    { name: 'A', style: 'a', values: valuesOf(a, 'ttftMs') },
    { name: 'B', style: 'c', values: valuesOf(b, 'ttftMs') },
  ])
  const cell = (figure: string, value: number): string =>
    figure === 'goodput' ? percent(value) : format(value)
  return page({
    title: 'comparison',
    heading: 'Two measurements',
    notes: [`A: ${names[0]}, ${a.target}, ${loadLine(a)}`, `B: ${names[1]}, ${b.target}, ${loadLine(b)}`],
    content: markup`${overlay && renderPlot(overlay)}
<section class="card"><h2>Differences, in milliseconds</h2><table><thead><tr><th>figure</th><th>A</th><th>B</th><th>B − A</th><th>95 % interval</th><th></th></tr></thead>
<tbody>${differences.map(
      ({ figure, statistic, interval: [least, most], ...one }) =>
        markup`<tr><td>${figure} ${statistic}</td><td>${cell(figure, one.a)}</td><td>${cell(figure, one.b)}</td><td>${cell(figure, one.difference)}</td><td>${cell(figure, least)} to ${cell(figure, most)}</td><td>${one.isLarger ? 'larger than the noise' : 'noise'}</td></tr>`,
    )}</tbody></table></section>`,
  })
}

const OWN_STYLE = `
.figures th:not(:first-child), .figures td:not(:first-child) { text-align: right; white-space: nowrap; width: 4.5rem; }
`

interface Parts {
  readonly title: string
  readonly word?: VerdictWord
  readonly heading: string
  readonly line?: string
  readonly notes: readonly string[]
  readonly content: Markup
}

function page({ title, word, heading, line, notes, content }: Parts): string {
  const label = word === undefined ? undefined : LABELS[word]
  return renderPage({
    title: label === undefined ? title : `${title}: ${label.label}`,
    style: STYLE + OWN_STYLE,
    aside: markup`load test`,
    content: markup`<section class="card verdict" aria-labelledby="verdict">
${label && markup`<p class="label ${label.kind}"><span aria-hidden="true">${label.sign}</span> ${label.label}</p>`}
<h1 id="verdict">${heading}</h1>
${line && markup`<p class="line"><code>${line}</code></p>`}
${notes.map((note) => markup`<p class="quiet">${note}</p>`)}
</section>
${content}`,
  })
}

type Row = readonly [name: string, summary: Summary | null, about: string]

function figures(rows: readonly Row[]): Markup {
  const known = rows.flatMap(([name, summary, about]) => (summary === null ? [] : [{ name, summary, about }]))
  return markup`<table class="figures"><thead><tr><th></th>${COLUMNS.map((column) => markup`<th>${column}</th>`)}</tr></thead>
<tbody>${known.map(
    ({ name, summary, about }) =>
      markup`<tr><td>${name}${about !== '' && markup`<br><span class="small quiet">${about}</span>`}</td>${COLUMNS.map((column) => markup`<td>${format(summary[column])}</td>`)}</tr>`,
  )}</tbody></table>`
}

function failureTable({ failures }: LatencyVerdict): Markup {
  return markup`<section class="card"><h2>Streams that failed</h2><table><thead><tr><th>kind</th><th>streams</th><th>the first one</th></tr></thead>
<tbody>${failures.map(({ kind, count, example }) => markup`<tr><td>${kind}</td><td>${count}</td><td><code>${example}</code></td></tr>`)}</tbody></table></section>`
}

function turnTable({ turns }: LatencyVerdict): Markup {
  return markup`<section class="card"><h2>Turns: time to first token, in milliseconds</h2>${figures(
    turns.map(({ turn, latency, cachedTokens }) => [
      `Turn ${turn}`,
      latency.ttftMs,
      cachedTokens === null ? '' : `${format(cachedTokens.p50)} cached tokens (p50)`,
    ]),
  )}</section>`
}

function valuesOf({ requests }: LatencyVerdict, name: 'ttftMs'): readonly number[] {
  return requests.filter(isCompleted).flatMap((stream) => timesOf(stream)[name] ?? [])
}

function timelines({ seconds }: LatencyVerdict): readonly Plot[] {
  const line = (name: string, style: string, values: readonly number[]): Plot['series'][number] => ({
    name,
    style,
    kind: 'line',
    values,
  })
  return [
    {
      title: 'Concurrency',
      unit: 'streams in flight, the most of each second',
      series: [
        bars(
          'in flight',
          'a',
          seconds.map(({ inFlight }) => inFlight),
        ),
      ],
    },
    {
      title: 'Requests',
      unit: 'in each second',
      series: [
        bars(
          'completed',
          'a',
          seconds.map(({ completed }) => completed),
        ),
        bars(
          'failed',
          'c',
          seconds.map(({ failed }) => failed),
        ),
        line(
          'offered',
          'b',
          seconds.map(({ offered }) => offered),
        ),
      ],
      stacked: true,
    },
    {
      title: 'Throughput',
      unit: 'output tokens in each second',
      series: [
        bars(
          'tokens',
          'a',
          seconds.map(({ outputTokens }) => outputTokens),
        ),
      ],
    },
  ]
}
