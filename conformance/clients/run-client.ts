// Runs a program once: without a shell, in a group of its own, so that it is ended with all its children; what it
// prints is bounded.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { ProgramEnd } from './scenario.ts'

/** The most that is kept of each output, in bytes. */
const MAX_OUTPUT_BYTES = 256 * 1024
/** How long outputs may stay open behind the end of the program, as its children hold them, in milliseconds. */
const OUTPUT_MS = 300

/** What a program is started with. */
export interface Start {
  readonly env: Readonly<Record<string, string>>
  /** What stands in the arguments for `{base_url}` and its kin, by the name in the braces. */
  readonly values: Readonly<Record<string, string>>
}

/** A program that runs. */
export interface RunningClient {
  readonly ended: Promise<ProgramEnd>
  /** Sends a signal to the program and its children, as a terminal does. */
  signal(name: 'SIGINT' | 'SIGTERM'): void
  /** Ends it with all of its children, because its time is over. */
  kill(): void
}

/** Starts what is judged, once for each scenario. */
export type StartClient = (start: Start) => RunningClient

/** Makes what starts this command. The environment of the program is `env` and what a start adds to it. */
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
    return follow(child, file)
  }
}

/** Replaces each `{name}` that has a value; any other brace stays. What is put in is not read again. */
export function fill(word: string, values: Readonly<Record<string, string>>): string {
  return word.replace(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )
}

/** What ends with the judge, however that ends. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

function follow(child: ChildProcess, file: string): RunningClient {
  let isOverdue = false
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const ended = Promise.withResolvers<ProgramEnd>()
  running.add(child)

  child.once('error', (error) => {
    running.delete(child)
    ended.reject(new UsageError(`client: ${file} cannot be started: ${error.message}`))
  })
  child.once('exit', async (exitCode, signal) => {
    const closed = new Promise((resolve) => child.once('close', resolve))
    await Promise.race([closed, sleep(OUTPUT_MS)])
    // Whatever it has left behind ends with it.
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
    // Nobody of the group is left.
  }
}
