// The report as Markdown: a table of requirements, the failures, and the checks that were not judged.
import { createPen } from '../../harness/cli/pen.ts'
import { renderExchange } from './failure.ts'
import { findingsOf } from './findings.ts'
import type { Report, ReportCheck } from '../contract/report.ts'
import { cut, printable } from '../../harness/cli/text.ts'
import { bySection, failing, judgedRows, plural, sentence, judgedAs, subjectOf, textOf } from './labels.ts'
import { renderTimeline } from './timeline.ts'
import { VERDICTS } from './outcome-style.ts'

/** The longest line of a finding, in characters. */
const SHOWN_CHARS = 240

export function renderMarkdown(report: Report): string {
  const { target, coverage, exitCode } = report
  const findings = failing(report)
  const open = report.checks.filter(({ outcome }) => ['inconclusive', 'not-applicable'].includes(outcome))
  const { version = '', leftOut = [] } = report.catalogue ?? {}
  const refused = target.capabilities.filter(({ offered }) => !offered).map(({ name }) => code(name))
  return [
    `# Touchstone: ${escape(subjectOf(report))} ${VERDICTS[exitCode].phrase}`,
    '',
    `${sentence(judgedAs(report)).slice(0, -1)}, model ${code(target.model)}, seed ${report.seed}, ${report.startedAt}, ` +
      `${plural(report.checks.length, 'check')}, ${plural(report.requests, 'request')}.`,
    '',
    `**${sentence(judgedRows(report).what)}**`,
    '',
    ...(report.interrupted === true
      ? ['The run was interrupted: what was not judged by then is inconclusive.', '']
      : []),
    ...renderWhatToFix(report),
    ...bySection(report.requirements).flatMap(({ name, rows }) => renderSection(name, rows, report)),
    ...(findings.length === 0 ? [] : ['## What does not hold', '', ...findings.flatMap(renderFailure)]),
    ...(open.length === 0 ? [] : ['## What was not judged', '', ...open.map(renderOpen), '']),
    ...listed('Not offered by the target', refused),
    ...listed(`Newer than catalogue ${version}, left out`, leftOut.map(code)),
    ...listed('Not covered by a case yet', coverage.notCovered),
  ].join('\n')
}

/** A paragraph that lists these, if there are some. */
function listed(title: string, all: readonly string[]): readonly string[] {
  return all.length === 0 ? [] : [`${title}: ${all.join(', ')}.`, '']
}

function renderWhatToFix(report: Report): readonly string[] {
  const findings = findingsOf(report)
  if (findings.length < 2) return []
  return [
    '## What to fix, the worst first',
    '',
    ...findings.map(
      ({ requirement: id, level, what, checks }) =>
        `1. **${id}** (${level}, ${plural(checks.length, 'check')}) ${escape(cut(what, SHOWN_CHARS))}`,
    ),
    '',
  ]
}

function renderSection(name: string, rows: Report['requirements'], report: Report): readonly string[] {
  return [
    `## ${name}`,
    '',
    '| | requirement | level | checks |',
    '|---|---|---|---|',
    ...rows.map(({ id, level, outcome }) => {
      const own = report.checks.filter((check) => check.requirement === id)
      return `| ${outcome} | **${id}** ${cell(textOf(id))} | ${level} | ${own.length} |`
    }),
    '',
  ]
}

function renderFailure(check: ReportCheck): readonly string[] {
  const exchange = check.exchanges.at(-1)
  const pen = createPen({ color: false, columns: 110 })
  const again = check.reproduce === undefined ? [] : ['', check.reproduce]
  const shown = exchange === undefined ? [] : renderExchange(exchange, pen).map((line) => line.slice(4))
  return [
    `### ${check.requirement} (${check.outcome}): ${escape(check.title)}`,
    '',
    `> ${cell(textOf(check.requirement))}`,
    '',
    `${code(check.id)}${check.place === undefined ? '' : `, ${check.place}`}: ${escape(check.reason ?? '')}`,
    '',
    ...(shown.length === 0 ? [] : fenced([...renderTimeline(check), ...shown, ...again])),
  ]
}

function renderOpen(check: ReportCheck): string {
  return `- ${check.requirement} ${code(check.id)}, ${check.outcome}: ${escape(check.reason ?? '')}`
}

/** A fence that is longer than any run of backticks in it. */
function fenced(lines: readonly string[]): readonly string[] {
  const text = lines.join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return [fence, text, fence, '']
}

function code(text: string): string {
  const line = text.replaceAll('\n', ' ')
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

function escape(text: string): string {
  return printable(text.replaceAll('\n', ' ')).replace(/[\\*_[\]<>#|]/g, '\\$&')
}

/** Text of the catalogue for a cell of a table: its code marks stay, its bars are escaped. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
