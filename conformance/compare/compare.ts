// `compare A.json B.json …`: reports side by side, a row for each requirement, and what changed between two reports
// of one server.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isRequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import type { Options } from '../cli/options.ts'
import { renderComparison } from './console.ts'
import { renderComparisonHtml } from './html.ts'
import { consoleOptions } from '../../harness/cli/pen.ts'
import { type Report, reportSchema } from '../report/schema.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** One requirement, and what came of it in each report; `-` where it was not checked. */
export interface ComparedRow {
  readonly id: string
  readonly level: string
  readonly outcomes: readonly string[]
}

/** One check that ended in another way in the second report. */
export interface Change {
  readonly check: string
  readonly from: string
  readonly to: string
}

export interface Comparison {
  /** The columns: what each report judged. */
  readonly servers: readonly string[]
  readonly rows: readonly ComparedRow[]
  /** Only between two reports of one server: the checks that ended in another way, or came or went. */
  readonly changes: readonly Change[] | undefined
}

/** In place of an outcome where a report has none. */
export const NOT_CHECKED = '-'

/**
 * Runs the command: prints the comparison, writes it where `--json`, `--markdown` or `--html` say, and returns 0. Throws
 * `UsageError` where there are no two reports to read.
 */
export function compare({ operands, reports: { json, markdown, html, junit } }: Options): number {
  if (operands.length < 2) throw new UsageError('compare: expected two reports or more, as A.json B.json')
  if (junit !== undefined) throw new UsageError('compare: writes --json, --markdown and --html, no --junit')
  const given = operands.map((file) => ({ file, report: readReport(file) }))
  const comparison = compareReports(given)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(comparison, undefined, 2)}\n`)
  if (markdown !== undefined) writeFileSync(markdown, renderTable(comparison))
  if (html !== undefined)
    writeFileSync(
      html,
      renderComparisonHtml(
        comparison,
        given.map(({ report }) => report),
      ),
    )
  process.stdout.write(renderComparison(comparison, consoleOptions(process.stdout, process.env)))
  return 0
}

function readReport(file: string): Report {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`compare: cannot read ${file}`)
  }
  const parsed = reportSchema.safeParse(parse(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`compare: ${file} is no report, as --json writes it`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Puts reports side by side, in reading order of the requirements. */
export function compareReports(
  given: readonly { readonly file: string; readonly report: Report }[],
): Comparison {
  const reports = given.map(({ report }) => report)
  const order = requirements.map(({ id }): string => id)
  const checked = new Map(
    reports.flatMap((report) => report.requirements.map(({ id, level }) => [id, level])),
  )
  const place = (id: string): number => (isRequirementId(id) ? order.indexOf(id) : order.length)
  const [before, after, ...more] = reports
  const same =
    before !== undefined && after !== undefined && more.length === 0 && nameOf(before) === nameOf(after)
  return {
    servers: given.map(({ file, report }) => `${nameOf(report)} (${basename(file)})`),
    rows: [...checked]
      .map(([id, level]) => ({
        id,
        level,
        outcomes: reports.map((report) => outcomeOf(report.requirements, id)),
      }))
      .toSorted((a, b) => place(a.id) - place(b.id)),
    changes: same ? changesBetween(before, after) : undefined,
  }
}

function nameOf({ target }: Report): string {
  return `${target.baseUrl} ${target.model}`
}

function outcomeOf(list: readonly { readonly id: string; readonly outcome: string }[], id: string): string {
  return list.find((entry) => entry.id === id)?.outcome ?? NOT_CHECKED
}

function changesBetween(before: Report, after: Report): readonly Change[] {
  const ids = new Set([...before.checks, ...after.checks].map(({ id }) => id))
  return [...ids]
    .map((check) => ({ check, from: outcomeOf(before.checks, check), to: outcomeOf(after.checks, check) }))
    .filter(({ from, to }) => from !== to)
}

function renderTable({ servers, rows, changes }: Comparison): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  return [
    '# Comparison',
    '',
    `| requirement | level | ${servers.map(cell).join(' | ')} |`,
    `|---|---|${servers.map(() => '---|').join('')}`,
    ...rows.map(({ id, level, outcomes }) => `| ${id} | ${level} | ${outcomes.join(' | ')} |`),
    '',
    ...(changes ?? []).map(({ check, from, to }) => `- \`${check}\`: ${from}, then ${to}`),
    '',
  ].join('\n')
}
