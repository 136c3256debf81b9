// The report on a measurement of streams.
import { type Summary, isCompleted, timesOf } from '../latency/latency-figures.ts'
import { type LatencyVerdict, percent } from '../latency/latency-verdict.ts'
import { histogram } from './histograms.ts'
import { bars, line, type Plot } from './plots.ts'
import { type Sheet, type Tile, figureTable, format, latencyTable, objectives } from './sheet.ts'

export function latencySheet(verdict: LatencyVerdict): Sheet {
  const { latency, throughput, failures, turns, outputTokensPerSecond: perSecond } = verdict
  const gaps = verdict.requests.filter(isCompleted).flatMap((stream) => timesOf(stream).itlMs)
  return {
    title: 'latency',
    verdict: verdict.verdict,
    heading: `${verdict.target} ${verdict.model}`,
    tiles: tilesOf(verdict),
    about: [describeLoad(verdict)],
    parts: [
      latencyTable(latency),
      histogram('Time to first token', firstTokens(verdict)),
      histogram('Gap between events', gaps),
      {
        title: 'Streams that failed',
        columns: ['kind', 'streams', 'the first one'],
        rows: failures.map(({ kind, count, example }) => ({ cells: [kind, count, example] })),
        kind: 'sentences',
      },
      figureTable(
        'Turns: time to first token, in milliseconds',
        turns.map(({ turn, latency: own }) => [`Turn ${turn}`, own.ttftMs]),
      ),
      figureTable(
        'Turns: cached tokens',
        turns.map(({ turn, cachedTokens }) => [`Turn ${turn}`, cachedTokens]),
      ),
      ...timelines(verdict),
      figureTable(`Tokens: ${perSecond === null ? 'no usage' : `${format(perSecond)} in each second`}`, [
        ['Of a prompt', throughput.promptTokens, 'by the usage'],
        ['Of a prompt, cached', throughput.cachedTokens, 'if it is reported'],
        ['Of an answer', throughput.completionTokens, 'by the usage'],
        ['In each second of a stream', throughput.tokensPerSecondOfRequest, 'from its planned time'],
        ['In each event', throughput.tokensPerEvent],
      ]),
    ],
    invalid: verdict.invalid,
    notes: verdict.notes,
    line: latencyLine(verdict),
  }
}

/** `PASS latency: offered 150, completed 150, failed 0, goodput 100 % (at least 99 %), …` */
function latencyLine(verdict: LatencyVerdict): string {
  const { offered, completed, failed, goodput, latency, cores, processes, valid } = verdict
  const parts = [
    `offered ${offered}`,
    `completed ${completed}`,
    `failed ${failed}`,
    `goodput ${percent(goodput)} (${demandOf(verdict)})`,
    ...(latency.ttftMs === null ? [] : [`ttft ${format(latency.ttftMs.p50)} ms`]),
    ...(latency.itlMs === null ? [] : [`gaps ${format(latency.itlMs.p50)} ms`]),
    `${cores} cores${processes === 1 ? '' : `, ${processes} processes`}`,
    valid ? 'valid' : 'not valid',
  ]
  return `${verdict.verdict.toUpperCase()} latency: ${parts.join(', ')}`
}

function demandOf({ sloShare, slo }: LatencyVerdict): string {
  return [`at least ${percent(sloShare)}`, objectives(slo)].filter(Boolean).join(', ')
}

/** The load in one line. */
export function describeLoad({ load }: Pick<LatencyVerdict, 'load'>): string {
  const { seconds, seed, turns } = load
  const kind =
    load.model === 'open'
      ? `open model, ${load.arrivals}, ${load.ratePerSecond} a second`
      : `closed model, ${load.concurrency} at once`
  return `${kind}, ${seconds} s, seed ${seed}${turns === 1 ? '' : `, ${turns} turns`}`
}

/** The times to the first token of the completed streams. */
export function firstTokens({ requests }: LatencyVerdict): readonly number[] {
  return requests.filter(isCompleted).flatMap((stream) => timesOf(stream).ttftMs ?? [])
}

function tilesOf(verdict: LatencyVerdict): readonly Tile[] {
  const { goodput, latency, outputTokensPerSecond, offered, failed } = verdict
  const middle = (name: string, summary: Summary | null): Tile => ({
    name,
    value: summary === null ? '–' : `${format(summary.p50)} ms`,
    about: summary === null ? 'no stream has it' : `median; p99 ${format(summary.p99)} ms`,
  })
  return [
    { name: 'Goodput', value: percent(goodput), about: demandOf(verdict) },
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
