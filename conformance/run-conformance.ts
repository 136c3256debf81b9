// The judge as a function, for programs: what the command line does, without printing, without files, and without
// ending the process.
import type { RunEvents } from './runner/judge-target.ts'
import type { Report } from './report/schema.ts'
import { type Redactor, createRedactor } from '../harness/redact.ts'
import { judge } from './runner/run.ts'
import { type ConformanceOptions, settingsOf } from './runner/settings.ts'

export type { ConformanceOptions } from './runner/settings.ts'
export type { Report, ReportCheck, ReportExchange } from './report/schema.ts'

/** What a run reports while it goes on, and what ends it early. */
export interface RunControl extends Partial<RunEvents> {
  readonly signal?: AbortSignal | undefined
}

/**
 * Judges one service and resolves to the report, whose `exitCode` is the verdict. Keys that were made are revoked and
 * a server that was started is stopped before it settles.
 *
 * Where the signal is aborted once the target has been reached, the report says `interrupted`, and what was not judged
 * is inconclusive; before that the promise is rejected with the signal's reason. It is rejected with a `UsageError`, a
 * `BaselineError` or a `StartError` (by `name`) where there is nothing to judge: options that cannot be used, a target
 * that cannot be reached.
 *
 * @param redactor hears of every secret of the run; the report is redacted already
 */
export async function runConformance(
  options: ConformanceOptions & RunControl = {},
  redactor: Redactor = createRedactor(),
): Promise<Report> {
  const { onBegin = () => {}, onProgress = () => {}, onFault = () => {} } = options
  const settings = settingsOf(options)
  // Not before the options are read: what is wrong with them is said at once.
  const { fullCatalogue } = await import('./catalogue/full-catalogue.ts')
  const signal = options.signal ?? new AbortController().signal
  return judge(settings, fullCatalogue(), redactor, signal, { onBegin, onProgress, onFault })
}
