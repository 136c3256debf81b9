// One instance of the server as a process.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../harness/http/free-port.ts'
import { answers } from '../harness/waiting.ts'
import { startPart } from './start-part.ts'

/** The length of the log that a failed start shows, in characters. */
const LOG_TAIL_CHARS = 1000

export type Instance = Awaited<ReturnType<typeof startInstance>>

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
export async function startInstance(options: InstanceOptions) {
  const { name, env, logFile, program = fileURLToPath(new URL('..', import.meta.url)) } = options
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const part = await startPart({
    name,
    spawn() {
      const log = openSync(logFile, 'a')
      const child = spawn(process.execPath, startArguments(program), {
        cwd: program,
        env: { ...process.env, ...env, HOST: '127.0.0.1', PORT: String(port) },
        stdio: ['ignore', 'ignore', log],
        detached: true,
      })
      closeSync(log)
      return child
    },
    isReady: () => isReady(url),
    startMs: 60_000,
    log: () => readFileSync(logFile, 'utf8').slice(-LOG_TAIL_CHARS).trim(),
  })
  return { ...part, port, url }
}

function startArguments(program: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8'))
  return String(scripts.start).split(' ').slice(1)
}

/** Returns whether an instance is ready. */
export function isReady(url: string): Promise<boolean> {
  return answers(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })
}
