// The servers that a benchmark compares, each on a free port: the server as its users run it, the references, and the
// installed mock servers of other projects.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import type { BareAnswer } from './bare-answer.ts'
import {
  type BenchProcess,
  firstLine,
  folder,
  type ProcessOptions,
  root,
  startOnPort,
  startProcess,
  untilReady,
} from './bench-processes.ts'

export interface Process extends BenchProcess {
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
  return { ...started, port: Number(new URL(url).port), url, key: secret, dataDir, readyAfterMs }
}

/** Starts a server of this folder that sends `answer` to every request. */
export async function startReference(
  file: string,
  answer: BareAnswer,
  env: Readonly<Record<string, string>> = {},
): Promise<Process> {
  const started = startProcess(process.execPath, [file], {
    env: { BARE_ANSWER: JSON.stringify(answer), ...env },
  })
  return { ...started, port: Number(await firstLine(started)) }
}

/** A mock server of another project, which may not be installed. */
export interface Peer {
  readonly name: string
  start(answer: string, model: string): Promise<Process> | undefined
}

export const PEERS: readonly Peer[] = [
  {
    name: 'aimock',
    start(answer) {
      const program = aimockProgram()
      if (program === undefined) return undefined
      const fixtures = join(folder, 'aimock.json')
      writeFileSync(fixtures, JSON.stringify({ fixtures: [{ match: {}, response: { content: answer } }] }))
      const args = ['-f', fixtures, '--chunk-size', 4, '--log-level', 'silent', '--journal-max', 1]
      return startOnPort(process.execPath, (port) => [program, ...args, '-p', port], { path: '/health' })
    },
  },
  {
    name: 'llm-d-inference-sim',
    start(_, model) {
      const program = process.env['INFERENCE_SIM_BIN'] ?? 'llm-d-inference-sim'
      if (spawnSync(program, ['--help']).error !== undefined) return undefined
      const args = ['--model', model, '--mode', 'echo', '--force-dummy-tokenizer']
      return startOnPort(program, (port) => ['--port', port, ...args], { path: '/health' })
    },
  },
]

/** The program of `@copilotkit/aimock`, installed beside this project or in NODE_PATH. */
function aimockProgram(): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths('@copilotkit/aimock') ?? []
  return folders.map((path) => join(path, '@copilotkit/aimock/dist/cli.js')).find((path) => existsSync(path))
}
