// Starts the server as a process, for tests of what only a process shows.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')
export const DASHBOARD_PASSWORD = 'correct horse battery staple'

export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>

function spawnServer(
  settings: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  descriptors?: number,
) {
  const command = [process.execPath, 'server/main.js', ...flags]
  const bounded = ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(descriptors), ...command]
  const [program = '', ...args] = descriptors === undefined ? command : bounded
  return spawn(program, args, {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      DASHBOARD_PASSWORD,
      DRAIN_SECONDS: '0',
      LLAMA_TINY: 'off',
      LOG_LEVEL: 'silent',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A start that ends: its exit code, and its lines on stderr. */
export async function failingStart(settings: Readonly<Record<string, string>>) {
  const child = spawnServer(settings)
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (data: string) => (text += data))
  const [code] = await once(child, 'close')
  return { code, lines: text.trim().split('\n') }
}

/**
 * Starts a server with these settings and flags and the echo model only, in a new data folder unless `DATA_DIR` names
 * one. `descriptors` is how many file descriptors it may open. Throws with its output if it does not start.
 */
export async function startServerProcess(
  settings: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  descriptors?: number,
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-server-'))
  const child = spawnServer({ DATA_DIR: dataDir, ...settings }, flags, descriptors)
  const output: string[] = []
  const log: string[] = []
  const stdout = createInterface(child.stdout).on('line', (line) => output.push(line))
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const [url] = await Promise.race([once(stdout, 'line'), once(child, 'close')])
  if (typeof url !== 'string') {
    rmSync(dataDir, { recursive: true, force: true })
    throw new Error(`the server did not start: ${log.join('\n')}`)
  }

  async function keyCommand(...words: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['server/dashboard/key-command.ts', ...words],
      { cwd: root, env: { ...process.env, DASHBOARD_URL: url, DASHBOARD_PASSWORD } },
    )
    return stdout
  }

  return {
    url,
    child,
    dataDir,
    /** The lines on stdout, for people. */
    output,
    /** The lines on stderr, which are the log. */
    log,
    createKey: async (...flags: string[]): Promise<{ readonly id: string; readonly secret: string }> =>
      JSON.parse(await keyCommand('create', ...flags)),
    /** Resolves when the revocation was answered. */
    revokeKey: async (id: string) => void (await keyCommand('revoke', id)),
    /** Requests the list of models with this key. Returns the status. */
    async models(secret: string) {
      return (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status
    },
    /** Requests a completion. */
    async chat(secret: string, body: Readonly<Record<string, unknown>>) {
      return await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...body }),
      })
    },
    /** Sends a signal. Returns the exit code, or null if the signal ended the process. */
    async end(signal: NodeJS.Signals) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal)
        await once(child, 'exit')
      }
      return child.exitCode
    },
    /** Kills the process and removes its folder. */
    [Symbol.dispose]() {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
