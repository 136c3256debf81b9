// The figures of one server at one number of streams, and a table of them with latencies and memory.
import { aligned } from '../../../harness/cli/text.ts'
import { asText } from '../bench-rows.ts'
import { type Interval } from '../../theory/statistics.ts'

export interface Point {
  readonly model: string
  readonly streams: number
  readonly contender: string
  readonly threads: number
  readonly tokensPerSecond: number
  /** Tokens per second of ours, divided by those of this contender, and the interval of this median. */
  readonly oursToThis: number | undefined
  readonly interval: Interval | undefined
  readonly firstTokenP50Ms: number
  readonly firstTokenP95Ms: number
  readonly peakMegabytes: number | undefined
}

export function pointTable(points: readonly Point[]): string {
  const rows = points
    .toSorted((a, b) => a.streams - b.streams)
    .map((point) => [
      `${point.model} ×${point.streams}`,
      point.contender,
      `${point.threads}`,
      point.tokensPerSecond.toFixed(0),
      point.oursToThis?.toFixed(2) ?? '',
      `${point.firstTokenP50Ms.toFixed(0)}`,
      `${point.firstTokenP95Ms.toFixed(0)}`,
      point.peakMegabytes === undefined ? '' : point.peakMegabytes.toFixed(0),
    ])
  const header = [
    'streams',
    'server',
    'threads',
    'tokens/s',
    'ours to it',
    'first p50 ms',
    'first p95 ms',
    'peak MB',
  ]
  return asText(aligned([header, ...rows], new Set([0, 1]))).replaceAll('NaN', '  –')
}
