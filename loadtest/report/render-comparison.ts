// A comparison for the console: one line for each figure.
import { type ConsoleOptions, createPen } from '../../harness/cli/pen.ts'
import type { Difference } from '../latency/compare.ts'
import { loadLine } from './render-latency.ts'
import { format } from './table.ts'
import type { LatencyVerdict } from '../latency/verdict.ts'

export function renderComparison(
  names: readonly [a: string, b: string],
  [a, b]: readonly [LatencyVerdict, LatencyVerdict],
  differences: readonly Difference[],
  terminal: ConsoleOptions,
): string {
  const pen = createPen(terminal)
  const rows = differences.map(({ figure, statistic, ...one }) => {
    const scale = figure === 'goodput' ? 100 : 1
    const unit = figure === 'goodput' ? ' %' : ''
    const cell = (value: number): string => `${format(value * scale)}${unit}`.padStart(11)
    const sign = (value: number): string => (value > 0 ? '+' : '') + format(value * scale) + unit
    const [least, most] = one.interval
    const range = `${sign(least)} to ${sign(most)}`
    // Less latency and more goodput are better.
    const isBetter = figure === 'goodput' ? one.difference > 0 : one.difference < 0
    const word = !one.isLarger ? 'noise' : isBetter ? pen.paint('green', 'better') : pen.paint('red', 'worse')
    const name = `${figure} ${statistic}`.padEnd(14)
    return `  ${name}${cell(one.a)}${cell(one.b)}${sign(one.difference).padStart(11)}   ${range.padEnd(22)}${word}`
  })
  return [
    `A  ${names[0]}: ${a.target} ${a.model}, ${loadLine(a)}`,
    `B  ${names[1]}: ${b.target} ${b.model}, ${loadLine(b)}`,
    ...(loadLine(a) === loadLine(b) ? [] : ['   The loads differ, so a difference may come from the load.']),
    '',
    `  ${'milliseconds'.padEnd(14)}${'A'.padStart(11)}${'B'.padStart(11)}${'B − A'.padStart(11)}   95 % interval`,
    ...rows,
    '',
  ].join('\n')
}
