// Figures as a table for the console, and the names of the figures of streams.
import { type ConsoleOptions, createPen } from '../../harness/cli/pen.ts'
import { printable, wrap } from '../../harness/cli/text.ts'
import type { VerdictWord } from '../judges/load-verdict.ts'
import { type Latency, type Slo, STATISTICS, type Summary } from '../latency/latency-figures.ts'

/** Each figure of streams: its name for people, and its definition. */
export const FIGURES: Readonly<Record<keyof Latency, readonly [name: string, about: string]>> = {
  ttftMs: ['Time to first token', 'from the planned time to the first content, reasoning or tool call'],
  ttfvMs: ['Time to visible text', 'to the first text that a reader sees'],
  itlMs: ['Gap between events', 'of all streams together'],
  tpotMs: ['Time per output token', 'by the usage that the service reports'],
  e2eMs: ['End to end', 'to the last event with output'],
  dispatchMs: ['Late dispatch', 'how late the generator sent'],
}

/** The figures of a measurement, in their order. */
export function figuresOf(latency: Latency) {
  const members = Object.keys(FIGURES) as (keyof Latency)[]
  return members.map((member) => {
    const [name, about] = FIGURES[member]
    return [name, about, latency[member]] as const
  })
}

/** One line for each figure, in the unit of the figures, with a line of names above. */
export function figureTable(figures: Readonly<Record<string, Summary | null>>): string {
  const rows = Object.entries(figures).map(([name, summary]) =>
    [name].concat(STATISTICS.map((column) => (summary === null ? '–' : format(summary[column])))),
  )
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return [['', ...STATISTICS], ...rows]
    .map(
      ([name = '', ...cells]) =>
        `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}\n`,
    )
    .join('')
}

/** Three digits or the whole part, whichever is longer. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  // A small negative number is not −0.00.
  return (Number(value.toFixed(digits)) || 0).toFixed(digits)
}

/** `ttft 500 ms, tpot 50 ms` */
export function objectives(slo: Slo): string {
  return Object.entries(slo)
    .map(([name, ms]) => `${name} ${ms} ms`)
    .join(', ')
}

const COLOURS = { pass: 'green', fail: 'red', invalid: 'yellow' } as const

interface Judged {
  readonly verdict: VerdictWord
  readonly invalid: readonly string[]
  readonly notes: readonly string[]
}

/** The end of every text: why a run is not valid, the notes, and `line`, the result. */
export function conclusion(
  { verdict, invalid, notes }: Judged,
  line: string,
  terminal: ConsoleOptions,
  indent = 2,
): string[] {
  const sentences = [...invalid.map((why) => `Not valid: ${why}.`), ...notes]
  const lines = sentences.flatMap((one) => wrap(printable(one), terminal.columns - indent))
  const result = createPen(terminal).paint(COLOURS[verdict], line)
  return [...lines.map((text) => ' '.repeat(indent) + text), result, '']
}
