// One instance of the server as a process. It keeps its port when it is killed and restarted.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../fixtures/services/free-port.ts'
import type { Part } from './supervise.ts'

/** The longest start on a busy machine, in milliseconds. */
const START_MS = 60_000

/** How much of the log a failed start shows, in characters. */
const LOG_TAIL_CHARS = 1000

export interface Instance extends Part {
  readonly port: number
  readonly url: string
  /** The id of the process that runs now. */
  pid(): number | undefined
}

export interface InstanceOptions {
  readonly name: string
  /** Settings, added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>
  /** The log of the instance is appended here. */
  readonly logFile: string
  /** The folder with `server/main.js`. */
  readonly program?: string
}

/** Starts an instance; resolves when it is ready. Throws with the end of its log if it does not start. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { name, env, logFile, program = fileURLToPath(new URL('..', import.meta.url)) } = options
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess

  async function start(): Promise<void> {
    const log = openSync(logFile, 'a')
    // Outside of the terminal's process group: Ctrl-C reaches only the parent, which stops all parts in order.
    child = spawn(process.execPath, ['server/main.js'], {
      cwd: program,
      env: { ...process.env, ...env, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', 'ignore', log],
      detached: true,
    })
    closeSync(log)
    const until = Date.now() + START_MS
    while (!(await isReady(url))) {
      if (hasEnded(child) || Date.now() > until) {
        await kill()
        throw new Error(
          `${name} did not start: ${readFileSync(logFile, 'utf8').slice(-LOG_TAIL_CHARS).trim()}`,
        )
      }
      await sleep(50)
    }
  }

  async function ended(): Promise<void> {
    if (!hasEnded(child)) await once(child, 'exit')
  }

  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await ended()
  }

  await start()
  return { name, port, url, pid: () => child.pid, start, ended, kill }
}

/** Whether a service can serve. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
