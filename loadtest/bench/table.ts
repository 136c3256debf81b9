// The figures of a benchmark as rows for programs, and as a table for the terminal.
import type { Comparison } from './measure.ts'

/** One figure. `ratio` is 1 if it equals the reference, and less if it is worse. */
export interface Row {
  readonly name: string
  readonly metric: string
  readonly ours: number
  /** Absent if the figure has no reference. */
  readonly reference?: number
  readonly referenceName?: string
  readonly ratio?: number
}

/** The rows of one comparison: the rate, and the CPU time per request where the system reports it. */
export function rowsOf(
  name: string,
  unit: string,
  referenceName: string,
  { figures, reference, ratio, cpuRatio }: Comparison,
): Row[] {
  const rate: Row = {
    name,
    metric: unit,
    ours: round(figures.perSecond),
    reference: round(reference.perSecond),
    referenceName,
    ratio: round(ratio, 2),
  }
  if (figures.cpuMicros === undefined || reference.cpuMicros === undefined) return [rate]
  const cpu: Row = {
    name,
    metric: 'CPU µs/request',
    ours: round(figures.cpuMicros, 1),
    reference: round(reference.cpuMicros, 1),
    referenceName,
    ratio: round(cpuRatio, 2),
  }
  return [rate, cpu]
}

/** Rounds to `digits` decimal places. */
export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}

/** The rows as aligned text. */
export function table(rows: readonly Row[]): string {
  const header = ['benchmark', 'metric', 'figure', 'reference', 'ratio', 'reference is']
  const cells = rows.map((row) => [
    row.name,
    row.metric,
    String(row.ours),
    String(row.reference ?? ''),
    row.ratio?.toFixed(2) ?? '',
    row.referenceName ?? '',
  ])
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column < 2 || column === 5 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line), ''].join('\n')
}
