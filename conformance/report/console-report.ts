// The report for a terminal: the outcome of every requirement, the findings, the worst of them with the broken text and its
// evidence, and at the end the checks that were not judged, with the reason.
import { named, renderEvidence, renderFinding } from './failure.ts'
import { type Finding, findingsOf } from './findings/findings.ts'
import { type ConsoleOptions, type Pen, createPen } from '../../harness/cli/pen.ts'
import type { Report } from '../contract/report.ts'
import { cut, printable, wrap } from '../../harness/cli/text.ts'
import {
  NO_LONGER_OFFERED,
  bySection,
  holdAndNot,
  judgedRows,
  plural,
  tally,
  textOf,
  tierLine,
  verdictNotes,
  withOutcome,
} from './labels.ts'
import { runNotes } from './findings/describe.ts'
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

/** The number of requirements that have a line each; of more, a section lists the ids by outcome. */
const ROW_LINES = 40

/** The number of findings that are shown with their evidence, and of those that have a line: up to 20 are all there. */
const SHOWN_FINDINGS = 2
const LISTED_FINDINGS = 18

/** Everything after the heading; the notes of a command come before the verdict. */
export function renderConsole(
  report: Report,
  options: ConsoleOptions,
  notes: readonly string[] = [],
): string {
  const pen = createPen(options)
  const { requirements } = report
  const findings = findingsOf(report)
  return [
    ...(requirements.length > ROW_LINES
      ? renderSections(requirements, pen)
      : underSections(requirements, pen, (row) => renderRow(row, report, pen))),
    ...renderWhatToFix(
      findings.filter(({ outcome }) => outcome !== 'inconclusive'),
      report,
      pen,
    ),
    ...renderNotJudged(
      findings.filter(({ outcome }) => outcome === 'inconclusive'),
      report,
      pen,
    ),
    '',
    ...notes.map((note) => printable(note)),
    ...renderSummary(report, pen),
    '',
  ].join('\n')
}

/** The ids of each section by outcome, the worst first. */
function renderSections(requirements: Report['requirements'], pen: Pen): readonly string[] {
  const sections = bySection(requirements)
  const width = Math.max(0, ...sections.map(({ name }) => name.length))
  const lines = sections.flatMap(({ name, rows }) =>
    Object.entries(STYLES)
      .flatMap(([outcome, { sign, style }]) => {
        const ids = rows.filter((row) => row.outcome === outcome).map(({ id }) => id)
        const wrapped = ids.length === 0 ? [] : wrap(ids.join(' '), Math.max(40, pen.columns - width - 4))
        return wrapped.map((line, index) => `${index === 0 ? pen.paint(style, sign) : ' '} ${line}`)
      })
      .map((line, index) => `${pen.paint('bold', (index === 0 ? name : '').padEnd(width))}  ${line}`),
  )
  return ['', ...lines]
}

function renderRow(row: Report['requirements'][number], report: Report, pen: Pen): string {
  const { sign, style } = STYLES[row.outcome]
  const own = report.checks.filter(({ requirement: id }) => id === row.id)
  const left = `  ${pen.paint(style, sign)} ${row.id.padEnd(10)} ${row.level.padEnd(6)} `
  const room = Math.max(20, Math.min(pen.columns, 140) - 22 - 18)
  return `${left}${cut(textOf(row.id), room).padEnd(room)} ${pen.paint('gray', tally(row.outcome, own).padStart(16))}`
}

/** The worst findings with their evidence, and a line for each of the others. */
function renderWhatToFix(findings: readonly Finding[], report: Report, pen: Pen): readonly string[] {
  if (findings.length === 0) return []
  const shown = findings.slice(0, SHOWN_FINDINGS)
  const rest = findings.slice(SHOWN_FINDINGS)
  const listed = rest.slice(0, LISTED_FINDINGS)
  const width = Math.max(0, ...listed.map(({ checks }) => plural(checks.length, 'check').length))
  const lines = listed.map(({ requirement: id, requirements, level, outcome, what, checks }) => {
    const { sign, style } = STYLES[outcome]
    const count = plural(checks.length, 'check').padStart(width)
    const left = `  ${pen.paint(style, sign)} ${id.padEnd(10)} ${level.padEnd(6)} ${pen.paint('gray', count)}  `
    const others = requirements.length === 1 ? '' : `${plural(requirements.length, 'row')}: `
    return `${left}${pen.fit(others + printable(what), Math.max(20, pen.columns - width - 24))}`
  })
  return [
    '',
    pen.paint('bold', `What to fix, the worst first: ${plural(findings.length, 'finding')}`),
    ...shown.flatMap((finding) => renderFinding(finding, pen, report.target.profile)),
    ...(rest.length === 0 ? [] : ['', ...lines]),
    ...more(rest.length - listed.length),
  ]
}

