// The judge of clients as a function for programs: the same as `client -- COMMAND`, without printing, writing files or
// ending the process.
import { type ClientConformanceOptions, type ClientRunControl, loadClient } from './subjects/index.ts'
import { type Redactor, createRedactor } from '../harness/secrets/redact.ts'
import { judgeAndBundle } from './bundle/write-file.ts'
import type { Report } from './contract/report.ts'
import { outsideOfScopes } from '../harness/containment.ts'

export type { ClientConformanceOptions, ClientRunControl } from './subjects/index.ts'
export type { Report, ReportCheck, ReportExchange } from './contract/report.ts'

/**
 * Judges one program that calls a service and resolves to the report, whose `exitCode` is the verdict. Every started
 * process has ended before it settles. The report of an aborted run has `interrupted`. Rejects with a `UsageError` or a
 * `BaselineError` (by `name`) if options cannot be used, or the program cannot be started or makes no request.
 *
 * @param redactor gets every secret of the run; the report is redacted already
 */
export async function runClientConformance(
  given: ClientConformanceOptions & ClientRunControl,
  redactor: Redactor = createRedactor(),
): Promise<Report> {
  const client = await loadClient()
  const { onBegin, onProgress, onFault } = given
  const options = {
    ...given,
    ...(onBegin && { onBegin: outsideOfScopes(onBegin) }),
    ...(onProgress && { onProgress: outsideOfScopes(onProgress) }),
    ...(onFault && { onFault: outsideOfScopes(onFault) }),
  }
  return judgeAndBundle(
    options,
    async () =>
      (await import('./bundle/record-run.ts')).createRunRecorder('client', options, options.command),
    (recorder) => client.judge(options, redactor, recorder),
  )
}
