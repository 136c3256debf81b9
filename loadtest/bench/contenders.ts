// The processes that a benchmark compares, each on a free port: the server as its users run it, what it is held against,
// and the mock servers of the field where they are installed.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BareAnswer } from './bare-answer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const children = new Set<ChildProcess>()

/** For keys, profiles and answers; removed with `stopAll`. */
export const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))

export interface Process {
  readonly port: number
  readonly pid: number
  readonly child: ChildProcess
}

export function stopAll(): void {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

export interface ServerOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly profiled?: boolean
}

/** The server as `npm start` runs it, and a key without a real limit. */
export async function startServer({ env = {}, profiled = false }: ServerOptions = {}): Promise<
  Process & {
    readonly url: string
    readonly key: string
    readonly dataDir: string
    /** From its start to the first 200 of `/readyz`, in milliseconds. */
    readonly readyAfterMs: number
  }
> {
  const password = crypto.randomUUID()
  const startedAt = performance.now()
  const dataDir = join(folder, crypto.randomUUID())
  const own = { PORT: '0', DATA_DIR: dataDir, DASHBOARD_PASSWORD: password }
  const flags = profiled ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
  const { line: url, ...process_ } = await start([...flags, 'server/main.js'], {
    DRAIN_SECONDS: '0',
    ...own,
    ...env,
  })
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(5)
  const readyAfterMs = performance.now() - startedAt
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create', '--limit', '1000000/1'],
    { cwd: root, env: { ...process.env, DASHBOARD_URL: url, DASHBOARD_PASSWORD: password } },
  )
  const { secret }: { secret: string } = JSON.parse(stdout)
  return { ...process_, port: Number(new URL(url).port), url, key: secret, dataDir, readyAfterMs }
}

/** A server of this folder that gives `answer` whatever it is asked. */
export async function startReference(
  file: string,
  answer: BareAnswer,
  env: Readonly<Record<string, string>> = {},
): Promise<Process> {
  const { line, ...process_ } = await start([file], { BARE_ANSWER: JSON.stringify(answer), ...env })
  return { ...process_, port: Number(line) }
}

/** A mock server of the field, which may not be installed. */
export interface Peer {
  readonly name: string
  start(answer: string, model: string): Promise<Process> | undefined
}

export const PEERS: readonly Peer[] = [
  {
    name: 'aimock',
    start(answer) {
      const found = aimockProgram()
      if (found === undefined) return undefined
      const fixtures = join(folder, 'aimock.json')
      writeFileSync(fixtures, JSON.stringify({ fixtures: [{ match: {}, response: { content: answer } }] }))
      const args = [found, '-f', fixtures, '--chunk-size', '4', '--log-level', 'silent', '--journal-max', '1']
      return startOnPort(process.execPath, (port) => [...args, '-p', port])
    },
  },
  {
    name: 'llm-d-inference-sim',
    start(_, model) {
      const program = process.env['INFERENCE_SIM_BIN'] ?? 'llm-d-inference-sim'
      if (spawnSync(program, ['--help']).error !== undefined) return undefined
      return startOnPort(program, (port) => [
        '--port',
        port,
        '--model',
        model,
        '--mode',
        'echo',
        '--force-dummy-tokenizer',
      ])
    },
  },
]

/** The program of `@copilotkit/aimock`, which is installed beside this project or where NODE_PATH says. */
function aimockProgram(): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths('@copilotkit/aimock') ?? []
  return folders.map((path) => join(path, '@copilotkit/aimock/dist/cli.js')).find((path) => existsSync(path))
}

/** Starts a program on a port that is free, and waits until it listens there. */
async function startOnPort(program: string, args: (port: string) => readonly string[]): Promise<Process> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await promisify(probe.close.bind(probe))()
  const child = spawn(program, args(String(port)), { stdio: 'ignore' })
  children.add(child)
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended before it was ready`)
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
    if (answer !== undefined) return { port, pid: child.pid ?? 0, child }
    await sleep(100)
  }
}

/** Starts a Node process and waits for the first line that it prints. */
async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly pid: number; readonly line: string }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.add(child)
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${args.join(' ')} ended before it was ready`)
  })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])
  return { child, pid: child.pid ?? 0, line: String(line) }
}
