// npm run fuzz: attacks a service and reports the violations. Only this file writes to the terminal and to the named files.
import { writeFileSync } from 'node:fs'
import { Interrupted, interruptible } from '../../harness/cli/interruptible.ts'
import { consoleOptions } from '../../harness/cli/pen.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { KeyCommandError } from '../../harness/keys/key-command.ts'
import { createRedactor } from '../../harness/redact.ts'
import { StartError } from '../../harness/reference-server.ts'
import { readOptions } from './flags.ts'
import { runFuzz } from './fuzz.ts'
import { renderReport } from './render.ts'
import { openTarget } from './target.ts'

/** The minimum time between two updates of the progress line, in milliseconds. */
const REFRESH_MS = 500

const redactor = createRedactor()
let shownAt = 0

/** Updates one line on a terminal; prints nothing elsewhere. */
function showProgress(requests: number, seconds: number): void {
  if (!process.stderr.isTTY || performance.now() - shownAt < REFRESH_MS) return
  shownAt = performance.now()
  process.stderr.write(`\r\u001b[2K${requests} requests, ${Math.round(seconds)} s`)
}

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = readOptions(args)
  if (options.help !== undefined) {
    process.stdout.write(options.help)
    return 0
  }
  const target = await openTarget(options, process.env, redactor, signal)
  try {
    const report = await runFuzz({ options, target, signal, onProgress: showProgress })
    if (shownAt > 0) process.stderr.write('\r\u001b[2K')
    if (options.json !== undefined)
      writeFileSync(options.json, redactor.text(`${JSON.stringify(report, undefined, 2)}\n`))
    process.stdout.write(redactor.text(renderReport(report, consoleOptions(process.stdout, process.env))))
    return report.violations.length === 0 ? 0 : 1
  } finally {
    await target.close()
  }
}

try {
  process.exitCode = await interruptible((signal) => main(process.argv.slice(2), signal))
} catch (error) {
  const expected = [UsageError, StartError, KeyCommandError, Interrupted].some(
    (kind) => error instanceof kind,
  )
  const text = error instanceof Error && expected ? error.message : String(Object(error).stack ?? error)
  process.stderr.write(`fuzz: ${redactor.text(text)}\n`)
  process.exitCode = error instanceof Interrupted ? error.exitCode : 2
}
