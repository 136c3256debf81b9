// Starts the reference server as a separate process on a free port with an empty data folder, and always stops it and
// removes the folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyMaker } from './keys/key-command.ts'
import { openKeySession } from './keys/key-session.ts'
import { MODULE_ENDING } from './program.ts'
import { answers, stopProcess, waitsUntil } from './waiting.ts'

/** The longest start, and the longest stop before the process is killed, in milliseconds. */
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5_000

/** The part of the server's log that a failed start shows, in characters. */
const LOG_TAIL_CHARS = 2_000

const root = join(import.meta.dirname, '..')
const keyCommand = join(root, 'server', 'dashboard', `key-command${MODULE_ENDING}`)

const ECHO_MODEL = 'svc-0.1-echo'

/** Returns whether a model (undefined: the first one) answers as soon as the server listens. */
export const isLoadedAtOnce = (model: string = ECHO_MODEL): boolean => model === ECHO_MODEL

/** The setting of a server for these models (undefined: the first one): without llama.cpp it starts faster. */
export const settingsFor = (...models: readonly (string | undefined)[]): Readonly<Record<string, string>> =>
  models.every(isLoadedAtOnce) ? { LLAMA_TINY: 'off' } : {}

export type KeyedServer = Awaited<ReturnType<typeof startKeyedServer>>

/** The server did not start, or ended; the message ends with the end of its log. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

export interface StartOptions {
  /** The program. Default: `server/main.js`. */
  readonly entry?: string
  /** Environment variables of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Resolve when all models are loaded (the default), or as soon as the server listens: its echo model answers then. */
  readonly until?: 'ready' | 'listening'
}

/**
 * Starts the server, and resolves when it can be used. `onSecret` receives the operator's password before it is used.
 * Throws `StartError`, or the signal's reason if that is aborted; the process and the folder are removed then.
 */
export async function startReferenceServer(
  signal: AbortSignal,
  onSecret: (secret: string) => void,
  { entry = join(root, 'server', 'main.js'), settings = {}, until = 'ready' }: StartOptions = {},
) {
  // The process starts before the first `await`, because the caller may then block this process with loading modules.
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-'))
  const password = randomBytes(24).toString('base64url')
  onSecret(password)
  const child = spawn(process.execPath, [entry], {
    cwd: root,
    env: serverEnvironment(process.env, {
      ...settings,
      DATA_DIR: dataDir,
      DASHBOARD_PASSWORD: password,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  // A judge that exits unexpectedly must not leave its server running.
  const killOnExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killOnExit)
  const stop = async (): Promise<void> => {
    await stopProcess(child, STOP_TIMEOUT_MS)
    process.off('exit', killOnExit)
    await rm(dataDir, { recursive: true, force: true })
  }
  const log = logOf(child)
  const ended = untilEnded(child, log)
  // A caller may ignore `ended`: its rejection must not end this process.
  ended.catch(() => undefined)
  try {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)])
    const baseUrl = await Promise.race([untilStarted(child, until, ends), ended, untilLate(ends, log)])
    const env = { DASHBOARD_URL: baseUrl, DASHBOARD_PASSWORD: password }
    return {
      baseUrl,
      /** Rejects with a `StartError` when the process ends: a model, for example, could not be loaded. */
      ended,
      /** The process id, for measuring its memory. */
      pid: child.pid,
      keyCommand: { words: [process.execPath, keyCommand], env },
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    signal.throwIfAborted()
    throw error
  }
}

/** Starts the server and a maker of its keys, which end together. Throws as `startReferenceServer` does. */
export async function startKeyedServer(
  signal: AbortSignal,
  onSecret: (secret: string) => void,
  options: StartOptions = {},
) {
  const server = await startReferenceServer(signal, onSecret, options)
  const session = openKeySession(server.keyCommand.words, server.keyCommand.env)
  const stop = async (): Promise<void> => {
    session.close()
    await server.stop()
  }
  const keyMaker = createKeyMaker({ words: [], run: session.run, onSecret })
  return { ...server, keyMaker, stop, [Symbol.asyncDispose]: stop }
}

/** The environment of the server: that of this process, without settings that would change the result. */
function serverEnvironment(
  outer: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const elsewhere = /^(CONFORMANCE_|DATABASE_URL$|REDIS_URL$|METRICS_PORT$|RATE_LIMIT_|FAULTS$)/
  const kept = Object.entries(outer).filter(([name]) => !elsewhere.test(name))
  // Only a failed start reads the log, so requests are not logged.
  return {
    ...Object.fromEntries(kept),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '0',
    // The judge requests a 500, a 503 and a stream that fails (ERR-2, ERR-6).
    FAULTS: 'on',
    ...own,
  }
}

/** Resolves to the address from the first line of the process, and, if `until` says so, only when it is ready. */
async function untilStarted(
  child: ChildProcess,
  until: 'ready' | 'listening',
  signal: AbortSignal,
): Promise<string> {
  const baseUrl = await firstUrl(child)
  if (until === 'ready')
    await waitsUntil(() => answers(`${baseUrl}/readyz`, { signal }), { signal, everyMs: 20 })
  return baseUrl
}

/** Reads the log of the process; returns a function that shows its last lines, without those in JSON if others remain. */
function logOf({ stderr }: ChildProcess): () => string {
  let log = ''
  stderr?.setEncoding('utf8').on('data', (piece: string) => (log = (log + piece).slice(-LOG_TAIL_CHARS)))
  return () => {
    const whole = log.length < LOG_TAIL_CHARS ? log : log.slice(log.indexOf('\n') + 1)
    const lines = whole.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    const shown = lines.length === 0 ? whole.trimEnd() : lines.join('\n')
    return shown && `\n${shown}`
  }
}

/** Rejects with a `StartError` when the process ends. */
function untilEnded(child: ChildProcess, log: () => string): Promise<never> {
  return new Promise((_, reject) => {
    const failed = (why: string): void => reject(new StartError(`the reference server ${why}${log()}`))
    child.on('error', (error) => failed(`did not start: ${error.message}`))
    child.on('close', (code, by) => failed(by === null ? `ended with exit ${code}` : `was ended by ${by}`))
  })
}

/** Rejects with a `StartError` when the signal is aborted. */
function untilLate(signal: AbortSignal, log: () => string): Promise<never> {
  return new Promise((_, reject) => {
    const late = (): void =>
      reject(new StartError(`the reference server was not ready within ${START_TIMEOUT_MS / 1000} s${log()}`))
    signal.addEventListener('abort', late, { once: true })
  })
}

/** The first address that the process prints. Further output is read and dropped, so that the process never blocks. */
function firstUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      if (printed.includes('\n') || printed.length > LOG_TAIL_CHARS) return
      printed += piece
      const [line, next] = printed.split('\n')
      const url = /https?:\/\/[^\s"'<>]+/.exec(line ?? '')?.[0]
      if (next !== undefined && url !== undefined) resolve(url.replace(/\/+$/, ''))
    })
  })
}
