// The verdict for a person: every requirement in one line, each failure with the text that it breaks and the bytes
// that prove it, and at the end what was not judged and what would let it be.
import { isRequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import type { Outcome } from '../runner/case.ts'
import { renderFindings } from './failure.ts'
import { type ConsoleOptions, type Pen, type Style, createPen } from '../../harness/cli/pen.ts'
import type { Report } from './schema.ts'
import { cut, printable, wrap } from '../../harness/cli/text.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import { SECTIONS, judgedRows, plural, sectionOf } from './labels.ts'

const MARKS: Record<Outcome, readonly [mark: string, style: Style]> = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  warn: ['!', 'yellow'],
  inconclusive: ['?', 'yellow'],
  'not-applicable': ['–', 'gray'],
  error: ['‼', 'red'],
}

/** The first line of a run, printed before it begins. */
export function renderHeading(target: TargetFacts, seed: number, options: ConsoleOptions): string {
  const pen = createPen(options)
  const facts = [`profile ${target.profile}`, `model ${printable(target.model)}`, `seed ${seed}`].join(' · ')
  return `${pen.paint('bold', `Touchstone judges ${target.baseUrl}`)}  ${pen.paint('gray', facts)}\n`
}

/** Everything after the heading. */
export function renderConsole(report: Report, options: ConsoleOptions): string {
  const pen = createPen(options)
  const worth = report.checks.filter(({ outcome }) => ['error', 'fail', 'warn'].includes(outcome))
  return [
    ...SECTIONS.flatMap((section) => renderSection(section.name, report, pen)),
    ...report.requirements.flatMap(({ id }) => {
      const own = worth.filter((check) => check.requirement === id)
      return own.length === 0 ? [] : renderFindings(id, own, pen)
    }),
    ...renderNotJudged(report, pen),
    '',
    ...renderSummary(report, pen),
    '',
  ].join('\n')
}

function renderSection(name: string, report: Report, pen: Pen): readonly string[] {
  const rows = report.requirements.filter(({ id }) => sectionOf(id) === name)
  if (rows.length === 0) return []
  return ['', pen.paint('bold', name), ...rows.map((row) => renderRow(row, report, pen))]
}

function renderRow(row: Report['requirements'][number], report: Report, pen: Pen): string {
  const [mark, style] = MARKS[row.outcome]
  const own = report.checks.filter(({ requirement: id }) => id === row.id)
  const same = own.filter(({ outcome }) => outcome === row.outcome).length
  const count =
    same === own.length ? plural(own.length, 'check') : `${same} of ${plural(own.length, 'check')}`
  const left = `  ${pen.paint(style, mark)} ${row.id.padEnd(10)} ${row.level.padEnd(6)} `
  const room = Math.max(20, Math.min(pen.columns, 140) - 22 - 18)
  const text = isRequirementId(row.id) ? requirement(row.id).text : ''
  return `${left}${cut(text, room).padEnd(room)} ${pen.paint('gray', count.padStart(16))}`
}

function renderNotJudged(report: Report, pen: Pen): readonly string[] {
  const lines: string[] = []
  const group = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push('', pen.paint('bold', title), ...body.map((line) => `  ${line}`))
  }
  group('Could not be judged', reasons(report, 'inconclusive', pen))
  group('Not applicable', reasons(report, 'not-applicable', pen))
  const refused = report.target.capabilities.filter(({ offered }) => !offered)
  group(
    'Not offered by the target (--require turns these into failures)',
    refused.map(({ name, learned }) => `${name.padEnd(22)} ${pen.paint('gray', learned)}`),
  )
  if (report.catalogue !== undefined && report.catalogue.leftOut.length > 0)
    group(
      `Newer than catalogue ${report.catalogue.version}, left out`,
      wrap(report.catalogue.leftOut.join(' '), pen.columns - 2),
    )
  const { notCovered } = report.coverage
  group(
    'Not covered by a case yet',
    notCovered.length === 0 ? [] : wrap(notCovered.join(' '), pen.columns - 2),
  )
  return lines
}

/** Each reason once, before it the requirements that it stood in the way of. */
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
  const { what, hold, failed } = judgedRows(report)
  const expected = report.checks.filter(
    ({ baseline, outcome }) => baseline !== undefined && outcome === 'fail',
  )
  const counts = [
    `${totals.pass} passed`,
    ...(totals.fail > 0
      ? [`${totals.fail} failed${expected.length > 0 ? ` (${expected.length} expected)` : ''}`]
      : []),
    ...(totals.warn > 0 ? [`${totals.warn} warned`] : []),
    ...(totals.error > 0 ? [plural(totals.error, 'error')] : []),
    ...(totals.inconclusive > 0 ? [`${totals.inconclusive} inconclusive`] : []),
    ...(totals['not-applicable'] > 0 ? [`${totals['not-applicable']} not applicable`] : []),
  ]
  const { prompt = 0, completion = 0 } = report.tokens ?? {}
  const tokens = prompt + completion === 0 ? '' : `, ${prompt} + ${completion} tokens`
  const size = `${plural(report.checks.length, 'check')}, ${plural(report.requests, 'request')}${tokens}, ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.seed}`
  const verdict = `${what}: ${hold} ${hold === 1 ? 'holds' : 'hold'}, ${failed} ${failed === 1 ? 'does' : 'do'} not`
  const [word, style] = VERDICTS[exitCode]
  return [
    ...report.staleBaseline.map(
      (id) => `${pen.paint('red', '✗')} ${id} passes now: remove it from the baseline`,
    ),
    ...report.missingCapabilities.map(
      (name) => `${pen.paint('red', '✗')} ${name} is required and not offered`,
    ),
    ...(report.interrupted === true
      ? [`${pen.paint('yellow', '!')} the run was interrupted: what was not judged by then is inconclusive`]
      : []),
    `${counts.join(', ')}  ${pen.paint('gray', `(${size})`)}`,
    `${pen.paint([style, 'bold'], word)}  ${verdict}`,
  ]
}

const VERDICTS = {
  0: ['PASS', 'green'],
  1: ['FAIL', 'red'],
  2: ['NO VERDICT', 'red'],
  3: ['INCOMPLETE', 'yellow'],
} as const satisfies Record<number, readonly [string, 'green' | 'red' | 'yellow']>
