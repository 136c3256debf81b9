// Starts the reference server as a separate process on a free port with an empty data folder, and always stops it and
// removes the folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyMaker } from './keys/key-command.ts'
import { openKeySession } from './keys/key-session.ts'
import { MODULE_ENDING } from './program.ts'
import { answers, waitsUntil } from './waiting.ts'

/** The longest start, and the longest stop before the process is killed, in milliseconds. */
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5_000

/** The part of the server's log that a failed start shows, in characters. */
const LOG_TAIL_CHARS = 2_000

const root = join(import.meta.dirname, '..')
const keyCommand = join(root, 'server', 'dashboard', `key-command${MODULE_ENDING}`)

const ECHO_MODEL = 'svc-0.1-echo'

/** The setting of a server that only serves these models (undefined: the first one): without llama.cpp it starts in a moment. */
export const settingsFor = (...models: readonly (string | undefined)[]): Readonly<Record<string, string>> =>
  models.every((model = ECHO_MODEL) => model === ECHO_MODEL) ? { LLAMA_TINY: 'off' } : {}

export type KeyedServer = Awaited<ReturnType<typeof startKeyedServer>>
export type ReferenceServer = Awaited<ReturnType<typeof startReferenceServer>>

/** The server did not start; the message ends with the end of its log. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/**
 * Starts `server/main.js` and resolves when it is ready. `onSecret` receives the operator's password before it is used.
 * Throws `StartError`, or the signal's reason if that is aborted; the process and the folder are removed then.
 * `settings` are environment variables of the server.
 */
export async function startReferenceServer(
  signal: AbortSignal,
  onSecret: (secret: string) => void,
  entry: string = join(root, 'server', 'main.js'),
  settings: Readonly<Record<string, string>> = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-'))
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
    await stopProcess(child)
    process.off('exit', killOnExit)
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const baseUrl = await untilReady(child, AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]))
    const env = { DASHBOARD_URL: baseUrl, DASHBOARD_PASSWORD: password }
    return {
      baseUrl,
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
  settings: Readonly<Record<string, string>> = {},
) {
  const server = await startReferenceServer(signal, onSecret, undefined, settings)
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

/** Reads the address from the first line, then waits until the server is ready. */
async function untilReady(child: ChildProcess, signal: AbortSignal): Promise<string> {
  let log = ''
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (piece: string) => (log = (log + piece).slice(-LOG_TAIL_CHARS)))
  const failed = (why: string): StartError =>
    new StartError(`the reference server did not start: ${why}${log && `\n${log.trimEnd()}`}`)

  const ended = new Promise<never>((_, reject) => {
    child.on('error', (error) => reject(failed(error.message)))
    child.on('close', (code, by) =>
      reject(failed(by === null ? `it ended with exit ${code}` : `ended by ${by}`)),
    )
    signal.addEventListener('abort', () => reject(failed(`not ready within ${START_TIMEOUT_MS / 1000} s`)), {
      once: true,
    })
  })
  const ready = (async () => {
    const baseUrl = await firstUrl(child)
    await waitsUntil(() => answers(`${baseUrl}/readyz`, { signal }), { signal, everyMs: 20 })
    return baseUrl
  })()
  return Promise.race([ready, ended])
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

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await closed
  clearTimeout(force)
}
