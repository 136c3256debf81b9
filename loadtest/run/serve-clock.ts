// `loadtest clock`: serves the calibrated service until it is interrupted, and then prints the truth about its streams.
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { tableLines } from '../report/sheet-console.ts'
import { latencyTable } from '../report/sheet.ts'
import { SCRIPTS } from '../clock/timing-scripts.ts'
import { MODEL_PREFIX, startClock } from '../clock/clock-service.ts'
import type { Truth } from '../clock/served-truth.ts'

export interface ClockCommand {
  readonly port: number
  readonly scenario: string | undefined
  readonly signal: AbortSignal
  readonly print: (text: string) => void
}

/** Resolves when the signal is aborted and the truth is printed. Throws `UsageError`. */
export async function serveClock({ port, scenario, signal, print }: ClockCommand): Promise<void> {
  if (scenario !== undefined && !Object.hasOwn(SCRIPTS, scenario))
    throw new UsageError(`--scenario: expected one of ${Object.keys(SCRIPTS).join(', ')}, got '${scenario}'`)
  const clock = await startClock(port, scenario).catch((error: unknown) => {
    throw new UsageError(`--listen: ${error instanceof Error ? error.message : String(error)}`)
  })
  try {
    print(`${clock.baseUrl}\n`)
    print(scenario === undefined ? `models ${MODEL_PREFIX}NAME\n` : `every model follows ${scenario}\n`)
    while (!signal.aborted) await sleep(60_000, undefined, { signal }).catch(() => undefined)
    print(clock.truth().map(renderTruth).join(''))
  } finally {
    await clock.close()
  }
}

/** The figures that a generator should have reported, without the time on the network. */
function renderTruth({ script, offered, completed, failed, latency, tokens, events }: Truth): string {
  const counts = `${offered} streams, ${completed} completed, ${failed} failed, ${tokens} tokens in ${events} events`
  return `\n${script}: ${counts}\n${tableLines(latencyTable(latency)).join('\n')}`
}
