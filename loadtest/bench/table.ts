// The figures of a benchmark as rows for machines and as one table for people.
import type { Comparison } from './measure.ts'

/** One figure. Above 1, `ratio` is in our favour for what is counted per second, and against us for CPU time. */
export interface Row {
  readonly name: string
  readonly metric: string
  readonly ours: number
  readonly reference: number
  readonly referenceName: string
  readonly ratio: number
}

/** The rows of one comparison: the rate, and the CPU time per request where the system reports it. */
export function rowsOf(
  name: string,
  unit: string,
  referenceName: string,
  { ours, reference, ratio }: Comparison,
): Row[] {
  const rate: Row = {
    name,
    metric: unit,
    ours: round(ours.perSecond),
    reference: round(reference.perSecond),
    referenceName,
    ratio: round(ratio, 2),
  }
  if (ours.cpuMicros === undefined || reference.cpuMicros === undefined) return [rate]
  const cpu: Row = {
    name,
    metric: 'CPU µs/request',
    ours: round(ours.cpuMicros, 1),
    reference: round(reference.cpuMicros, 1),
    referenceName,
    ratio: round(ours.cpuMicros / reference.cpuMicros, 2),
  }
  return [rate, cpu]
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}

/** The rows as aligned text. */
export function table(rows: readonly Row[]): string {
  const header = ['benchmark', 'metric', 'ours', rows[0]?.referenceName ?? 'reference', 'ratio']
  const cells = rows.map((row) => [
    row.name,
    row.metric,
    String(row.ours),
    String(row.reference),
    row.ratio.toFixed(2),
  ])
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line), ''].join('\n')
}
