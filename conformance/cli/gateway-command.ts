// The command `gateway`: judges a gateway between clients and a service.
import { judgeAndBundle } from '../bundle/write-file.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { shownAddress } from '../../harness/http/service-address.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import type { RunEvents } from '../contract/run-events.ts'
import { type GatewayControl, loadGateway } from '../subjects/index.ts'
import type { Options } from './judge-options.ts'
import { printHeading, reported, seedFact } from './output.ts'

/** Runs the command and returns its exit code. Throws as `judgeGateway` does. */
export async function gateway(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
): Promise<number> {
  const { models, operands: command, upstream, ...given } = options
  if (models.length > 1) throw new UsageError('--model: gateway takes one model')
  const subject = await loadGateway()
  const control: GatewayControl = {
    signal,
    onUpstream(baseUrl, generatedKey) {
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
    onBegin: ({ baseUrl }, model, seed, key) =>
      printHeading(redactor.text(shownAddress(baseUrl)), [
        'gateway',
        `model ${model}`,
        seedFact(seed, options),
        ...(key === undefined ? [] : [`the upstream gets ${key}`]),
      ]),
  }
  if (upstream !== undefined && options.bundle !== undefined)
    throw new UsageError('--bundle: a run with --upstream cannot be recorded; judge the service by itself')
  return reported(options, (onProgress) => {
    const run = { ...given, ...control, model: models[0], command, onProgress, onFault }
    if (upstream !== undefined) return subject.judgeThrough({ ...run, upstreamUrl: upstream }, redactor)
    return judgeAndBundle(
      run,
      async () => (await import('../bundle/record-run.ts')).createRunRecorder('gateway', run, command),
      (recorder) => subject.judge(run, redactor, recorder),
    )
  })
}
