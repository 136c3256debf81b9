// The reference server as a process of its own: started on any free port with an empty data folder, reached by its
// address alone, stopped and cleared away whatever happens.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MODULE_ENDING } from './program.ts'

/** The most that the start may take, and the end before it is forced, in milliseconds. */
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5_000

/** How much of the server's log a failed start shows, in characters. */
const LOG_TAIL_CHARS = 2_000

const root = join(import.meta.dirname, '..')
const keyCommand = join(root, 'server', 'dashboard', `key-command${MODULE_ENDING}`)

export interface ReferenceServer {
  readonly baseUrl: string
  /** The process: its memory can be watched. */
  readonly pid: number | undefined
  /** What makes and revokes keys on it: a command in words, and its environment. */
  readonly keyCommand: { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> }
  stop(): Promise<void>
}

/** The server did not come up; the message ends with the last lines of its log. */
export class StartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartError'
  }
}

/**
 * Starts `server/main.js` and resolves when it can serve. `onSecret` hears of the operator's password before it is
 * used. Throws `StartError`, and the signal's reason where that is aborted; nothing is left behind then. `settings` are
 * environment variables of the server, where the judge is not its only user.
 */
export async function startReferenceServer(
  signal: AbortSignal,
  onSecret: (secret: string) => void,
  entry: string = join(root, 'server', 'main.js'),
  settings: Readonly<Record<string, string>> = {},
): Promise<ReferenceServer> {
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
  // A judge that dies without a word must not leave its server behind.
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
    return { baseUrl, pid: child.pid, keyCommand: { words: [process.execPath, keyCommand], env }, stop }
  } catch (error) {
    await stop()
    signal.throwIfAborted()
    throw error
  }
}

/** The environment of the server: the operator's own settings, except those that would lead it elsewhere. */
function serverEnvironment(
  outer: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const elsewhere = /^(CONFORMANCE_|DATABASE_URL$|REDIS_URL$|METRICS_PORT$|RATE_LIMIT_|FAULTS$)/
  const kept = Object.entries(outer).filter(([name]) => !elsewhere.test(name))
  // A line for each request is read by nobody: only what explains a failed start is.
  return {
    ...Object.fromEntries(kept),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '0',
    ...own,
  }
}

/** Reads the address from the first line, then waits until the server says that it can serve. */
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
    while (!signal.aborted) {
      const answer = await fetch(`${baseUrl}/readyz`, { signal }).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer?.ok === true) break
      await sleep(20)
    }
    return baseUrl
  })()
  return Promise.race([ready, ended])
}

/** The first address that the process prints; its output is read on, so that it never blocks. */
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
