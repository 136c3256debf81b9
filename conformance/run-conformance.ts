// The judge as a function for programs: the same as the command line, without printing, writing files or ending the
// process.
import type { RunEvents } from './subjects/server/run-checks.ts'
import type { Report } from './contract/report.ts'
import { type Redactor, createRedactor } from '../harness/redact.ts'
import { judge } from './subjects/server/judge.ts'
import { type ConformanceOptions, settingsOf } from './contract/settings.ts'

export type { ConformanceOptions } from './contract/settings.ts'
export type { Report, ReportCheck, ReportExchange } from './contract/report.ts'

export interface RunControl extends Partial<RunEvents> {
  readonly signal?: AbortSignal | undefined
}

/**
 * Judges one service and resolves to the report, whose `exitCode` is the verdict. Before it settles, it revokes every key
 * that it made and stops the server if it started one.
 *
 * If the signal is aborted after the target was reached, the report has `interrupted`, and unfinished checks are
 * inconclusive; before that, the promise is rejected with the signal's reason. It is rejected with a `UsageError`, a
 * `BaselineError` or a `StartError` (by `name`) if options cannot be used or the target cannot be reached.
 *
 * @param redactor gets every secret of the run; the report is redacted already
 */
export async function runConformance(
  options: ConformanceOptions & RunControl = {},
  redactor: Redactor = createRedactor(),
): Promise<Report> {
  const { onBegin = () => {}, onProgress = () => {}, onFault = () => {} } = options
  const settings = settingsOf(options)
  // Loaded after the options are read, so that a usage error is reported at once.
  const { fullCatalogue } = await import('./subjects/server/catalogue.ts')
  const signal = options.signal ?? new AbortController().signal
  return judge(settings, fullCatalogue(), redactor, signal, { onBegin, onProgress, onFault })
}
