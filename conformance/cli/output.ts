// Writes a report to the requested files and the console, and in a job of GitHub Actions to its log and summary.
import { describePace } from '../facts/pace.ts'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import type { Options } from './judge-options.ts'
import { renderBaseline } from '../contract/baseline.ts'
import { FIXED_SEED } from '../contract/settings.ts'
import { renderConsole, renderHeading } from '../report/console-report.ts'
import { issuesOf } from '../report/markdown/issues.ts'
import { makeFolder } from '../../harness/cli/flag-values.ts'
import { FORMS, renderReport } from '../report/render-report.ts'
import {
  type Note,
  renderAnnotations,
  renderJobSummary,
  renderNotes,
  renderNoVerdict,
} from '../report/markdown/github.ts'
import { consoleOptions } from '../../harness/cli/pen.ts'
import { createProgress, duration } from '../../harness/cli/progress.ts'
import type { ExpectedCost, RunEvents } from '../contract/run-events.ts'
import type { Report } from '../contract/report.ts'

/** A run up to this time needs no announcement, in seconds. */
const SHORT_SECONDS = 5

/** How a command ends a run: the report that is shown, and what is said beside it. */
export interface Ending {
  readonly report: Report
  readonly notes?: readonly Note[]
  /** Further files that the command has written. */
  readonly files?: readonly string[]
}

/** Judges with a line of progress, which counts `units`; writes and prints the report, and returns its exit code. */
export async function reported(
  options: Options,
  judge: (onProgress: RunEvents['onProgress']) => Promise<Report>,
  units?: string,
  end: (report: Report) => Ending = (report) => ({ report }),
): Promise<number> {
  const progress = createProgress(process.stderr, () => performance.now(), units)
  const judged = await judge(progress.update).finally(progress.end)
  const { report, notes = [], files = [] } = end(judged)
  const written = [...(await writeReports(report, options)), ...files]
  printReport(report, notes, written)
  return report.exitCode
}

/** Writes the reports of one run to the files that the options name, and returns the written ones. Throws the first error when all others are written. */
async function writeReports(report: Report, options: Options): Promise<readonly string[]> {
  const errors: unknown[] = []
  const own = (file: string): string =>
    options.models.length > 1 ? fileOfModel(file, report.target.model) : file
  // The run itself has written these.
  const written = [options.bundle, options.capture].filter((file) => file !== undefined && existsSync(file))
  for (const format of FORMS) {
    const file = options[format]
    if (file === undefined) continue
    try {
      writeFileSync(own(file), await renderReport(report, format))
      written.push(own(file))
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  if (options.issues !== undefined) written.push(...writeIssues(report, own(options.issues)))
  const { writeBaseline: file } = options
  if (file !== undefined && writeNewBaseline(report, own(file))) written.push(own(file))
  return written.filter((each) => each !== undefined)
}

/** Writes a file for each finding, and returns the files. Throws `UsageError` if the folder cannot be made. */
function writeIssues(report: Report, folder: string): readonly string[] {
  makeFolder(folder, '--issues')
  return issuesOf(report).map(({ file, text }) => {
    const path = join(folder, file)
    writeFileSync(path, text)
    return path
  })
}

/** Replaces the file as a whole, and returns true. A run that did not judge everything has no baseline: the file stays as it is. */
function writeNewBaseline({ interrupted, endedEarly, exitCode, checks }: Report, file: string): boolean {
  if (interrupted === true || endedEarly !== undefined || exitCode === 2) {
    process.stderr.write(
      `conformance: --write-baseline: the run is not complete, so ${file} is not written\n`,
    )
    return false
  }
  replaceFile(file, renderBaseline(checks))
  return true
}

/** Replaces a file as a whole. */
export function replaceFile(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    writeFileSync(unfinished, text)
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** The file for the report of one model of several: `report.json` becomes `report.MODEL.json`. */
function fileOfModel(file: string, model: string): string {
  const ending = extname(file)
  return `${file.slice(0, file.length - ending.length)}.${model.replace(/[^\w.-]/g, '_')}${ending}`
}

/** Prints what may hold text of a server: in a job of GitHub Actions they must not give orders to its runner. */
export function print(text: string): void {
  const token = randomUUID()
  process.stdout.write(isGitHubJob() ? `::stop-commands::${token}\n${text}\n::${token}::\n` : text)
}

const isGitHubJob = (): boolean => process.env['GITHUB_ACTIONS'] === 'true'

/** The seed for the first line of a run, with a remark if it is the fixed one. */
export function seedFact(seed: number, { seed: given }: Pick<Options, 'seed'>): string {
  const isFixed = given === undefined && seed === FIXED_SEED
  return isFixed ? `seed ${seed}, the same each time (--seed random draws one)` : `seed ${seed}`
}

/** Prints the first line of a run, and what follows it. */
export function printHeading(subject: string, facts: readonly string[], more = ''): void {
  print(renderHeading(subject, facts, consoleOptions(process.stdout, process.env)) + more)
}

/** The expected cost of a run that takes more than a few seconds. */
export function renderExpected({ requests, seconds, pace }: ExpectedCost, { quick }: Pick<Options, 'quick'>) {
  if (seconds !== undefined && seconds.most < SHORT_SECONDS) return ''
  const hint = quick ? '' : '; --quick sends far fewer'
  const model = pace === undefined ? '' : ` (a slow model: ${describePace(pace)})`
  const time = seconds === undefined ? '; the model still loads' : `, probably ${range(seconds)}`
  return `About ${Number(requests.toPrecision(2))} requests${time}${model}${hint}\n`
}

function range({ least, most }: NonNullable<ExpectedCost['seconds']>): string {
  const [from, to] = [duration(least), duration(most)]
  return from === to ? from : `${from} to ${to}`
}

/** Prints a report; in a job of GitHub Actions what does not hold becomes annotations, and the job gets a summary. */
function printReport(report: Report, notes: readonly Note[], files: readonly string[]): void {
  const folders = Map.groupBy(files, (file) => shownFolder(dirname(file)))
  const named = Array.from(folders, ([folder, own]) => {
    const names = own.map((file) => basename(file)).join(', ')
    return `Wrote ${folder === '' || own.length === 1 ? join(folder, names) : `in ${folder}: ${names}`}`
  })
  const lines = [...notes.map(({ text }) => text), ...named]
  print(renderConsole(report, consoleOptions(process.stdout, process.env), lines))
  if (isGitHubJob()) process.stdout.write(renderAnnotations(report) + renderNotes(notes))
  addToSummary(renderJobSummary(report, notes))
}

/** A folder below the working directory by its relative path, and any other by its whole one. */
function shownFolder(folder: string): string {
  const below = relative('', folder)
  return below.startsWith('..') ? resolve(folder) : below
}

/** Adds to the summary of the step, if the job has one. */
function addToSummary(text: string): void {
  const { GITHUB_STEP_SUMMARY: summary } = process.env
  if (summary) appendFileSync(summary, text)
}

/** Reports a run that ends without a verdict: in a job of GitHub Actions as an annotation and a summary too. */
export function reportNoVerdict(message: string): void {
  const { CONFORMANCE_API_KEY: key, GITHUB_EVENT_NAME: event } = process.env
  const isFork = !key && event === 'pull_request' && message.includes('CONFORMANCE_API_KEY')
  const text = isFork ? `${message} (GitHub gives no secrets to pull requests of forks)` : message
  if (isGitHubJob()) process.stdout.write(renderNotes([{ kind: 'error', text }]))
  addToSummary(renderNoVerdict(text))
}
