// Runs a program once: without a shell, and in its own process group, so that it is ended with all its children. Its
// output is bounded.
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { cut, printable } from './cli/text.ts'
import { UsageError, whyNotStarted } from './cli/usage-error.ts'
import { killGroup, signalGroup, startGroup } from './process-group.ts'

/** The most bytes that are kept of each output: a program prints an answer of 1 MB, perhaps within other text. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024
/** How long children may hold outputs open after the end of the program, in milliseconds. */
const OUTPUT_MS = 300
/** The least number of turns of the event loop in that time, so that a busy judge reads the output that has arrived. */
const OUTPUT_TURNS = 10

/** How a program ended. */
export interface ProgramEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** True if the judge ended it because its time was over. */
  readonly isOverdue: boolean
  readonly stdout: string
  readonly stderr: string
}

/** The variables and values of one start. */
interface Start {
  readonly env: Readonly<Record<string, string>>
  /** The values of placeholders such as `{base_url}` in the arguments, by the name in the braces. */
  readonly values: Readonly<Record<string, string>>
}

/** The task of a program, and the service that it calls. */
export interface ProgramTask {
  readonly baseUrl: string
  readonly key: string
  readonly model: string
  /** The text of the last user message. */
  readonly prompt: string
  readonly request: object
  readonly turns: readonly unknown[]
  /** The requests that it sends side by side. Default: 1. */
  readonly times?: number | undefined
}

/** The variables and values that carry a task (docs/clients.md). */
export function startOf({
  baseUrl,
  key,
  model,
  prompt,
  request: body,
  turns: next,
  times,
}: ProgramTask): Start {
  const [request, turns] = [JSON.stringify(body), JSON.stringify(next)]
  return {
    env: {
      OPENAI_BASE_URL: baseUrl,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: model,
      BASE_URL: baseUrl,
      API_KEY: key,
      MODEL: model,
      TOUCHSTONE_PROMPT: prompt,
      TOUCHSTONE_REQUEST: request,
      TOUCHSTONE_TURNS: turns,
      ...(times === undefined ? {} : { TOUCHSTONE_TIMES: String(times) }),
    },
    values: { base_url: baseUrl, api_key: key, model, prompt, request, turns },
  }
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

/** Returns a function that starts this command, with `env` and the variables of each start. */
export function commandStarter(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): StartClient {
  return function startCommand({ env: added, values }) {
    const words = command.map((word) => fill(word, values))
    const child = startGroup(words, { env: { ...env, ...added }, stdio: ['ignore', 'pipe', 'pipe'] })
    let isOverdue = false
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    const ended = Promise.withResolvers<ProgramEnd>()

    child.once('error', (error) => {
      killGroup(child)
      ended.reject(new UsageError(`${words[0]} cannot be started: ${whyNotStarted(error)}`))
    })
    child.once('exit', async (exitCode, signal) => {
      const closed = new Promise((resolve) => child.once('close', () => resolve('closed')))
      for (let turn = 0; turn < OUTPUT_TURNS; turn++)
        if ((await Promise.race([closed, sleep(OUTPUT_MS / OUTPUT_TURNS)])) === 'closed') break
      // Its remaining children end with it.
      killGroup(child)
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

/** How a program ended, with the last line of its error output. */
export function ending({ exitCode, signal, stderr }: ProgramEnd): string {
  const how = exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`
  const line =
    stderr
      .trim()
      .split('\n')
      .findLast((text) => /\w+(Error|Exception)\b|error/i.test(text)) ?? stderr.trim().split('\n').at(-1)
  return line === undefined || line === '' ? how : `${how}, stderr ${quote(line)}`
}

/** A printed value as a failure shows it: on one line, and not longer than 300 characters. */
export function quote(value: unknown): string {
  return cut(
    printable(typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value))),
    300,
  )
}
