// The command `run`: judges a service, or the reference server, which it starts.
import type { Report } from '../contract/report.ts'
import type { RunEvents } from '../contract/run-events.ts'
import { worstExitCode } from '../contract/verdict.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { shownAddress } from '../../harness/http/service-address.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { type RunControl, runConformance } from '../run-conformance.ts'
import type { Options } from './judge-options.ts'
import { type Ending, printHeading, renderExpected, reported, seedFact } from './output.ts'

/** Judges each model in turn, and returns the worst exit code; `end` ends each run. Throws as `runConformance` does. */
export async function run(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
  end?: (report: Report) => Ending,
): Promise<number> {
  if (options.bundle !== undefined && options.models.length > 1)
    throw new UsageError('--bundle: a bundle has one run; name one model')
  const codes: number[] = []
  const control: RunControl = {
    signal,
    onBegin({ baseUrl, profile, model }, seed, expected) {
      const facts = [`profile ${profile}`, `model ${model}`, seedFact(seed, options)]
      printHeading(redactor.text(shownAddress(baseUrl)), facts, renderExpected(expected, options))
    },
    onFault,
  }
  for (const model of options.models.length === 0 ? [undefined] : options.models) {
    const code = await reported(
      options,
      (onProgress) => runConformance({ ...options, ...control, model, onProgress }, redactor),
      undefined,
      end,
    )
    codes.push(code)
    if (signal.aborted) break
  }
  return worstExitCode(codes)
}
