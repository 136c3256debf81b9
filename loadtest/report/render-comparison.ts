// A comparison for the console: one line for each figure.
import { type ConsoleOptions, createPen } from '../../harness/cli/pen.ts'
import { type Difference, meaningOf } from '../latency/compare-latency.ts'
import { loadLine } from './render-latency.ts'
import { format } from './table.ts'
import type { LatencyVerdict } from '../latency/latency-verdict.ts'

const COLOURS = { better: 'green', worse: 'red', noise: 'gray' } as const

export function renderComparison(
  names: readonly [a: string, b: string],
  [a, b]: readonly [LatencyVerdict, LatencyVerdict],
  differences: readonly Difference[],
  terminal: ConsoleOptions,
): string {
  const pen = createPen(terminal)
  const rows = differences.map((one) => {
    const range = intervalOf(one)
    const meaning = meaningOf(one)
    const cells = [cellOf(one, one.a), cellOf(one, one.b), signedCellOf(one, one.difference)]
    const name = `${one.figure} ${one.statistic}`.padEnd(14)
    return `  ${name}${cells.map((cell) => cell.padStart(11)).join('')}   ${range.padEnd(22)}${pen.paint(COLOURS[meaning], meaning)}`
  })
  return [
    `A  ${names[0]}: ${a.target} ${a.model}, ${loadLine(a)}`,
    `B  ${names[1]}: ${b.target} ${b.model}, ${loadLine(b)}`,
    ...loadsDiffer(a, b).map((note) => `   ${note}`),
    '',
    `  ${'milliseconds'.padEnd(14)}${'A'.padStart(11)}${'B'.padStart(11)}${'B − A'.padStart(11)}   95 % interval`,
    ...rows,
    '',
  ].join('\n')
}

/** A note if the loads of two runs differ. */
export function loadsDiffer(a: LatencyVerdict, b: LatencyVerdict): readonly string[] {
  return loadLine(a) === loadLine(b) ? [] : ['The loads differ, so a difference may come from the load.']
}

/** A value of this figure: milliseconds, or percent for goodput. */
export function cellOf({ figure }: Difference, value: number): string {
  return figure === 'goodput' ? `${format(value * 100)} %` : format(value)
}

export function intervalOf(one: Difference): string {
  return one.interval.map((value) => signedCellOf(one, value)).join(' to ')
}

export function signedCellOf(one: Difference, value: number): string {
  return (value > 0 ? '+' : '') + cellOf(one, value)
}
