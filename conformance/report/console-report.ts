// The report for a terminal: every requirement on one line, each failure with the broken text and its evidence, and at
// the end the checks that were not judged, with the reason.
import type { Outcome } from '../contract/outcome.ts'
import { renderFindings } from './failure.ts'
import { findingsOf } from './findings.ts'
import { type ConsoleOptions, type Pen, createPen } from '../../harness/cli/pen.ts'
import type { Report } from '../contract/report.ts'
import { cut, printable, wrap } from '../../harness/cli/text.ts'
import { bySection, failing, holdAndNot, judgedRows, plural, tally, textOf, verdictNotes } from './labels.ts'
import { STYLES, VERDICTS } from './outcome-style.ts'

/** The first line of a run, printed before it begins. */
export function renderHeading(subject: string, facts: readonly string[], options: ConsoleOptions): string {
  const pen = createPen(options)
  const judged = pen.paint('bold', `Touchstone judges ${printable(subject)}`)
  return `${judged}  ${pen.paint('gray', printable(facts.join(' · ')))}\n`
}

export function underSections<Row extends { readonly id: string }>(
  all: readonly Row[],
  pen: Pen,
  render: (row: Row) => string,
): string[] {
  return bySection(all).flatMap(({ name, rows }) => ['', pen.paint('bold', name)].concat(rows.map(render)))
}

/** Everything after the heading. */
export function renderConsole(report: Report, options: ConsoleOptions): string {
  const pen = createPen(options)
  const findings = failing(report)
  return [
    ...underSections(report.requirements, pen, (row) => renderRow(row, report, pen)),
    ...report.requirements.flatMap(({ id }) => {
      const own = findings.filter((check) => check.requirement === id)
      return own.length === 0 ? [] : renderFindings(id, own, pen, report.target.profile)
    }),
    ...renderNotJudged(report, pen),
    ...renderWhatToFix(report, pen),
    '',
    ...renderSummary(report, pen),
    '',
  ].join('\n')
}

function renderRow(row: Report['requirements'][number], report: Report, pen: Pen): string {
  const { sign, style } = STYLES[row.outcome]
  const own = report.checks.filter(({ requirement: id }) => id === row.id)
  const left = `  ${pen.paint(style, sign)} ${row.id.padEnd(10)} ${row.level.padEnd(6)} `
  const room = Math.max(20, Math.min(pen.columns, 140) - 22 - 18)
  return `${left}${cut(textOf(row.id), room).padEnd(room)} ${pen.paint('gray', tally(row.outcome, own).padStart(16))}`
}

/** One line for each finding; left out where the failures themselves are on the screen. */
function renderWhatToFix(report: Report, pen: Pen): readonly string[] {
  const findings = findingsOf(report)
  if (findings.length < 2) return []
  const width = Math.max(...findings.map(({ checks }) => plural(checks.length, 'check').length))
  return [
    '',
    pen.paint('bold', 'What to fix, the worst first'),
    ...findings.map(({ requirement: id, level, outcome, what, checks }) => {
      const { sign, style } = STYLES[outcome]
      const count = plural(checks.length, 'check').padStart(width)
      const left = `  ${pen.paint(style, sign)} ${id.padEnd(10)} ${level.padEnd(6)} ${pen.paint('gray', count)}  `
      return `${left}${cut(printable(what), Math.max(20, pen.columns - width - 24))}`
    }),
  ]
}

function renderNotJudged(report: Report, pen: Pen): readonly string[] {
  const lines: string[] = []
  const group = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push('', pen.paint('bold', title), ...body.map((line) => `  ${line}`))
  }
  const ids = (title: string, all: readonly string[]): void =>
    group(title, all.length === 0 ? [] : wrap(all.join(' '), pen.columns - 2))
  group('Could not be judged', reasons(report, 'inconclusive', pen))
  group('Not applicable', reasons(report, 'not-applicable', pen))
  const refused = report.target.capabilities.filter(({ offered }) => !offered)
  group(
    'Not offered by the target (--require turns these into failures)',
    refused.map(({ name, learned }) => `${name.padEnd(22)} ${pen.paint('gray', learned)}`),
  )
  const { version = '', leftOut = [] } = report.catalogue ?? {}
  ids(`Newer than catalogue ${version}, left out`, leftOut)
  ids('Not covered by a case yet', report.coverage.notCovered)
  return lines
}

/** Each reason once, after the requirements that it applies to. */
function reasons(report: Report, outcome: Outcome, pen: Pen): readonly string[] {
  const rows = new Set(report.requirements.filter((row) => row.outcome === outcome).map(({ id }) => id))
  const checks = report.checks.filter((check) => check.outcome === outcome && rows.has(check.requirement))
  const byReason = Map.groupBy(checks, ({ reason }) => reason ?? '')
  return [...byReason].map(([reason, own]) => {
    const ids = [...new Set(own.map((check) => check.requirement))].join(' ')
    return `${pen.paint('bold', ids)}  ${printable(reason)}`
  })
}

function renderSummary(report: Report, pen: Pen): readonly string[] {
  const { totals, exitCode } = report
  const judged = judgedRows(report)
  const expected = report.checks.filter(
    ({ baseline, outcome }) => baseline !== undefined && outcome === 'fail',
  ).length
  const some = (count: number, text: string): readonly string[] => (count > 0 ? [text] : [])
  const counts = [
    `${totals.pass} passed`,
    ...some(totals.fail, [`${totals.fail} failed`, ...some(expected, `(${expected} expected)`)].join(' ')),
    ...some(totals.warn, `${totals.warn} warned`),
    ...some(totals.error, plural(totals.error, 'error')),
    ...some(totals.inconclusive, `${totals.inconclusive} inconclusive`),
    ...some(totals['not-applicable'], `${totals['not-applicable']} not applicable`),
  ]
  const { prompt = 0, completion = 0 } = report.tokens ?? {}
  const tokens = prompt + completion === 0 ? '' : `, ${prompt} + ${completion} tokens`
  const size = `${plural(report.checks.length, 'check')}, ${plural(report.requests, 'request')}${tokens}, ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.seed}`
  const { label, kind } = VERDICTS[exitCode]
  return [
    ...verdictNotes(report).map((note) => `${pen.paint('red', '✗')} ${note}`),
    ...(report.interrupted === true
      ? [`${pen.paint('yellow', '!')} the run was interrupted: what was not judged by then is inconclusive`]
      : []),
    `${counts.join(', ')}  ${pen.paint('gray', `(${size})`)}`,
    `${pen.paint('bold', pen.paint(STYLES[kind].style, label.toUpperCase()))}  ${judged.what}: ${holdAndNot(judged)}`,
  ]
}
