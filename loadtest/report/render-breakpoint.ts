// The search for the highest rate, for the console.
import { type ConsoleOptions, createPen } from '../../harness/cli/pen.ts'
import type { BreakpointVerdict } from '../latency/breakpoint-verdict.ts'
import { conclusion, objectives } from './table.ts'
import { percent } from '../latency/latency-verdict.ts'

const OF_OUTCOME = { holds: 'green', breaks: 'red', invalid: 'yellow' } as const

/** The whole text; its last line is the result. */
export function renderBreakpoint(verdict: BreakpointVerdict, terminal: ConsoleOptions): string {
  const pen = createPen(terminal)
  const { slo, sloShare, windowSeconds } = verdict
  const rows = verdict.rates
    .toSorted((one, other) => one.ratePerSecond - other.ratePerSecond)
    .map(({ ratePerSecond, offered, goodput, interval: [least, most], outcome, saturated }) => {
      const range = `${percent(least)} to ${percent(most)}`
      const cells = [
        String(ratePerSecond).padStart(10),
        String(offered).padStart(9),
        percent(goodput).padStart(9),
      ]
      const end = saturated ? ', over-saturated' : ''
      return `${cells.join('')}  ${range.padEnd(20)}${pen.paint(OF_OUTCOME[outcome], outcome)}${end}`
    })
  return [
    `breakpoint ${verdict.target} ${verdict.model}`,
    `${objectives(slo)} for ${percent(sloShare)} of the requests, windows of ${windowSeconds} s`,
    '',
    `  a second  requests  goodput  95 % interval`,
    ...rows,
    '',
    ...conclusion(verdict, breakpointLine(verdict), terminal),
  ].join('\n')
}

/** `PASS breakpoint: from 8 to 8.7 requests a second, 9 rates tried, 2 cores` */
export function breakpointLine({ verdict, holds, breaks, rates, cores, valid }: BreakpointVerdict): string {
  const found =
    holds === null
      ? `below ${breaks ?? 0} requests a second`
      : breaks === null
        ? `at least ${holds} requests a second`
        : `from ${holds} to ${breaks} requests a second`
  return `${verdict.toUpperCase()} breakpoint: ${found}, ${rates.length} rates tried, ${cores} cores, ${valid ? 'valid' : 'not valid'}`
}
