// The server as a process of its own, for tests of what only a process shows.
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
  createKey(): Promise<{ readonly id: string; readonly secret: string }>
  /** Resolves when the revocation was answered. */
  revokeKey(id: string): Promise<void>
  /** Kills it. */
  [Symbol.dispose](): void
}

/** Starts one with these settings, and the echo model alone; in a folder of its own unless `DATA_DIR` names one. */
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
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const url = String(line)

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
    createKey: async () => JSON.parse(await keyCommand('create')),
    revokeKey: async (id) => void (await keyCommand('revoke', id)),
    [Symbol.dispose]() {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
