// The verdict for the console.
import { createPen, type ConsoleOptions } from '../../harness/cli/pen.ts'
import { printable, wrap } from '../../harness/cli/text.ts'
import type { Verdict } from '../judges/verdict.ts'

const SIGNS = { pass: '✓', fail: '✗', 'not judged': '–' } as const
const STYLES = { pass: 'green', fail: 'red', 'not judged': 'gray', invalid: 'yellow' } as const

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
  const notes = [...verdict.invalid.map((why) => `Not valid: ${why}.`), ...verdict.notes].flatMap((note) =>
    wrap(printable(note), terminal.columns - INDENT).map((line) => `    ${line}`),
  )
  return [
    `${verdict.scenario} ${verdict.target} ${verdict.model}`,
    '',
    ...lines,
    '',
    ...notes,
    pen.paint(STYLES[verdict.verdict], line(verdict)),
    '',
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
