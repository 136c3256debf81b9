// The content of a report of any kind of run, which both the console and the page render.
import { type Latency, STATISTICS, type Slo, type Summary } from '../latency/latency-figures.ts'
import type { VerdictWord } from '../judges/load-verdict.ts'
import type { Plot } from './plots.ts'

/** The look of an outcome: its class on a page, its sign, and its colour on a terminal. */
export interface Look {
  readonly kind: string
  readonly sign: string
  readonly colour: 'green' | 'red' | 'yellow' | 'gray'
}

export const LOOKS = {
  pass: { kind: 'pass', sign: '✓', colour: 'green' },
  fail: { kind: 'fail', sign: '✗', colour: 'red' },
  invalid: { kind: 'inconclusive', sign: '?', colour: 'yellow' },
  'not judged': { kind: 'not-applicable', sign: '–', colour: 'gray' },
  noise: { kind: 'absent', sign: '≈', colour: 'gray' },
} as const satisfies Readonly<Record<string, Look>>

/** A main figure: its name, its value, and a comparison. */
export interface Tile {
  readonly name: string
  readonly value: string
  readonly about: string
}

export interface Table {
  readonly title: string
  /** The heads of the cells; the outcome of a row has none. */
  readonly columns: readonly string[]
  readonly rows: readonly SheetRow[]
  /** `sentences`: cells are texts, which the console joins. Default: cells are figures. */
  readonly kind?: 'sentences'
}

export interface SheetRow {
  readonly cells: readonly (string | number)[]
  /** An explanation of the first cell, for the page. */
  readonly about?: string | undefined
  readonly outcome?: { readonly look: Look; readonly text: string }
}

export interface Sheet {
  /** The name of the command or the scenario. */
  readonly title: string
  /** Absent for a comparison, which judges nothing. */
  readonly verdict?: VerdictWord
  readonly heading: string
  readonly tiles?: readonly Tile[]
  /** The measurement in sentences: load, settings. */
  readonly about: readonly string[]
  readonly parts: readonly (Table | Plot | undefined)[]
  /** The reasons why a run is not valid. */
  readonly invalid?: readonly string[]
  readonly notes?: readonly string[]
  /** The result, the last line of the console. */
  readonly line?: string
}

/** Each figure of streams: its name for people, and its definition. */
export const FIGURES: Readonly<Record<keyof Latency, readonly [name: string, about: string]>> = {
  ttftMs: ['Time to first token', 'from the planned time to the first content, reasoning or tool call'],
  ttfvMs: ['Time to visible text', 'to the first text that a reader sees'],
  itlMs: ['Gap between events', 'of all streams together'],
  tpotMs: ['Time per output token', 'by the usage that the service reports'],
  e2eMs: ['End to end', 'to the last event with output'],
  dispatchMs: ['Late dispatch', 'how late the generator sent'],
}

/** The latencies of streams, in their order. */
export function latencyTable(latency: Partial<Latency>): Table {
  const members = Object.keys(FIGURES) as (keyof Latency)[]
  return figureTable(
    'Latency, in milliseconds',
    members.map((member) => [FIGURES[member][0], latency[member] ?? null, FIGURES[member][1]]),
  )
}

/** One row for each figure that has a sample. */
export function figureTable(
  title: string,
  figures: readonly (readonly [name: string, summary: Summary | null, about?: string])[],
): Table {
  const rows = figures.flatMap(([name, summary, about]) =>
    summary === null
      ? []
      : [{ cells: [name, ...STATISTICS.map((column) => format(summary[column]))], about }],
  )
  return { title, columns: ['', ...STATISTICS], rows }
}

/** Three digits or the whole part, whichever is longer. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  // Avoids −0.00 for a small negative number.
  return (Number(value.toFixed(digits)) || 0).toFixed(digits)
}

/** `ttft 500 ms, tpot 50 ms` */
export function objectives(slo: Slo): string {
  return Object.entries(slo)
    .map(([name, ms]) => `${name} ${ms} ms`)
    .join(', ')
}
