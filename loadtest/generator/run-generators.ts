// The generators of one measurement as processes: started together, read while they run, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { LatencyPlan } from './stream-plan.ts'
import { type GeneratorLine, type LatencyRecord, combine, readLines } from './stream-record.ts'

const GENERATOR = join(import.meta.dirname, 'generator-process.ts')

/** The most of a generator's complaints that is kept, in characters. */
const COMPLAINT_CHARS = 2_000

/** The time for the start and the end of the processes, beyond the plan and the last answer. */
const SPARE_SECONDS = 60

export interface GeneratorRun {
  readonly plan: LatencyPlan
  readonly keys: readonly string[]
  readonly processes: number
  readonly signal: AbortSignal
  /** Called with each line as it arrives. */
  readonly onLine?: (line: GeneratorLine) => void
}

/** A generator failed; the text is what it said, and may hold secrets. */
export class GeneratorError extends Error {
  override readonly name = 'GeneratorError'
}

/** Runs the plan. Throws `GeneratorError`, or the signal's reason if that is aborted. */
export async function runGenerators(run: GeneratorRun): Promise<LatencyRecord> {
  const { plan, processes, signal } = run
  signal.throwIfAborted()
  const children = Array.from({ length: processes }, (_, index) => start(run, index))
  const kill = (): void => {
    for (const child of children) child.kill('SIGKILL')
  }
  const seconds = (plan.seconds + plan.timeoutSeconds) * plan.turns + SPARE_SECONDS
  const bound = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
  bound.addEventListener('abort', kill, { once: true })
  process.once('exit', kill)
  let ready = 0
  const lines: GeneratorLine[] = []
  const take = (line: GeneratorLine): void => {
    if (line.type === 'stream' || line.type === 'generator') lines.push(line)
    run.onLine?.(line)
    // All start at the same time, and all stop when one finds the service over-saturated.
    if (line.type === 'ready' && (ready += 1) === processes) order(children, 'go')
    if (line.type === 'generator' && line.saturated) order(children, 'stop')
  }
  try {
    const ended = await Promise.allSettled(children.map((child) => untilEnded(child, take)))
    signal.throwIfAborted()
    if (bound.aborted) throw new GeneratorError(`the generators did not end within ${seconds} s`)
    for (const one of ended) if (one.status === 'rejected') throw one.reason
    return combine(lines)
  } finally {
    kill()
    process.off('exit', kill)
    bound.removeEventListener('abort', kill)
  }
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
  // A generator that has ended already needs no order.
  for (const { stdin } of children) if (stdin?.writable === true) stdin.write(`${word}\n`)
}

async function untilEnded(child: ChildProcess, take: (line: GeneratorLine) => void): Promise<void> {
  const { stdin, stdout, stderr } = child
  let complaint = ''
  stdin?.on('error', () => undefined)
  stderr
    ?.setEncoding('utf8')
    .on('data', (piece: string) => (complaint = (complaint + piece).slice(-COMPLAINT_CHARS)))
  const closed = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  const reading = (async () => {
    if (stdout !== null) for await (const line of readLines(stdout)) take(line)
  })()
  const [end] = await Promise.all([closed, reading])
  if (end !== 0) throw new GeneratorError(`a generator ended with ${end}: ${complaint.trim()}`)
}
