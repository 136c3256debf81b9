// The report as Markdown: the findings, a table of requirements, each finding with its evidence, and what was not judged.
import { createPen } from '../../../harness/cli/pen.ts'
import { renderExchange } from '../failure.ts'
import { type Finding, findingsOf } from '../findings/findings.ts'
import type { Report, ReportCheck } from '../../contract/report.ts'
import { cut } from '../../../harness/cli/text.ts'
import { cell, code, codeBlock, words } from './markdown-text.ts'
import {
  NO_LONGER_OFFERED,
  bySection,
  judgedRows,
  plural,
  sentence,
  judgedAs,
  subjectOf,
  textOf,
  tierLine,
  withOutcome,
} from '../labels.ts'
import { runNotes } from '../findings/describe.ts'
import { renderTimeline } from '../timeline.ts'
import { VERDICTS } from '../outcome-style.ts'

/** The longest line of a finding, in characters. */
const SHOWN_CHARS = 240

export interface MarkdownOptions {
  /** Show the exchange of each finding. */
  readonly evidence: boolean
  /** The remarks of a command, a line each. */
  readonly notes?: readonly string[]
}

/** The failures come first: of a summary many readers see the top alone. */
export function renderMarkdown(
  report: Report,
  { evidence, notes = [] }: MarkdownOptions = { evidence: true },
): string {
  const { target, coverage, exitCode } = report
  const tiers = tierLine(report.requirements)
  const findings = findingsOf(report)
  const failures = findings.filter(({ outcome }) => outcome !== 'inconclusive')
  const notApplicable = report.checks.filter(({ outcome }) => outcome === 'not-applicable')
  const open = [
    ...findings.filter(({ outcome }) => outcome === 'inconclusive'),
    ...[...Map.groupBy(notApplicable, ({ reason }) => reason).values()].flatMap(sameReason),
  ]
  const { version = '', notScored = [] } = report.catalogue ?? {}
  const refused = target.capabilities.filter(({ offered }) => !offered).map(({ name }) => code(name))
  return [
    `# Touchstone: ${words(subjectOf(report))} ${VERDICTS[exitCode].phrase}`,
    '',
    `${sentence(judgedAs(report)).slice(0, -1)}, model ${code(target.model)}, seed ${report.seed}, ${report.startedAt}, ` +
      `${plural(report.checks.length, 'check')}, ${plural(report.requests, 'request')}.`,
    '',
    `**${sentence(judgedRows(report).what)}**`,
    '',
    ...(tiers === '' ? [] : [`${tiers}.`, '']),
    ...runNotes(report).flatMap((note) => [sentence(note), '']),
    ...(report.interrupted === true
      ? ['The run was interrupted: what was not judged by then is inconclusive.', '']
      : []),
    ...(report.endedEarly === undefined ? [] : [`The run ended early: ${words(report.endedEarly)}.`, '']),
    ...notes.flatMap((note) => [words(note), '']),
    ...renderWhatToFix(findings),
    ...(failures.length === 0
      ? []
      : ['## What does not hold', '', ...failures.flatMap((finding) => renderFailure(finding, evidence))]),
    ...(open.length === 0 ? [] : ['## What was not judged', '', ...open.map(renderOpen), '']),
    ...bySection(report.requirements).flatMap(({ name, rows }) => renderSection(name, rows, report)),
    ...listed('Not offered by the target', refused),
    ...listed(
      `Not scored in ${version}`,
      notScored.map((check) => code(withOutcome(check))),
    ),
    ...listed(NO_LONGER_OFFERED, (report.noLongerOffered ?? []).map(code)),
    ...listed('Not covered by a case yet', coverage.notCovered),
  ].join('\n')
}

/** A paragraph that lists these, if there are some. */
function listed(title: string, all: readonly string[]): readonly string[] {
  return all.length === 0 ? [] : [`${title}: ${all.join(', ')}.`, '']
}

function renderWhatToFix(findings: readonly Finding[]): readonly string[] {
  if (findings.length < 2) return []
  return [
    '## What to fix, the worst first',
    '',
    ...findings.map(
      ({ requirements: [id, ...others], level, what, checks }) =>
        `1. **${id}**${others.length === 0 ? '' : ` and ${plural(others.length, 'other row')}`} ` +
        `(${level}, ${plural(checks.length, 'check')}) ${words(cut(what, SHOWN_CHARS))}`,
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
    ...rows.map(({ id, level, tier, outcome }) => {
      const own = report.checks.filter((check) => check.requirement === id)
      return `| ${outcome} | **${id}** ${cell(textOf(id))} | ${level}${tier === undefined ? '' : `, ${tier}`} | ${own.length} |`
    }),
    '',
  ]
}

function renderFailure({ example: check, checks, requirements, what }: Finding, evidence: boolean) {
  const exchange = evidence ? check.exchanges.at(-1) : undefined
  const pen = createPen({ color: false, columns: 110 })
  const again = check.reproduce === undefined ? [] : ['', check.reproduce]
  const shown = exchange === undefined ? [] : renderExchange(exchange, pen).map((line) => line.slice(4))
  const others = checks.filter((other) => other !== check).map(({ id }) => code(id))
  const rows = requirements.length === 1 ? [] : [`Rows: ${requirements.join(', ')}.`, '']
  return [
    `### ${check.requirement} (${check.outcome}): ${words(check.title)}`,
    '',
    `> ${cell(textOf(check.requirement))}`,
    '',
    `${code(check.id)}${check.place === undefined ? '' : `, ${check.place}`}: ${words(check.reason ?? '')}`,
    '',
    ...(others.length === 0
      ? []
      : [`${plural(others.length, 'further check')}: ${words(cut(what, SHOWN_CHARS))}.`, '']),
    ...rows,
    ...(others.length === 0 ? [] : [`${others.join(', ')}.`, '']),
    ...(shown.length === 0 ? [] : codeBlock([...renderTimeline(check), ...shown, ...again])),
  ]
}

/** Checks that do not apply for the same reason. */
function sameReason(checks: readonly ReportCheck[]) {
  const [example] = checks
  return example === undefined ? [] : [{ checks, example }]
}

/** Checks with the same reason, each after its row. */
function renderOpen({ checks, example }: Pick<Finding, 'checks' | 'example'>): string {
  const ids = checks.map(({ requirement, id }) => `${requirement} ${code(id)}`)
  return `- ${ids.join(', ')}, ${example.outcome}: ${words(example.reason ?? '')}`
}
