// Runs a program once: without a shell, and in its own process group, so that it is ended with all its children. Its
// output is bounded.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from './cli/usage-error.ts'
import type { ProgramEnd } from '../conformance/subjects/client/scenario.ts'

/** The most bytes that are kept of each output. */
const MAX_OUTPUT_BYTES = 256 * 1024
/** How long children may hold outputs open after the end of the program, in milliseconds. */
const OUTPUT_MS = 300

/** The variables and values of one start. */
interface Start {
  readonly env: Readonly<Record<string, string>>
  /** The values of placeholders such as `{base_url}` in the arguments, by the name in the braces. */
  readonly values: Readonly<Record<string, string>>
}

/** A running program. */
export interface RunningClient {
  readonly ended: Promise<ProgramEnd>
  /** Sends a signal to the program and its children, as a terminal does. */
  signal(name: 'SIGINT' | 'SIGTERM'): void
  /** Kills it with all its children, because its time is over. */
  kill(): void
}

/** Starts the program that is judged, once for each scenario. */
export type StartClient = (start: Start) => RunningClient

/** Programs that are killed when the judge ends, however it ends. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

/** Returns a function that starts this command, with `env` and the variables of each start. */
export function commandStarter(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): StartClient {
  return function startCommand({ env: added, values }) {
    const [file = '', ...args] = command.map((word) => fill(word, values))
    const child = spawn(file, args, {
      env: { ...env, ...added },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    let isOverdue = false
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    const ended = Promise.withResolvers<ProgramEnd>()
    running.add(child)

    child.once('error', (error) => {
      running.delete(child)
      ended.reject(new UsageError(`${file} cannot be started: ${error.message}`))
    })
    child.once('exit', async (exitCode, signal) => {
      const closed = new Promise((resolve) => child.once('close', resolve))
      await Promise.race([closed, sleep(OUTPUT_MS)])
      // Its remaining children end with it.
      signalGroup(child, 'SIGKILL')
      running.delete(child)
      ended.resolve({ exitCode, signal, isOverdue, stdout: stdout(), stderr: stderr() })
    })
    return {
      ended: ended.promise,
      signal: (name) => signalGroup(child, name),
      kill() {
        isOverdue = true
        signalGroup(child, 'SIGKILL')
      },
    }
  }
}

/** Replaces each `{name}` that has a value, once; other braces stay. */
function fill(word: string, values: Readonly<Record<string, string>>): string {
  return word.replace(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )
}

function collect(stream: ChildProcess['stdout']): () => string {
  const pieces: Buffer[] = []
  let size = 0
  stream?.on('data', (piece: Buffer) => {
    if (size < MAX_OUTPUT_BYTES) pieces.push(piece.subarray(0, MAX_OUTPUT_BYTES - size))
    size += piece.length
  })
  stream?.on('error', () => undefined)
  return () => Buffer.concat(pieces).toString('utf8')
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // No process of the group is left.
  }
}
