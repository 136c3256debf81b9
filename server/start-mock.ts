// The reference server as a mock: ready at once, with a key, without limits that tests meet, without anything on the disk.
import { randomBytes } from 'node:crypto'
import { fail } from './config/start-lines.ts'
import { IN_MEMORY } from './keys/sqlite/sqlite-storage.ts'
import type { Announce } from './serve.ts'
import { start } from './start.ts'

/** The settings of a mock, which the environment overrides. */
const DEFAULTS = {
  DATA_DIR: IN_MEMORY,
  LLAMA_TINY: 'off',
  FAULTS: 'on',
  RATE_LIMIT_REQUESTS: '1000000000',
  DRAIN_SECONDS: '0',
  LOG_LEVEL: 'warn',
}

/** The interval in which it looks whether its parent still runs, in milliseconds. */
const LOOK_MS = 500

/** Serves until a signal; with `--json`, until its parent ends. */
export async function startMock(args: readonly string[]): Promise<void> {
  const isJson = args.includes('--json')
  if (isJson) endWithParent()
  // A generated password is hashed at the start, which takes longer than the start itself.
  const defaults = { ...DEFAULTS, DASHBOARD_PASSWORD: randomBytes(24).toString('base64url') }
  const announce: Announce = async ({ url, models }, keys) => {
    const { secret } = await keys.create({ name: 'mock', models: null, limit: null })
    if (isJson) return `${JSON.stringify({ baseUrl: url, apiKey: secret, models })}\n`
    return [
      url,
      `  key         ${secret}`,
      `  models      ${models.join(', ')}`,
      `  documents   ${url}/docs`,
      '',
    ].join('\n')
  }
  const flags = args.filter((flag) => flag !== '--json')
  if (process.env['WORKERS'] !== undefined || flags.some((flag) => flag.startsWith('--workers')))
    fail('--workers: a mock is one thread; `npm start` serves with several')
  await start(flags, { command: 'touchstone serve [--json]', defaults, announce })
}

/** Ends this process when its parent has ended: a test that was killed leaves no server behind. */
function endWithParent(): void {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, LOOK_MS).unref()
}
