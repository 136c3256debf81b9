// The generators of one measurement as processes: started together, read while they run, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { MODULE_ENDING } from '../../harness/program.ts'
import { runTogether } from './run-together.ts'
import type { LatencyPlan } from './stream-plan.ts'
import { type GeneratorLine, type LatencyRecord, combine, readLines } from './stream-record.ts'

const GENERATOR = join(import.meta.dirname, `generator-process${MODULE_ENDING}`)

export interface GeneratorRun {
  readonly plan: LatencyPlan
  readonly keys: readonly string[]
  readonly processes: number
  readonly signal: AbortSignal
  /** Called with each line as it arrives. */
  readonly onLine?: (line: GeneratorLine) => void
}

/** A generator failed; the message has its errors, and may contain secrets. */
export class GeneratorError extends Error {
  override readonly name = 'GeneratorError'
}

/** Runs the plan. Throws `GeneratorError`, or the signal's reason if that is aborted. */
export async function runGenerators(run: GeneratorRun): Promise<LatencyRecord> {
  const { plan, processes, signal } = run
  signal.throwIfAborted()
  const children = Array.from({ length: processes }, (_, index) => start(run, index))
  let ready = 0
  const lines: GeneratorLine[] = []
  const take = (line: GeneratorLine): void => {
    if (line.type === 'stream' || line.type === 'generator') lines.push(line)
    run.onLine?.(line)
    // All start at the same time, and all stop when one finds the service over-saturated.
    if (line.type === 'ready' && (ready += 1) === processes) order(children, 'go')
    if (line.type === 'generator' && line.saturated) order(children, 'stop')
  }
  await runTogether(children, {
    name: 'a generator',
    seconds: (plan.seconds + plan.timeoutSeconds) * plan.turns,
    signal,
    succeeds: [0],
    failed: (message) => new GeneratorError(message),
    async read({ stdin, stdout }) {
      stdin?.on('error', () => undefined)
      if (stdout !== null) for await (const line of readLines(stdout)) take(line)
    },
  })
  return combine(lines)
}

function start({ plan, keys, processes }: GeneratorRun, index: number): ChildProcess {
  return spawn(process.execPath, [GENERATOR, 'controlled'], {
    env: {
      ...process.env,
      LOADTEST_PLAN: JSON.stringify(plan),
      LOADTEST_KEYS: keys.join(','),
      LOADTEST_SEGMENT: `${index + 1}/${processes}`,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

function order(children: readonly ChildProcess[], word: 'go' | 'stop'): void {
  // A generator may have ended already.
  for (const { stdin } of children) if (stdin?.writable === true) stdin.write(`${word}\n`)
}
