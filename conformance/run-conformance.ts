// The judge as a function for programs: the same as the command line, without printing, writing files or ending the
// process.
import { readFileSync, writeFileSync } from 'node:fs'
import { UsageError } from '../harness/cli/usage-error.ts'
import type { Bundle } from './bundle/bundle-file.ts'
import type { Verification } from './bundle/verify-bundle.ts'
import type { RunEvents } from './contract/run-events.ts'
import type { Report } from './contract/report.ts'
import { type Redactor, createRedactor } from '../harness/redact.ts'
import { loadServer } from './subjects/index.ts'
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
  const server = await loadServer()
  const signal = options.signal ?? new AbortController().signal
  const events = { onBegin, onProgress, onFault }
  const { bundle, sign } = options
  if (bundle === undefined) {
    if (sign !== undefined) throw new UsageError('--sign: there is nothing to sign without --bundle')
    return server.judge(settings, server.catalogue, redactor, signal, events)
  }
  const [{ createRunRecorder }, { readSignKey }] = await Promise.all([
    import('./bundle/record-run.ts'),
    import('./bundle/signature.ts'),
  ])
  const key = sign === undefined ? undefined : readSignKey(sign)
  const recorder = createRunRecorder(options)
  const report = await server.judge(settings, server.catalogue, redactor, signal, events, recorder.transport)
  const recorded = recorder.bundle(report, key)
  if (typeof recorded === 'string') onFault(`--bundle: ${recorded}, so none is written`)
  else writeFileSync(bundle, recorded)
  return report
}

export interface VerifiedRun extends Verification {
  readonly bundle: Bundle
}

/**
 * Judges a bundle again, without any network. Rejects with a `BundleError` (by `name`) if the file is damaged or is not a bundle.
 */
export async function verifyRun(file: string): Promise<VerifiedRun> {
  const [{ readBundle }, { verifyBundle }] = await Promise.all([
    import('./bundle/bundle-file.ts'),
    import('./bundle/verify-bundle.ts'),
  ])
  const bundle = readBundle(readFileSync(file))
  const server = await loadServer()
  const signal = new AbortController().signal
  const events = { onBegin() {}, onProgress() {}, onFault() {} }
  const verification = await verifyBundle(bundle, (options, transport) =>
    server.judge(settingsOf(options), server.catalogue, createRedactor(), signal, events, transport),
  )
  return { bundle, ...verification }
}
