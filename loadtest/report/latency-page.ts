// A measurement of streams as one page that loads nothing.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { STATISTICS, type Summary, isCompleted, timesOf } from '../latency/latency-figures.ts'
import { latencyLine, loadLine } from './render-latency.ts'
import { figuresOf, format, objectives } from './table.ts'
import { type LatencyVerdict, percent } from '../latency/latency-verdict.ts'
import { histogram } from './distributions.ts'
import { type Tile, loadPage, tableCard } from './page.ts'
import { bars, line, type Plot, renderPlot } from './plots.ts'

export function renderLatencyPage(verdict: LatencyVerdict): string {
  const { latency, throughput, failures, invalid, notes, turns } = verdict
  const gaps = verdict.requests.filter(isCompleted).flatMap((stream) => timesOf(stream).itlMs)
  return loadPage({
    title: 'latency',
    word: verdict.verdict,
    heading: `Latency of streams · ${verdict.target}`,
    tiles: tilesOf(verdict),
    line: latencyLine(verdict),
    notes: [`${verdict.model}: ${loadLine(verdict)}`, ...invalid, ...notes],
    content: markup`${figures(
      'Latency, in milliseconds',
      figuresOf(latency).map(([name, about, summary]) => [name, summary, about]),
    )}
${[histogram('Time to first token', firstTokens(verdict)), histogram('Gap between events', gaps)].map((plot) => plot && renderPlot(plot))}
${
  failures.length > 0 &&
  tableCard(
    'Streams that failed',
    ['kind', 'streams', 'the first one'],
    failures.map(({ kind, count, example }) => [kind, count, markup`<code>${example}</code>`]),
  )
}
${
  turns.length > 0 &&
  figures(
    'Turns: time to first token, in milliseconds',
    turns.map(({ turn, latency: own, cachedTokens }) => [
      `Turn ${turn}`,
      own.ttftMs,
      cachedTokens === null ? '' : `${format(cachedTokens.p50)} cached tokens (p50)`,
    ]),
  )
}
${timelines(verdict).map(renderPlot)}
${figures('Tokens', [
  ['Of a prompt', throughput.promptTokens, 'by the usage'],
  ['Of a prompt, cached', throughput.cachedTokens, 'if it is reported'],
  ['Of an answer', throughput.completionTokens, 'by the usage'],
  ['In each second of a stream', throughput.tokensPerSecondOfRequest, 'from its planned time'],
  ['In each event', throughput.tokensPerEvent, ''],
])}`,
  })
}

/** The times to the first token of the completed streams. */
export function firstTokens({ requests }: LatencyVerdict): readonly number[] {
  return requests.filter(isCompleted).flatMap((stream) => timesOf(stream).ttftMs ?? [])
}

function tilesOf(verdict: LatencyVerdict): readonly Tile[] {
  const { goodput, sloShare, slo, latency, outputTokensPerSecond, offered, failed } = verdict
  const middle = (name: string, summary: Summary | null): Tile => ({
    name,
    value: summary === null ? '–' : `${format(summary.p50)} ms`,
    about: summary === null ? 'no stream has it' : `median; p99 ${format(summary.p99)} ms`,
  })
  const demand = `at least ${percent(sloShare)}`
  return [
    { name: 'Goodput', value: percent(goodput), about: [demand, objectives(slo)].filter(Boolean).join(', ') },
    middle('Time to first token', latency.ttftMs),
    middle('Gap between events', latency.itlMs),
    {
      name: 'Output tokens',
      value: outputTokensPerSecond === null ? '–' : format(outputTokensPerSecond),
      about: outputTokensPerSecond === null ? 'no usage' : 'in each second, all streams',
    },
    { name: 'Failed', value: String(failed), about: `of ${offered} streams` },
  ]
}

type Row = readonly [name: string, summary: Summary | null, about: string]

function figures(title: string, rows: readonly Row[]): Markup {
  const cells = rows.flatMap(([name, summary, about]) =>
    summary === null
      ? []
      : [
          [
            markup`${name}${about !== '' && markup`<br><span class="small quiet">${about}</span>`}`,
            ...STATISTICS.map((column) => format(summary[column])),
          ],
        ],
  )
  return tableCard(title, ['', ...STATISTICS], cells, 'figures')
}

function timelines({ seconds }: LatencyVerdict): readonly Plot[] {
  const of = (name: 'inFlight' | 'completed' | 'failed' | 'offered' | 'outputTokens'): number[] =>
    seconds.map((second) => second[name])
  return [
    {
      title: 'Concurrency',
      unit: 'streams in flight, the most of each second',
      series: [bars('in flight', 'a', of('inFlight'))],
    },
    {
      title: 'Requests',
      unit: 'in each second',
      series: [
        bars('completed', 'a', of('completed')),
        bars('failed', 'c', of('failed')),
        line('offered', 'b', of('offered')),
      ],
      stacked: true,
    },
    {
      title: 'Throughput',
      unit: 'output tokens in each second',
      series: [bars('tokens', 'a', of('outputTokens'))],
    },
  ]
}
