// Starts the server as a process, for tests of what only a process shows.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')
const DASHBOARD_PASSWORD = 'correct horse battery staple'

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  readonly dataDir: string
  /** The lines on stdout, for people. */
  readonly output: readonly string[]
  /** The lines on stderr, which are the log. */
  readonly log: readonly string[]
  createKey(): Promise<{ readonly id: string; readonly secret: string }>
  /** Resolves when the revocation was answered. */
  revokeKey(id: string): Promise<void>
  /** Kills the process and removes its folder. */
  [Symbol.dispose](): void
}

/**
 * Starts a server with these settings and the echo model only, in a new data folder unless `DATA_DIR` names one. Throws
 * with its output if it does not start.
 */
export async function startServerProcess(
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-server-'))
  const child = spawn(process.execPath, ['server/main.js'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: dataDir,
      DASHBOARD_PASSWORD,
      LLAMA_TINY: 'off',
      LOG_LEVEL: 'silent',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
    output,
    log,
    createKey: async () => JSON.parse(await keyCommand('create')),
    revokeKey: async (id) => void (await keyCommand('revoke', id)),
    [Symbol.dispose]() {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
