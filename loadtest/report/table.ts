// Figures as a table for the console.
import type { Summary } from '../latency/figures.ts'

const COLUMNS = ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const

/** One line for each figure, in the unit of the figures, with a line of names above. */
export function figureTable(figures: Readonly<Record<string, Summary | null>>): string {
  const rows = Object.entries(figures).map(([name, summary]) =>
    [name].concat(COLUMNS.map((column) => (summary === null ? '–' : format(summary[column])))),
  )
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return [['', ...COLUMNS], ...rows]
    .map(
      ([name = '', ...cells]) =>
        `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}\n`,
    )
    .join('')
}

/** Three digits or the whole part, whichever is longer. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toFixed(digits)
}
