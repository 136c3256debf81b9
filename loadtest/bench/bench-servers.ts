// The servers that a benchmark compares, each on a free port: the server as its users run it, and the bare one.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import {
  type BenchProcess,
  firstLine,
  folder,
  type ProcessOptions,
  root,
  startProcess,
  untilReady,
} from './bench-processes.ts'

/** The answer of the bare server: a JSON body in one piece, or an event stream in its records. */
export interface BareAnswer {
  readonly contentType: string
  readonly pieces: readonly string[]
}

interface Process extends BenchProcess {
  readonly port: number
}

export type OurServer = Awaited<ReturnType<typeof startServer>>

/** The arguments of Node in `npm start`. */
const START_ARGUMENTS = packageJson.scripts.start.split(' ').slice(1)

/** Starts the server as `npm start` does, and creates a key with a limit that is never reached. */
export async function startServer({ env = {}, stderr = 'ignore' }: ProcessOptions = {}) {
  const password = crypto.randomUUID()
  const startedAt = performance.now()
  const dataDir = join(folder, crypto.randomUUID())
  const own = { PORT: '0', DATA_DIR: dataDir, DASHBOARD_PASSWORD: password, DRAIN_SECONDS: '0' }
  const started = startProcess(process.execPath, START_ARGUMENTS, { env: { ...own, ...env }, stderr })
  const url = await firstLine(started)
  await untilReady(`${url}/readyz`, started)
  /** Time from its start to the first 200 of `/readyz`, in milliseconds. */
  const readyAfterMs = performance.now() - startedAt
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create', '--limit', '1000000/1'],
    { cwd: root, env: { ...process.env, DASHBOARD_URL: url, DASHBOARD_PASSWORD: password } },
  )
  const { secret }: { secret: string } = JSON.parse(stdout)
  return { ...started, port: Number(new URL(url).port), url, key: secret, readyAfterMs }
}

/** Starts the bare server, which sends `answer` to every request. */
export async function startBare(
  answer: BareAnswer,
  env: Readonly<Record<string, string>> = {},
): Promise<Process> {
  const started = startProcess(process.execPath, ['loadtest/bench/bare-server.ts'], {
    env: { BARE_ANSWER: JSON.stringify(answer), ...env },
  })
  return { ...started, port: Number(await firstLine(started)) }
}
