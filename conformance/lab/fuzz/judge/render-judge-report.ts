// The verdict of `--objective judge` and `--objective files` on one screen.
import { type ConsoleOptions, createPen } from '../../../../harness/cli/pen.ts'
import { printable } from '../../../../harness/cli/text.ts'
import type { JudgeFuzzReport } from './fuzz-runs.ts'

const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

export function renderJudgeReport(report: JudgeFuzzReport, console: ConsoleOptions): string {
  const { runs, seconds, seed, kinds, requests, hostile, ways, exits, peakMib, slowestMs, violations } =
    report
  const pen = createPen(console)
  const lines = [
    `${runs} runs of the judge in ${seconds} s, seed ${seed}`,
    `targets       ${list(kinds)}`,
    report.objective === 'files'
      ? `faults        ${list(ways)}`
      : `requests      ${requests}, of them ${hostile} answered in a hostile way: ${list(ways)}`,
    `exit codes    ${list(exits)}`,
    `memory        at most ${peakMib} MiB`,
    `slowest       ${(slowestMs / 1000).toFixed(1)} s`,
    '',
  ]
  for (const { what, count, examples } of violations) {
    lines.push(`${pen.paint('red', 'FAIL')} ${printable(what)} (${count} times)`)
    for (const { repeat, folder } of examples) lines.push(`     ${repeat}`, `     ${folder}`)
  }
  if (violations.length === 0) lines.push(`${pen.paint('green', 'PASS')} no violation`)
  return `${lines.join('\n')}\n`
}
