// npm run loadtest: sends load to a service and judges the result. Only this file writes to the terminal and to the named
// files.
import { writeFileSync } from 'node:fs'
import { StartError } from '../harness/reference-server.ts'
import { KeyCommandError } from '../harness/keys/key-command.ts'
import { createRedactor } from '../harness/redact.ts'
import { consoleOptions } from '../harness/cli/pen.ts'
import { runProgram } from '../harness/cli/run-program.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { renderReport } from './report/html.ts'
import { renderBreakpointPage } from './report/breakpoint-page.ts'
import { renderComparisonPage } from './report/comparison-page.ts'
import { renderLatencyPage } from './report/latency-page.ts'
import { serveClock } from './run/serve-clock.ts'
import { findBreakpoint } from './run/find-breakpoint.ts'
import { compareLatency, readLatency } from './latency/compare-latency.ts'
import { renderBreakpoint } from './report/render-breakpoint.ts'
import { renderComparison } from './report/render-comparison.ts'
import { renderLatency } from './report/render-latency.ts'
import { GeneratorError } from './generator/run-generators.ts'
import { measureLatency } from './run/measure-latency.ts'
import { type Options, readOptions } from './run/loadtest-options.ts'
import { renderVerdict } from './report/render.ts'
import { K6Error } from './k6/run-k6.ts'
import { runLoadTest } from './run/run-load-test.ts'
import { exitCodeOf } from './judges/load-verdict.ts'

const redactor = createRedactor()
function say(line: string): void {
  process.stderr.write(`loadtest: ${redactor.text(line)}\n`)
}

async function run(options: Options, signal: AbortSignal): Promise<number> {
  const terminal = consoleOptions(process.stdout, process.env)
  const print = (text: string): void => void process.stdout.write(redactor.text(text))
  const test = { options, env: process.env, redactor, signal, say }
  if (options.command === 'clock') {
    await serveClock({ port: options.listen, scenario: options.script, signal, print })
    return 0
  }
  if (options.command === 'latency') {
    const measured = await measureLatency(test)
    if ('planned' in measured) print(`${JSON.stringify(measured.planned)}\n`)
    if ('planned' in measured) return 0
    writeReports(options, measured.verdict, () => renderLatencyPage(measured.verdict))
    print(renderLatency(measured.verdict, terminal))
    return exitCodeOf(measured.verdict)
  }
  if (options.command === 'compare') return compare(options, print)
  if (options.isOfStreams) {
    const verdict = await findBreakpoint(test)
    writeReports(options, verdict, () => renderBreakpointPage(verdict))
    print(renderBreakpoint(verdict, terminal))
    return exitCodeOf(verdict)
  }
  const { scenario } = options
  if (scenario === undefined) throw new UsageError('expected a scenario')
  const result = await runLoadTest({ ...test, options: { ...options, scenario } })
  if ('planned' in result) {
    print(`${JSON.stringify(result.planned)}\n`)
    return 0
  }
  const { verdict, run, judgement } = result
  writeReports(options, verdict, () => renderReport(verdict, run, judgement.shown))
  print(renderVerdict(verdict, terminal))
  return exitCodeOf(verdict)
}

function compare(options: Options, print: (text: string) => void): number {
  const [a = '', b = ''] = options.operands
  const runs = [readLatency(a), readLatency(b)] as const
  const differences = compareLatency(...runs)
  writeReports(options, { schema: 'touchstone.latency-comparison/1', a, b, differences }, () =>
    renderComparisonPage([a, b], runs, differences),
  )
  print(renderComparison([a, b], runs, differences, consoleOptions(process.stdout, process.env)))
  return 0
}

/** Writes the files that the options name. */
function writeReports({ json, html }: Options, verdict: object, page: () => string): void {
  if (json !== undefined) writeFileSync(json, redactor.text(`${JSON.stringify(verdict, undefined, 2)}\n`))
  if (html !== undefined) writeFileSync(html, redactor.text(page()))
}

await runProgram({
  name: 'loadtest',
  read: readOptions,
  expected: [StartError, KeyCommandError, K6Error, GeneratorError],
  safe: redactor.text,
  run,
})
