// The tokens per second of our inference as rows, one for each server beside it, and as a table of its own.
import { aligned } from '../../../harness/cli/text.ts'
import { asText, type Row, round, rounded } from '../bench-rows.ts'
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

export function rowsOfPoints(points: readonly Point[]): Row[] {
  return points.map((point) => {
    const { model, streams, contender, tokensPerSecond, oursToThis, interval } = point
    const row = { name: `llama: ${model} ×${streams}`, metric: 'tokens/s' }
    const ours = points.find((other) => other.model === model && other.streams === streams) ?? point
    if (ours === point) return { ...row, ours: round(tokensPerSecond) }
    return {
      ...row,
      ours: round(ours.tokensPerSecond),
      reference: round(tokensPerSecond),
      referenceName: contender,
      ratio: round(oursToThis ?? ours.tokensPerSecond / tokensPerSecond, 2),
      interval: rounded(interval),
    }
  })
}

/** A table with the latencies and the memory. */
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
