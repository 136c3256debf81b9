// The judge's command line. Prints, writes reports and ends with the exit code that the verdict stands for.
import { writeFileSync } from 'node:fs'
import { BaselineError } from './baseline.ts'
import type { Catalogue } from './catalogue.ts'
import { compare } from './compare.ts'
import { explain } from './explain.ts'
import { HELP } from './help.ts'
import { list } from './list.ts'
import { mutants } from './mutants/command.ts'
import { type Options, REPORT_FLAGS, type ReportFormat, readOptions } from './options.ts'
import { createRedactor } from './redact.ts'
import { StartError } from './reference-server.ts'
import { renderConsole, renderHeading } from './report/console.ts'
import { renderHtml } from './report/html.ts'
import { renderJunit } from './report/junit.ts'
import { renderMarkdown } from './report/markdown.ts'
import { consoleOptions } from './report/pen.ts'
import { createProgress } from './report/progress.ts'
import type { Report } from './report/schema.ts'
import { type RunEvents, judge } from './run.ts'
import { UsageError } from './usage-error.ts'

const renderers: Record<ReportFormat, (report: Report) => string> = {
  json: (report) => `${JSON.stringify(report, undefined, 2)}\n`,
  junit: renderJunit,
  html: renderHtml,
  markdown: renderMarkdown,
}

/** Ends a run that was interrupted; the exit code is the shell's for that signal. */
class Interrupted extends Error {
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted')
    this.exitCode = signal === 'SIGINT' ? 130 : 143
  }
}

/** Knows every secret of this run: whatever is printed or written goes through it. */
const redactor = createRedactor()

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args, process.env)
  if (options.help) {
    process.stdout.write(HELP)
    return 0
  }
  // Not before the options are read: what is wrong with them is said at once. And a case that cannot be loaded is an
  // error of the suite, with its exit code.
  const { fullCatalogue } = await import('./full-catalogue.ts')
  const catalogue = fullCatalogue()
  for (const secret of options.credentials.secrets.keys()) redactor.add(secret)
  // What a short header says is hidden where it is sent; everywhere else it is a word like any other.
  for (const value of Object.values(options.headers)) if (value.length >= 8) redactor.add(value)
  switch (options.command) {
    case 'run':
      return run(options, catalogue)
    case 'list':
      process.stdout.write(list(options, catalogue))
      return 0
    case 'explain':
      return explain(options, catalogue, (only) => runQuietly({ ...options, only }, catalogue))
    case 'mutants':
      return interruptible((signal) => mutants(options, catalogue, signal))
    case 'compare':
      return compare(options)
    case 'client':
      throw new UsageError(`${options.command}: not available yet`)
  }
}

async function run(options: Options, catalogue: Catalogue): Promise<number> {
  const look = consoleOptions(process.stdout, process.env)
  const progress = createProgress(process.stderr, () => performance.now())
  const report = await interruptible((signal) =>
    judge(options, catalogue, redactor, signal, {
      onBegin: (target, seed) => process.stdout.write(renderHeading(target, seed, look)),
      onProgress: progress.update,
      onFault: complain,
    }).finally(progress.end),
  )
  for (const format of REPORT_FLAGS) {
    const file = options.reports[format]
    if (file !== undefined) writeFileSync(file, renderers[format](report))
  }
  process.stdout.write(renderConsole(report, look))
  return report.exitCode
}

function runQuietly(options: Options, catalogue: Catalogue): Promise<Report> {
  const events: RunEvents = { onBegin() {}, onProgress() {}, onFault: complain }
  return interruptible((signal) => judge(options, catalogue, redactor, signal, events))
}

/** Gives the first SIGINT or SIGTERM to the run, which then cleans up; a second one ends the process at once. */
async function interruptible<Result>(action: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const interrupt = (name: 'SIGINT' | 'SIGTERM') => (): void => {
    const reason = new Interrupted(name)
    if (controller.signal.aborted) process.exit(reason.exitCode)
    controller.abort(reason)
  }
  const [onInt, onTerm] = [interrupt('SIGINT'), interrupt('SIGTERM')]
  process.on('SIGINT', onInt).on('SIGTERM', onTerm)
  try {
    return await action(controller.signal)
  } finally {
    process.off('SIGINT', onInt).off('SIGTERM', onTerm)
  }
}

function complain(message: string): void {
  process.stderr.write(`conformance: ${redactor.text(message)}\n`)
}

// A reader that goes away, as `head` does, is no error of the judge.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof Interrupted) {
    complain('interrupted; everything that was made is revoked and stopped')
    process.exitCode = error.exitCode
  } else {
    const expected = [UsageError, BaselineError, StartError].some((kind) => error instanceof kind)
    complain(
      error instanceof Error && !expected ? (error.stack ?? error.message) : String(Object(error).message),
    )
    process.exitCode = 2
  }
}
// Nothing may keep a finished judge from ending, as a case that was left behind would.
setTimeout(() => process.exit(), 1_000).unref()
