// The command `client`: judges the program that stands behind `--`, or serves addresses for one that the judge cannot
// start.
import { createProgress } from '../../harness/cli/progress.ts'
import { type ConsoleOptions, consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/redact.ts'
import type { Options } from './options.ts'
import { print, printReport, writeReports } from './output.ts'
import { runClientConformance } from '../run-client-conformance.ts'
import { clientSettings } from '../clients/client-settings.ts'
import { serveClients } from '../clients/serve.ts'

/** Runs the command and returns its exit code. Throws as `runClientConformance` does. */
export async function client(options: Options, signal: AbortSignal, redactor: Redactor): Promise<number> {
  const { operands: command, models, serve } = options
  if (models.length > 1) throw new UsageError('--model: client takes one model')
  if (serve && command.length > 0) throw new UsageError('--serve: starts no program, leave the command out')
  const given = { ...options, command, model: models[0] }
  const terminal = consoleOptions(process.stdout, process.env)
  if (serve) {
    const report = await serveClients(clientSettings(given), signal, redactor, (text) =>
      print(text, process.env),
    )
    writeReports(report, options)
    printReport(report, terminal, process.env)
    return report.exitCode
  }
  const progress = createProgress(process.stderr, () => performance.now())
  const report = await runClientConformance(
    {
      ...given,
      signal,
      onBegin: (words, seed) => print(heading(words, seed, terminal), process.env),
      onProgress: progress.update,
    },
    redactor,
  ).finally(progress.end)
  writeReports(report, options)
  printReport(report, terminal, process.env)
  return report.exitCode
}

function heading(command: readonly string[], seed: number, terminal: ConsoleOptions): string {
  const pen = createPen(terminal)
  return `${pen.paint('bold', `Touchstone judges ${printable(command.join(' '))}`)}  ${pen.paint('gray', `client · seed ${seed}`)}\n`
}
