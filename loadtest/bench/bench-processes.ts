// Starts the processes that a benchmark compares, and stops all of them at its end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../harness/http/free-port.ts'
import { answers, waitsUntil } from '../../harness/waiting.ts'

export const root = join(import.meta.dirname, '..', '..')

/** The longest start, for example of a server that loads a model, in milliseconds. */
const START_TIMEOUT_MS = 120_000
export const STOP_TIMEOUT_MS = 5000

const children = new Set<ChildProcess>()

/** A folder for keys and answers; `stopAll` removes it. */
export const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))

export type BenchProcess = ReturnType<typeof startProcess>

export interface ProcessOptions {
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: stderr is not read, so that a log costs as much as in production. */
  readonly stderr?: 'pipe' | 'ignore'
}

export function startProcess(
  program: string,
  args: readonly (string | number)[],
  { env = {}, stderr = 'ignore' }: ProcessOptions = {},
) {
  const child = spawn(program, args.map(String), {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', stderr],
  })
  children.add(child)
  const { stdout } = child
  if (stdout === null) throw new Error('stdout is a pipe')
  let last = 'no message'
  if (child.stderr !== null)
    createInterface(child.stderr).on('line', (line) => (last = line.trim() === '' ? last : line))
  /** Rejects when the process ends, with its last line on stderr. It may be left unhandled. */
  const died: Promise<never> = once(child, 'close').then(([code, signal]) => {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`
    throw new Error(`${[program, ...args].join(' ')} ended ${how}: ${last}`)
  })
  died.catch(() => {})
  return { child, stdout, pid: child.pid ?? 0, died }
}

/** The first line that a process prints. Further output is read and dropped. */
export async function firstLine({ stdout, died }: BenchProcess): Promise<string> {
  const [line] = await Promise.race([once(createInterface(stdout), 'line'), died])
  return String(line)
}

/** Resolves when the address answers with a 2xx status. */
export async function untilReady(url: string, { died }: BenchProcess): Promise<void> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS)
  const isReady = waitsUntil(() => answers(url, { signal }), { signal, everyMs: 5 })
  if (!(await Promise.race([isReady, died])))
    throw new Error(`${url} was not ready in ${START_TIMEOUT_MS / 1000} s`)
}

/** Starts a program on a free port, and waits until `path` answers. */
export async function startOnPort(
  program: string,
  args: (port: number) => readonly (string | number)[],
  { path, ...options }: ProcessOptions & { readonly path: string },
): Promise<BenchProcess & { readonly port: number }> {
  const port = await freePort()
  const started = startProcess(program, args(port), options)
  started.stdout.resume()
  await untilReady(`http://127.0.0.1:${port}${path}`, started)
  return { ...started, port }
}

/** The peak or current memory of a process and its children, in MiB; undefined outside Linux. */
export function memoryMib(pid: number, field: 'VmHWM' | 'VmRSS'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const own = Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return children
      .filter((child) => child !== '')
      .reduce((sum, child) => sum + (memoryMib(Number(child), field) ?? 0), own)
  } catch {
    return undefined
  }
}

/** Kills all processes and removes the folder. */
export function stopAll(): void {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
