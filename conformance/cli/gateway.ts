// The command `gateway`: judges a gateway between clients and a service.
import { createProgress } from '../../harness/cli/progress.ts'
import { consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Redactor } from '../../harness/redact.ts'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { type UpstreamToConfigure, judgeGateway } from '../gateways/judge-gateway.ts'
import { judgeThrough } from '../gateways/judge-through.ts'
import type { Options } from './options.ts'
import { print, printReport, writeReports } from './output.ts'

/** Runs the command and returns its exit code. Throws as `judgeGateway` does. */
export async function gateway(options: Options, signal: AbortSignal, redactor: Redactor): Promise<number> {
  const { models, operands: command, upstream, ...given } = options
  if (models.length > 1) throw new UsageError('--model: gateway takes one model')
  const terminal = consoleOptions(process.stdout, process.env)
  const pen = createPen(terminal)
  const progress = createProgress(process.stderr, () => performance.now())
  const run = {
    ...given,
    model: models[0],
    command,
    signal,
    onUpstream({ baseUrl, generatedKey }: UpstreamToConfigure) {
      if (command.length > 0) return
      const key = generatedKey ?? (upstream === undefined ? 'the one in CONFORMANCE_UPSTREAM_KEY' : 'its own')
      const model = upstream === undefined ? 'any name' : 'as it has it'
      process.stdout.write(
        `Configure the gateway with this upstream, in the OpenAI format:\n` +
          `  address  ${baseUrl}  (with ${baseUrl}/v1 for those that want it)\n` +
          `  key      ${key}\n` +
          `  model    ${model}\n\n`,
      )
    },
    onBegin({ baseUrl }: { readonly baseUrl: string }, model: string, seed: number) {
      const heading = pen.paint('bold', `Touchstone judges ${printable(baseUrl)}`)
      const facts = pen.paint('gray', `gateway · model ${printable(model)} · seed ${seed}`)
      print(`${heading}  ${facts}\n`, process.env)
    },
    onProgress: progress.update,
  }
  const judging =
    upstream === undefined
      ? judgeGateway(run, redactor)
      : judgeThrough({ ...run, upstreamUrl: upstream }, fullCatalogue(), redactor)
  const report = await judging.finally(progress.end)
  writeReports(report, options)
  printReport(report, terminal, process.env)
  return report.exitCode
}
