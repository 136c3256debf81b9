// The verdict of a run on one screen.
import { type ConsoleOptions, createPen } from '../../../harness/cli/pen.ts'
import type { FuzzReport } from './fuzz.ts'
import type { QuietFigures } from './quiet-client.ts'

/** How many violations are shown; the others are in the file of `--json`. */
const MOST_SHOWN = 15

export function renderReport(report: FuzzReport, console: ConsoleOptions): string {
  const { requests, connections, seconds, seed, objective, model, worst } = report
  const { largest, amplification, quiet, memory, sockets, violations } = report
  const pen = createPen(console)
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  const figures = ({ p50Ms, p99Ms, maxMs, answers }: QuietFigures): string =>
    `p50 ${p50Ms} ms, p99 ${p99Ms} ms, longest ${maxMs} ms of ${answers}`
  const lines = [
    `${requests} requests in ${seconds} s on ${connections} connections to ${model}, seed ${seed}`,
    `kinds         ${list(report.kinds)}`,
    `ended with    ${list(report.endings)}`,
    `slowest       ${worst === undefined ? 'none' : `${worst.ms} ms: ${worst.kind}, connection ${worst.place.connection}, number ${worst.place.number}`}`,
    `largest       ${largest.value} bytes: ${largest.file ?? 'none'}`,
    `amplified     ${amplification.value.toFixed(1)} bytes for each byte sent: ${amplification.file ?? 'none'}`,
    `quiet client  before ${figures(quiet.before)}`,
    `              during ${figures(quiet.during)}; p99 may be ${quiet.limitMs} ms`,
    memory === undefined
      ? 'memory        not measured: only of a server that is started here, on Linux'
      : `memory        ${memory.start} MiB at the start, at most ${memory.peak}, ${memory.end} at the end; may be ${memory.limit}`,
    ...(sockets === undefined
      ? []
      : [`sockets       ${sockets.start} at the start, ${sockets.end} at the end`]),
    '',
  ]
  for (const { what, count, examples } of violations.slice(0, MOST_SHOWN)) {
    lines.push(`${pen.paint('red', 'FAIL')} ${what}${count > 1 ? `, ${count} times` : ''}`)
    if (examples.length === 0) continue
    lines.push(`     ${examples[0]?.where ?? ''}`)
    const flags = `--model ${model}${objective === 'any' ? '' : ` --objective ${objective}`}`
    lines.push(
      `     npx touchstone fuzz ${flags} ${examples.map(({ file }) => `--replay ${file}`).join(' ')}`,
    )
  }
  if (violations.length > MOST_SHOWN) lines.push(`and ${violations.length - MOST_SHOWN} more: --json FILE`)
  lines.push(violations.length === 0 ? pen.paint('green', 'PASS') : `${violations.length} violations`)
  return `${lines.join('\n')}\n`
}
