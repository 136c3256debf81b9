// k6 as processes: one, or several that each do their segment of the same run.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type LoadPlan, planSeconds } from '../theory/load-plan.ts'

/** The part of the errors of k6 that is kept, in characters. */
const COMPLAINT_CHARS = 2_000

/** The time for the start of k6, its last answers and its writing, beyond the run itself, in seconds. */
const SPARE_SECONDS = 60

/** Exit codes of k6 with which the run was made: to its end, or with a threshold that does not hold. */
const RAN: ReadonlySet<number> = new Set([0, 99])

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
  const stop = (): void => {
    for (const child of children) child.kill('SIGKILL')
  }
  const seconds = planSeconds(run.plan) + run.plan.timeoutSeconds + SPARE_SECONDS
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(seconds * 1000)])
  signal.addEventListener('abort', stop, { once: true })
  process.once('exit', stop)
  try {
    const ended = await Promise.allSettled(children.map(untilEnded))
    run.signal.throwIfAborted()
    if (signal.aborted) throw new K6Error(`k6 did not end within ${seconds} s`)
    for (const one of ended) if (one.status === 'rejected') throw one.reason
    return files
  } finally {
    stop()
    process.off('exit', stop)
    signal.removeEventListener('abort', stop)
  }
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
  const script = join(import.meta.dirname, '..', 'scenarios', `${plan.scenario}.ts`)
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

function untilEnded(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = ''
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (piece: string) => (complaint = (complaint + piece).slice(-COMPLAINT_CHARS)))
    child.on('error', (error) => reject(new K6Error(`k6 did not start: ${error.message}`)))
    child.on('close', (code, signal) => {
      if (code !== null && RAN.has(code)) resolve()
      else reject(new K6Error(`k6 ended with ${signal ?? `exit ${code}`}: ${complaint.trim()}`))
    })
  })
}
