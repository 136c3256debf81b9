// npm run loadtest: sends load to a service and judges the result. Only this file writes to the terminal and to the named
// files.
import { writeFileSync } from 'node:fs'
import { StartError } from '../harness/reference-server.ts'
import { KeyCommandError } from '../harness/keys/key-command.ts'
import { createRedactor } from '../harness/secrets/redact.ts'
import { consoleOptions } from '../harness/cli/pen.ts'
import { runProgram } from '../harness/cli/run-program.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { serveClock } from './run/serve-clock.ts'
import { judgeGenerator } from './run/judge-generator.ts'
import { findBreakpoint } from './run/find-breakpoint.ts'
import { compareLatency, readLatency } from './latency/compare-latency.ts'
import { GeneratorError } from './generator/run-generators.ts'
import { measureLatency } from './run/measure-latency.ts'
import { type LoadTestOptions, readOptions } from './run/loadtest-options.ts'
import { K6Error } from './k6/run-k6.ts'
import { breakpointSheet } from './report/breakpoint-sheet.ts'
import { comparisonSheet } from './report/comparison-sheet.ts'
import { renderConsole } from './report/sheet-console.ts'
import { generatorSheet } from './report/generator-sheet.ts'
import { latencySheet } from './report/latency-sheet.ts'
import { loadSheet } from './report/load-sheet.ts'
import { renderPage } from './report/sheet-page.ts'
import type { Sheet } from './report/sheet.ts'
import { runLoadTest } from './run/run-load-test.ts'
import { type VerdictWord, exitCodeOf } from './judges/load-verdict.ts'

const redactor = createRedactor()
// An address of the command line may have a key.
for (const word of process.argv) redactor.addAddresses(word)
const print = (text: string): void => void process.stdout.write(redactor.text(text))
function say(line: string): void {
  process.stderr.write(`loadtest: ${redactor.text(line)}\n`)
}

async function run(options: LoadTestOptions, signal: AbortSignal): Promise<number> {
  const test = { options, env: process.env, redactor, signal, say }
  switch (options.command) {
    case 'clock':
      await serveClock({ port: options.listen, scenario: options.script, signal, print })
      return 0
    case 'compare':
      return compare(options)
    case 'judge':
      return report(options, await judgeGenerator(test), generatorSheet)
    case 'latency': {
      const result = await measureLatency(test)
      return 'planned' in result ? plan(result.planned) : report(options, result.verdict, latencySheet)
    }
  }
  if (options.isOfStreams) return report(options, await findBreakpoint(test), breakpointSheet)
  const { scenario } = options
  if (scenario === undefined) throw new UsageError('expected a scenario')
  const result = await runLoadTest({ ...test, options: { ...options, scenario } })
  if ('planned' in result) return plan(result.planned)
  const { run, judgement } = result
  return report(options, result.verdict, (verdict) => loadSheet(verdict, run, judgement.shown))
}

function compare(options: LoadTestOptions): number {
  const [a = '', b = ''] = options.operands
  const runs = [readLatency(a), readLatency(b)] as const
  const differences = compareLatency(...runs)
  const json = { schema: 'touchstone.latency-comparison/1', a, b, differences, verdict: undefined }
  return report(options, json, () => comparisonSheet([a, b], runs, differences))
}

function plan(planned: object): number {
  print(`${JSON.stringify(planned)}\n`)
  return 0
}

/** Writes the files that the options name, and prints the report. Returns the exit code. */
function report<Json extends { readonly verdict: VerdictWord | undefined }>(
  { json, html }: LoadTestOptions,
  verdict: Json,
  sheetOf: (verdict: Json) => Sheet,
): number {
  const sheet = sheetOf(verdict)
  if (json !== undefined) writeFileSync(json, redactor.text(`${JSON.stringify(verdict, undefined, 2)}\n`))
  if (html !== undefined) writeFileSync(html, redactor.text(renderPage(sheet)))
  print(renderConsole(sheet, consoleOptions(process.stdout, process.env)))
  return verdict.verdict === undefined ? 0 : exitCodeOf({ verdict: verdict.verdict })
}

await runProgram({
  name: 'loadtest',
  read: readOptions,
  expected: [StartError, KeyCommandError, K6Error, GeneratorError],
  safe: redactor.text,
  run,
})
