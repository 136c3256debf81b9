// npm run loadtest -- SCENARIO: runs k6 against a service and judges the result. Only this file writes to the terminal and
// to the named files.
import { writeFileSync } from 'node:fs'
import { StartError } from '../harness/reference-server.ts'
import { KeyCommandError } from '../harness/keys/key-command.ts'
import { createRedactor } from '../harness/redact.ts'
import { Interrupted, interruptible } from '../harness/cli/interruptible.ts'
import { consoleOptions } from '../harness/cli/pen.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { renderReport } from './report/html.ts'
import { readOptions } from './options.ts'
import { renderVerdict } from './report/render.ts'
import { K6Error } from './k6/run-k6.ts'
import { runLoadTest } from './run.ts'
import { exitCodeOf } from './judges/verdict.ts'

const redactor = createRedactor()
function say(line: string): void {
  process.stderr.write(`loadtest: ${redactor.text(line)}\n`)
}

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = readOptions(args)
  if (options.help !== undefined) {
    process.stdout.write(options.help)
    return 0
  }
  const result = await runLoadTest({ options, env: process.env, redactor, signal, say })
  if ('planned' in result) {
    process.stdout.write(`${JSON.stringify(result.planned)}\n`)
    return 0
  }
  const { verdict } = result
  if (options.json !== undefined)
    writeFileSync(options.json, redactor.text(`${JSON.stringify(verdict, undefined, 2)}\n`))
  if (options.html !== undefined)
    writeFileSync(options.html, renderReport(verdict, result.run, result.judgement.shown))
  process.stdout.write(redactor.text(renderVerdict(verdict, consoleOptions(process.stdout, process.env))))
  return exitCodeOf(verdict)
}

try {
  process.exitCode = await interruptible((signal) => main(process.argv.slice(2), signal))
} catch (error) {
  const expected = [UsageError, StartError, KeyCommandError, K6Error, Interrupted].some(
    (kind) => error instanceof kind,
  )
  say(error instanceof Error && expected ? error.message : String(Object(error).stack ?? error))
  process.exitCode = error instanceof Interrupted ? error.exitCode : 2
}
