// npx touchstone fuzz: attacks a service and reports the violations. Only this file writes to the terminal and to the named files.
import { writeFileSync } from 'node:fs'
import { consoleOptions } from '../../../harness/cli/pen.ts'
import { runProgram } from '../../../harness/cli/run-program.ts'
import { KeyCommandError } from '../../../harness/keys/key-command.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { StartError } from '../../../harness/reference-server.ts'
import { type FuzzOptions, readOptions } from './fuzz-flags.ts'
import { runFuzz } from './fuzz.ts'
import { renderReport } from './render-fuzz-report.ts'
import { openTarget } from './fuzz-target.ts'

/** The minimum time between two updates of the progress line, in milliseconds. */
const REFRESH_MS = 500

const redactor = createRedactor()
// An address of the command line may have a key.
for (const word of process.argv) redactor.addAddresses(word)
let shownAt = 0

/** Updates one line on a terminal; prints nothing elsewhere. */
function showProgress(requests: number, seconds: number): void {
  if (!process.stderr.isTTY || performance.now() - shownAt < REFRESH_MS) return
  shownAt = performance.now()
  process.stderr.write(`\r\u001b[2K${requests} requests, ${Math.round(seconds)} s`)
}

/** Writes a report and its text, and returns the exit code. */
function print(
  { json }: FuzzOptions,
  report: { readonly violations: readonly unknown[] },
  text: string,
): number {
  if (shownAt > 0) process.stderr.write('\r\u001b[2K')
  if (json !== undefined) writeFileSync(json, redactor.text(`${JSON.stringify(report, undefined, 2)}\n`))
  process.stdout.write(redactor.text(text))
  return report.violations.length === 0 ? 0 : 1
}

async function attackJudge(options: FuzzOptions, signal: AbortSignal): Promise<number> {
  const { renderJudgeReport } = await import('./judge/render-judge-report.ts')
  const fuzz = { options, redactor, signal, onProgress: showProgress }
  const report =
    options.objective === 'files'
      ? await (await import('./files/fuzz-files.ts')).fuzzFiles(fuzz)
      : await (await import('./judge/fuzz-judge.ts')).fuzzJudge(fuzz)
  return print(options, report, renderJudgeReport(report, consoleOptions(process.stdout, process.env)))
}

await runProgram({
  name: 'fuzz',
  read: readOptions,
  expected: [StartError, KeyCommandError],
  safe: redactor.text,
  async run(options, signal) {
    if (options.objective === 'judge' || options.objective === 'files') return attackJudge(options, signal)
    await using target = await openTarget(options, process.env, redactor, signal)
    const report = await runFuzz({ options, target, signal, onProgress: showProgress })
    return print(options, report, renderReport(report, consoleOptions(process.stdout, process.env)))
  },
})
