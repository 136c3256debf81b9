// The command `gateway`: judges a gateway between clients and a service.
import { createProgress } from '../../harness/cli/progress.ts'
import { consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/redact.ts'
import { judgeGateway } from '../gateways/judge-gateway.ts'
import type { Options } from './options.ts'
import { print, printReport, writeReports } from './output.ts'

/** Runs the command and returns its exit code. Throws as `judgeGateway` does. */
export async function gateway(options: Options, signal: AbortSignal, redactor: Redactor): Promise<number> {
  const { models, operands: command } = options
  if (models.length > 1) throw new UsageError('--model: gateway takes one model')
  const terminal = consoleOptions(process.stdout, process.env)
  const pen = createPen(terminal)
  const progress = createProgress(process.stderr, () => performance.now())
  const report = await judgeGateway(
    {
      ...options,
      model: models[0],
      command,
      signal,
      onUpstream({ baseUrl, generatedKey }) {
        if (command.length > 0) return
        const key = generatedKey ?? 'the one in CONFORMANCE_UPSTREAM_KEY'
        process.stdout.write(
          `Configure the gateway with this upstream, in the OpenAI format:\n` +
            `  address  ${baseUrl}  (with ${baseUrl}/v1 for those that want it)\n` +
            `  key      ${key}\n` +
            `  model    any name\n\n`,
        )
      },
      onBegin({ baseUrl }, model, seed) {
        const heading = pen.paint('bold', `Touchstone judges ${printable(baseUrl)}`)
        const run = pen.paint('gray', `gateway · model ${printable(model)} · seed ${seed}`)
        print(`${heading}  ${run}\n`, process.env)
      },
      onProgress: progress.update,
    },
    redactor,
  ).finally(progress.end)
  writeReports(report, options)
  printReport(report, terminal, process.env)
  return report.exitCode
}
