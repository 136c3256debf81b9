// The verdict for the console.
import { createPen, type ConsoleOptions } from '../../harness/cli/pen.ts'
import { printable } from '../../harness/cli/text.ts'
import type { Verdict } from '../judges/load-verdict.ts'
import { conclusion } from './table.ts'

const SIGNS = { pass: '✓', fail: '✗', 'not judged': '–' } as const
const STYLES = { pass: 'green', fail: 'red', 'not judged': 'gray' } as const

const INDENT = 4

/** The whole text; its last line is the result. */
export function renderVerdict(verdict: Verdict, terminal: ConsoleOptions): string {
  const pen = createPen(terminal)
  const width = Math.max(...verdict.assertions.map(({ id }) => id.length))
  const lines = verdict.assertions.map(({ id, outcome, expected, actual }) => {
    const sign = pen.paint(STYLES[outcome], SIGNS[outcome])
    const end = outcome === 'not judged' ? ` (not judged: ${actual})` : `: ${actual}`
    return `  ${sign} ${id.padEnd(width)}  ${printable(expected + end)}`
  })
  return [
    `${verdict.scenario} ${verdict.target} ${verdict.model}`,
    '',
    ...lines,
    '',
    ...conclusion(verdict, line(verdict), terminal, INDENT),
  ].join('\n')
}

/** `PASS rate-limit: limit 3/1 s, offered 300, admitted 30 (24 to 36), …` */
export function line(verdict: Verdict): string {
  const { limit, offered, admitted, lower, upper, refused, dropped, k6, cores, processes } = verdict
  const parts = [
    ...(limit === null ? [] : [`limit ${limit.requests}/${limit.windowSeconds} s`]),
    `offered ${offered}`,
    `admitted ${admitted} (${lower} to ${upper})`,
    `refused ${refused}`,
    `dropped ${dropped}`,
    `k6 ${k6}${processes === 1 ? '' : ` × ${processes}`}`,
    `${cores} cores`,
    verdict.valid ? 'valid' : 'not valid',
  ]
  return `${verdict.verdict.toUpperCase()} ${verdict.scenario}: ${parts.join(', ')}`
}
