// The figures of a benchmark as rows for programs, and as a table for the terminal.
import type { Comparison, Interval } from './measure.ts'

/** One figure. `ratio` is 1 if it equals the reference, and less if it is worse. */
export interface Row {
  readonly name: string
  readonly metric: string
  readonly ours: number
  /** Absent if the figure has no reference. */
  readonly reference?: number
  readonly referenceName?: string
  readonly ratio?: number
  /** The 95 % interval of a ratio that is the median over the rounds; absent with fewer than six. */
  readonly interval?: Interval | undefined
}

/** The rows of one comparison: the rate, and the CPU time per request where the system reports it. */
export function rowsOf(
  name: string,
  unit: string,
  referenceName: string,
  { figures, reference, ratio, interval, cpuRatio, cpuInterval }: Comparison,
): Row[] {
  const rate: Row = {
    name,
    metric: unit,
    ours: round(figures.perSecond),
    reference: round(reference.perSecond),
    referenceName,
    ratio: round(ratio, 2),
    interval: rounded(interval),
  }
  if (figures.cpuMicros === undefined || reference.cpuMicros === undefined) return [rate]
  const cpu: Row = {
    name,
    metric: 'CPU µs/request',
    ours: round(figures.cpuMicros, 1),
    reference: round(reference.cpuMicros, 1),
    referenceName,
    ratio: round(cpuRatio, 2),
    interval: rounded(cpuInterval),
  }
  return [rate, cpu]
}

/** Rounds to `digits` decimal places. */
export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}

export function rounded(interval: Interval | undefined): Interval | undefined {
  return interval && [round(interval[0], 2), round(interval[1], 2)]
}

/** The rows as aligned text. */
export function table(rows: readonly Row[]): string {
  const header = ['benchmark', 'metric', 'figure', 'reference', 'ratio', '95 % interval', 'reference is']
  const cells = rows.map((row) => [
    row.name,
    row.metric,
    String(row.ours),
    String(row.reference ?? ''),
    row.ratio?.toFixed(2) ?? '',
    row.interval?.map((bound) => bound.toFixed(2)).join(' – ') ?? '',
    row.referenceName ?? '',
  ])
  const rule = header.map((_, column) => '─'.repeat(widthOf([header, ...cells], column)))
  return aligned([header, rule, ...cells], new Set([0, 1, 6]))
}

/** Rows as aligned lines; the columns of `left` are aligned to the left. */
export function aligned(rows: readonly (readonly string[])[], left: ReadonlySet<number>): string {
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widthOf(rows, column)
        return left.has(column) ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  return rows.map((row) => `${lineOf(row)}\n`).join('')
}

function widthOf(rows: readonly (readonly string[])[], column: number): number {
  return Math.max(...rows.map((row) => row[column]?.length ?? 0))
}
