// k6 as processes: one, or several that each do their segment of the same run.
import { MODULE_ENDING } from '../../harness/program.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { runTogether } from '../generator/run-together.ts'
import { type LoadPlan, planSeconds } from '../theory/load-plan.ts'

/** Exit codes of a complete run of k6: success, or a failed threshold. */
const RAN = [0, 99]

export interface K6Run {
  readonly path: string
  readonly plan: LoadPlan
  /** The secrets, in the order of the plan's roles. */
  readonly keys: readonly string[]
  readonly processes: number
  /** A folder for the records. */
  readonly folder: string
  readonly signal: AbortSignal
}

/** k6 did not make the run; the message is the output of k6, and may contain secrets. */
export class K6Error extends Error {
  override readonly name = 'K6Error'
}

/** Starts k6 and resolves to the files that it wrote, one of each process. Throws `K6Error`. */
export async function runK6(run: K6Run): Promise<readonly string[]> {
  const files = recordFiles(run)
  const children = files.map((file, index) => startK6(run, file, index))
  await runTogether(children, {
    name: 'k6',
    seconds: planSeconds(run.plan) + run.plan.timeoutSeconds,
    signal: run.signal,
    succeeds: RAN,
    failed: (message) => new K6Error(message),
  })
  return files
}

/** The files that the processes of a run write. */
export function recordFiles({ folder, processes }: Pick<K6Run, 'folder' | 'processes'>): readonly string[] {
  return Array.from({ length: processes }, (_, index) => join(folder, `record-${index + 1}.json`))
}

/** The flags with which one of several processes does its part of a run. */
export function segmentFlags(index: number, processes: number): readonly string[] {
  if (processes === 1) return []
  const edge = (at: number): string => (at === 0 ? '0' : at === processes ? '1' : `${at}/${processes}`)
  const edges = Array.from({ length: processes + 1 }, (_, at) => edge(at))
  return [
    `--execution-segment=${edge(index)}:${edge(index + 1)}`,
    `--execution-segment-sequence=${edges.join(',')}`,
  ]
}

function startK6({ path, plan, keys, processes }: K6Run, file: string, index: number): ChildProcess {
  const script = join(import.meta.dirname, '..', 'scenarios', `${plan.scenario}${MODULE_ENDING}`)
  const flags = ['--quiet', '--no-color', `--out=json=${file}`, '--address=']
  return spawn(path, ['run', ...flags, ...segmentFlags(index, processes), script], {
    env: {
      ...process.env,
      LOADTEST_PLAN: JSON.stringify(plan),
      LOADTEST_KEYS: keys.join(','),
      K6_NO_USAGE_REPORT: 'true',
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}
