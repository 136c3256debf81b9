// The judge of clients as a function, for programs: what `client -- COMMAND` does, without printing, without files, and
// without ending the process.
import type { ClientConformanceOptions, ClientRunControl } from './clients/client-settings.ts'
import { judgeCommand } from './clients/judge-command.ts'
import { type Redactor, createRedactor } from '../harness/redact.ts'
import type { Report } from './report/schema.ts'

export type { ClientConformanceOptions, ClientRunControl } from './clients/client-settings.ts'
export type { Report, ReportCheck, ReportExchange } from './report/schema.ts'

/**
 * Judges one program that calls a service and resolves to the report, whose `exitCode` is the verdict. Every process
 * that was started has ended before it settles. An aborted run is reported with `interrupted`. Rejects with a
 * `UsageError` or a `BaselineError` (by `name`) where there is nothing to judge: options that cannot be used, a program
 * that cannot be started or that makes no request.
 *
 * @param redactor hears of every secret of the run; the report is redacted already
 */
export async function runClientConformance(
  options: ClientConformanceOptions & ClientRunControl,
  redactor: Redactor = createRedactor(),
): Promise<Report> {
  return judgeCommand(options, redactor)
}
