// The command `compare A.json B.json …`: reads reports, and prints and writes their comparison.
import { writeFileSync } from 'node:fs'
import type { Options } from './judge-options.ts'
import { type Comparison, compareReports } from '../report/compare/comparison.ts'
import { renderComparison } from '../report/compare/console-comparison.ts'
import { renderComparisonHtml } from '../report/compare/comparison-page.ts'
import { consoleOptions } from '../../harness/cli/pen.ts'
import { TIERS, type Tier } from '../../spec/catalogue/section.ts'
import { TIER_NAMES, cell, holdOf } from '../report/labels.ts'
import { type Report, reportSchema } from '../contract/report.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { bounds } from '../../harness/bounds/bounds.ts'
import { readGivenJson } from '../../harness/bounds/read-file.ts'

/**
 * Runs the command: prints the comparison, writes it to the files of `--json`, `--markdown` and `--html`, and returns 0.
 * Throws `UsageError` if there are fewer than two readable reports.
 */
export function compare({ operands, json, markdown, html, junit }: Options): number {
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
  const report = readGivenJson(`compare: cannot read ${file}`, file, bounds().reportBytes)
  const parsed = reportSchema.safeParse(report)
  if (parsed.success) return parsed.data
  throw new UsageError(`compare: ${file} is not a report that --json wrote`)
}

function renderTable({ servers, rows, tiers, changes }: Comparison): string {
  const ofTier = (tier: Tier): string =>
    tiers.map((counts) => (counts === null ? '' : holdOf(counts[tier]))).join(' | ')
  return [
    '# Comparison',
    '',
    `| requirement | level | ${servers.map(cell).join(' | ')} |`,
    `|---|---|${servers.map(() => '---|').join('')}`,
    ...rows.map(({ id, level, outcomes }) => `| ${id} | ${level} | ${outcomes.join(' | ')} |`),
    ...TIERS.map((tier) => `| **${TIER_NAMES[tier]}** | | ${ofTier(tier)} |`),
    '',
    ...(changes ?? []).map(({ check, from, to }) => `- \`${check}\`: ${from}, then ${to}`),
    '',
  ].join('\n')
}
