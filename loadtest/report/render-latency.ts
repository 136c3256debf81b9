// A measurement for the console.
import { type ConsoleOptions, createPen } from '../../harness/cli/pen.ts'
import { printable } from '../../harness/cli/text.ts'
import { conclusion, figuresOf, figureTable, format, objectives } from './table.ts'
import { type LatencyVerdict, percent } from '../latency/latency-verdict.ts'

/** The longest example of a failure, in characters. */
const EXAMPLE_CHARS = 160

/** The whole text; its last line is the result. */
export function renderLatency(verdict: LatencyVerdict, terminal: ConsoleOptions): string {
  const pen = createPen(terminal)
  const { throughput, latency, outputTokensPerSecond: perSecond } = verdict
  return [
    `latency ${verdict.target} ${verdict.model}`,
    loadLine(verdict),
    '',
    'Milliseconds',
    figureTable(
      Object.fromEntries(figuresOf(latency).map(([name, , summary]) => [name.toLowerCase(), summary])),
    ),
    `Tokens: ${perSecond === null ? 'no usage' : `${format(perSecond)} in each second`}`,
    figureTable({
      'of a prompt': throughput.promptTokens,
      'of a prompt, cached': throughput.cachedTokens,
      'of an answer': throughput.completionTokens,
      'in each second of a stream': throughput.tokensPerSecondOfRequest,
      'in each event': throughput.tokensPerEvent,
    }),
    ...turnLines(verdict),
    ...verdict.failures.map(({ kind, count, example }) =>
      printable(`  ${pen.paint('red', '✗')} ${count} × ${kind}: ${example.slice(0, EXAMPLE_CHARS)}`),
    ),
    ...(verdict.failures.length === 0 ? [] : ['']),
    ...conclusion(verdict, latencyLine(verdict), terminal),
  ].join('\n')
}

/** `PASS latency: offered 150, completed 150, failed 0, goodput 100 % (at least 99 %), …` */
export function latencyLine(verdict: LatencyVerdict): string {
  const { offered, completed, failed, goodput, sloShare, latency, cores, processes, valid } = verdict
  const parts = [
    `offered ${offered}`,
    `completed ${completed}`,
    `failed ${failed}`,
    `goodput ${percent(goodput)} (at least ${[percent(sloShare), objectives(verdict.slo)].filter(Boolean).join(', ')})`,
    ...(latency.ttftMs === null ? [] : [`ttft ${format(latency.ttftMs.p50)} ms`]),
    ...(latency.itlMs === null ? [] : [`gaps ${format(latency.itlMs.p50)} ms`]),
    `${cores} cores${processes === 1 ? '' : `, ${processes} processes`}`,
    valid ? 'valid' : 'not valid',
  ]
  return `${verdict.verdict.toUpperCase()} latency: ${parts.join(', ')}`
}

/** The load in one line. */
export function loadLine({ load }: Pick<LatencyVerdict, 'load'>): string {
  const { seconds, seed, turns } = load
  const kind =
    load.model === 'open'
      ? `open model, ${load.arrivals}, ${load.ratePerSecond} a second`
      : `closed model, ${load.concurrency} at once`
  return `${kind}, ${seconds} s, seed ${seed}${turns === 1 ? '' : `, ${turns} turns`}`
}

function turnLines({ turns }: LatencyVerdict): readonly string[] {
  if (turns.length === 0) return []
  const figures = turns.map(({ turn, latency }) => [`turn ${turn}`, latency.ttftMs] as const)
  const cached = turns.flatMap(({ turn, cachedTokens }) =>
    cachedTokens === null ? [] : [[`turn ${turn}`, cachedTokens] as const],
  )
  return [
    'Time to first token of each turn, in milliseconds',
    figureTable(Object.fromEntries(figures)),
    ...(cached.length === 0 ? [] : ['Cached tokens of each turn', figureTable(Object.fromEntries(cached))]),
  ]
}