function more(count: number): readonly string[] {
  return count > 0 ? [`  and ${count} more, which --html and --json show`] : []
}

function renderNotJudged(open: readonly Finding[], report: Report, pen: Pen): readonly string[] {
  const lines: string[] = []
  const example = open.find(({ example: { exchanges } }) => exchanges.length > 0)?.example
  const group = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push('', pen.paint('bold', title), ...body.map((line) => `  ${line}`))
  }
  const ids = (title: string, all: readonly string[]): void =>
    group(title, all.length === 0 ? [] : wrap(all.join(' '), pen.columns - 2))
  const listed = open.slice(0, LISTED_FINDINGS).map(({ requirements, what, checks }) => {
    const count = pen.paint('gray', `(${plural(checks.length, 'check')})`)
    return `${pen.paint('bold', named(requirements, ' '))}  ${printable(what)} ${count}`
  })
  group('Could not be judged', [...listed, ...more(open.length - listed.length)])
  if (example !== undefined)
    lines.push(
      '',
      `  ${pen.paint('bold', example.id)}: ${printable(example.title)}`,
      ...renderEvidence(example, pen),
    )
  group('Not applicable', notApplicable(report, pen))
  const refused = report.target.capabilities.filter(({ offered }) => !offered)
  group(
    'Not offered by the target (--require turns these into failures)',
    [...Map.groupBy(refused, ({ learned }) => learned)].flatMap(([learned, same]) =>
      wrap(`${same.map(({ name }) => name).join(' ')}  ${learned}`, pen.columns - 2),
    ),
  )
  const { version = '', notScored = [] } = report.catalogue ?? {}
  ids(`Not scored in ${version}`, notScored.map(withOutcome))
  ids(`${NO_LONGER_OFFERED} (--strict fails these)`, report.noLongerOffered ?? [])
  ids('Not covered by a case yet', report.coverage.notCovered)
  return lines
}

/** Each requirement once, before its reasons; requirements with the same reasons are together. */
function notApplicable({ requirements, checks }: Report, pen: Pen): readonly string[] {
  const rows = new Set(requirements.filter((row) => row.outcome === 'not-applicable').map(({ id }) => id))
  const own = checks.filter(({ outcome, requirement: id }) => outcome === 'not-applicable' && rows.has(id))
  const reasonsOf = Array.from(
    Map.groupBy(own, (check) => check.requirement),
    ([id, same]) => ({ id, reasons: [...new Set(same.map(({ reason }) => reason ?? ''))].join('; ') }),
  )
  return [...Map.groupBy(reasonsOf, ({ reasons }) => reasons)].map(([reasons, same]) => {
    const ids = same.map(({ id }) => id)
    return `${pen.paint('bold', named(ids, ' '))}  ${printable(reasons)}`
  })
}

function renderSummary(report: Report, pen: Pen): readonly string[] {
  const { totals, exitCode } = report
  const judged = judgedRows(report)
  const tiers = tierLine(report.requirements)
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
  const { command, baseUrl } = report.target
  const target = pen.paint('gray', `  ${printable(command?.join(' ') ?? baseUrl)}`)
  const verdict = `${pen.paint('bold', pen.paint(STYLES[kind].style, label.toUpperCase()))}  ${judged.what}: ${holdAndNot(judged)}`
  return [
    ...verdictNotes(report).map(
      (note) => `${exitCode === 0 ? pen.paint('yellow', '!') : pen.paint('red', '✗')} ${note}`,
    ),
    ...runNotes(report).map((note) => `${pen.paint('yellow', '!')} ${note}`),
    ...(report.interrupted === true
      ? [`${pen.paint('yellow', '!')} the run was interrupted: what was not judged by then is inconclusive`]
      : []),
    `Checks: ${counts.join(', ')}  ${pen.paint('gray', `(${size})`)}`,
    ...(tiers === '' ? [verdict + target] : [verdict, tiers + target]),
  ]
}
