// Writes a report to the requested files and the console, and in a job of GitHub Actions to its log and summary.
import { describePace } from '../target/pace.ts'
import { randomUUID } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Options, ReportFormat } from './options.ts'
import { renderBadge } from '../report/badge.ts'
import { renderConsole } from '../report/console.ts'
import { renderAnnotations, renderJobSummary } from '../report/github.ts'
import { renderHtml } from '../report/html/html.ts'
import { renderJunit } from '../report/junit.ts'
import { renderMarkdown } from '../report/markdown.ts'
import type { ConsoleOptions } from '../../harness/cli/pen.ts'
import { duration } from '../../harness/cli/progress.ts'
import type { ExpectedCost } from '../runner/judge-target.ts'
import type { Report } from '../report/schema.ts'
import type { Environment } from '../runner/settings.ts'

/** A run up to this time needs no announcement, in seconds. */
const SHORT_SECONDS = 5

const RENDERERS: readonly (readonly [ReportFormat, (report: Report) => string])[] = [
  ['json', (report) => `${JSON.stringify(report, undefined, 2)}\n`],
  ['junit', renderJunit],
  ['html', renderHtml],
  ['markdown', renderMarkdown],
  ['badge', renderBadge],
]

/** Writes the reports of one run to the files that the options name. */
export function writeReports(report: Report, { reports, models }: Pick<Options, 'reports' | 'models'>): void {
  for (const [format, render] of RENDERERS) {
    const file = reports[format]
    if (file === undefined) continue
    const own = models.length > 1 ? fileOfModel(file, report.target.model) : file
    writeFileSync(own, render(report))
  }
}

/** Where the report of one model of several is written: `report.json` is `report.MODEL.json`. */
export function fileOfModel(file: string, model: string): string {
  const ending = extname(file)
  return `${file.slice(0, file.length - ending.length)}.${model.replace(/[^\w.-]/g, '_')}${ending}`
}

/** Prints what may hold text of a server: in a job of GitHub Actions they must not give orders to its runner. */
export function print(text: string, env: Environment): void {
  const token = randomUUID()
  const isRead = env['GITHUB_ACTIONS'] === 'true'
  process.stdout.write(isRead ? `::stop-commands::${token}\n${text}\n::${token}::\n` : text)
}

/** The expected cost of a run that takes more than a few seconds. */
export function renderExpected(
  { requests, seconds, pace }: ExpectedCost,
  { quick }: Pick<Options, 'quick'>,
): string {
  if (seconds !== undefined && seconds < SHORT_SECONDS) return ''
  const hint = quick ? '' : '; --quick sends far fewer'
  const model = pace === undefined ? '' : ` (a slow model: ${describePace(pace)})`
  const time = seconds === undefined ? '; the model still loads' : `, probably ${duration(seconds)}`
  return `About ${Number(requests.toPrecision(2))} requests${time}${model}${hint}\n`
}

/** Prints a report; in a job of GitHub Actions what does not hold becomes annotations, and the job gets a summary. */
export function printReport(report: Report, terminal: ConsoleOptions, env: Environment): void {
  print(renderConsole(report, terminal), env)
  if (env['GITHUB_ACTIONS'] !== 'true') return
  process.stdout.write(renderAnnotations(report))
  if (env['GITHUB_STEP_SUMMARY']) appendFileSync(env['GITHUB_STEP_SUMMARY'], renderJobSummary(report))
}
