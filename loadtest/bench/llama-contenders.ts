// The servers that are measured on one model file: ours, llama-server, and llama-batched-bench, which has no HTTP and no
// sampling and so is the limit. Each is started with a number of threads and described in one line.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** How long a server may take to load the model, in milliseconds. */
const START_TIMEOUT_MS = 120_000

export interface Setup {
  /** A GGUF file. */
  readonly file: string
  readonly threads: number
  /** The most streams at once. */
  readonly slots: number
  /** Tokens of a prompt and its answer, for each of them. */
  readonly contextTokens: number
  /** An empty folder for what ours keeps. */
  readonly folder: string
}

export interface Running {
  readonly url: string
  readonly key: string
  readonly model: string
  /** The most memory that it has had, and what it has now, in MB; undefined where the system does not report it. */
  peakMegabytes(): number | undefined
  megabytes(): number | undefined
  stop(): Promise<void>
}

export async function startOurs({ file, threads, slots, contextTokens, folder }: Setup): Promise<Running> {
  const password = crypto.randomUUID()
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: join(folder, `ours-${threads}`),
      DASHBOARD_PASSWORD: password,
      LLAMA_MODELS: `bench=${file}`,
      LLAMA_THREADS: String(threads),
      LLAMA_SLOTS: String(slots),
      LLAMA_CONTEXT: String(contextTokens),
      RATE_LIMIT_REQUESTS: '1000000',
      DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), ended(child)])
  await answers(`${url}/readyz`)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create'],
    { cwd: root, env: { ...process.env, DASHBOARD_URL: String(url), DASHBOARD_PASSWORD: password } },
  )
  const { secret }: { secret: string } = JSON.parse(stdout)
  return running(child, String(url), secret, 'bench')
}

export async function startLlamaServer(
  binary: string,
  { file, threads, slots, contextTokens }: Setup,
): Promise<Running> {
  const port = await freePort()
  const args = ['-m', file, '-t', threads, '-np', slots, '-c', slots * contextTokens, '--port', port]
  const child = spawn(binary, args.map(String), { env: withLibraries(binary), stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await Promise.race([answers(`${url}/health`), ended(child)])
  return running(child, url, 'none', 'bench')
}

/** Tokens per second where `streams` answers of `tokens` tokens begin with prompts of `promptTokens`. */
export async function limitOf(
  binary: string,
  { file, threads }: Setup,
  { streams, promptTokens, tokens }: { streams: number; promptTokens: number; tokens: number },
): Promise<number> {
  const contextTokens = (promptTokens + tokens) * streams + 256
  const sizes = ['-npp', promptTokens, '-ntg', tokens, '-npl', streams, '-c', contextTokens, '-t', threads]
  const { stdout } = await promisify(execFile)(
    binary,
    ['-m', file, ...sizes.map(String), '--output-format', 'jsonl'],
    { env: withLibraries(binary), timeout: START_TIMEOUT_MS },
  )
  const line = stdout.split('\n').findLast((text) => text.startsWith('{'))
  const { t }: { t: number } = JSON.parse(line ?? '')
  return (streams * tokens) / t
}

/** The numbers of threads that are tried: one, and one for each core. */
export function threadCounts(): readonly number[] {
  return [...new Set([1, availableParallelism()])]
}

function running(child: ChildProcess, url: string, key: string, model: string): Running {
  const pid = child.pid ?? 0
  return {
    url,
    key,
    model,
    peakMegabytes: () => megabytes(pid, 'VmHWM'),
    megabytes: () => megabytes(pid, 'VmRSS'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), 5000)
      await once(child, 'exit')
      clearTimeout(kill)
    },
  }
}

/** A server that was built beside its libraries finds them there. */
function withLibraries(binary: string): NodeJS.ProcessEnv {
  const path = [dirname(binary), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':')
  return { ...process.env, LD_LIBRARY_PATH: path }
}

async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error(`${child.spawnargs.join(' ')} ended before it was ready`)
}

async function answers(url: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const ready = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    if (performance.now() > deadline) throw new Error(`${url} was not ready in time`)
    await sleep(100)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Of a process and its children; only Linux reports it. */
function megabytes(pid: number, field: 'VmHWM' | 'VmRSS'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const own = Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return children
      .filter((child) => child !== '')
      .reduce((sum, child) => sum + (megabytes(Number(child), field) ?? 0), own)
  } catch {
    return undefined
  }
}
