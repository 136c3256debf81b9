// The servers that are measured on one model file: ours, llama-server, and llama-batched-bench, which has no HTTP and no
// sampling and so is the limit. Each is started with a number of threads and described in one line.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as textOf } from 'node:stream/consumers'
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
  /** Rejects when it ends, with how, and the last line that it wrote. */
  readonly died: Promise<never>
  stop(): Promise<void>
}

export async function startOurs({ file, threads, slots, contextTokens, folder }: Setup): Promise<Running> {
  const password = crypto.randomUUID()
  const child = spawn(process.execPath, ['server/main.js'], {
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
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const died = deathOf(child)
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), died])
  await Promise.race([answers(`${url}/readyz`), died])
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create'],
    { cwd: root, env: { ...process.env, DASHBOARD_URL: String(url), DASHBOARD_PASSWORD: password } },
  )
  const { secret }: { secret: string } = JSON.parse(stdout)
  return { ...running(child, died), url: String(url), key: secret, model: 'bench' }
}

export async function startLlamaServer(
  binary: string,
  { file, threads, slots, contextTokens }: Setup,
): Promise<Running> {
  const port = await freePort()
  const args = ['-m', file, '-t', threads, '-np', slots, '-c', slots * contextTokens, '--port', port]
  const child = spawn(binary, args.map(String), {
    env: withLibraries(binary),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = `http://127.0.0.1:${port}`
  const died = deathOf(child)
  await Promise.race([answers(`${url}/health`), died])
  return { ...running(child, died), url, key: 'none', model: 'bench' }
}

/** Tokens per second where `streams` answers of `tokens` tokens begin with prompts of `promptTokens`. */
export async function limitOf(
  binary: string,
  { file, threads }: Setup,
  { streams, promptTokens, tokens }: { streams: number; promptTokens: number; tokens: number },
): Promise<number> {
  const contextTokens = (promptTokens + tokens) * streams + 256
  const sizes = ['-npp', promptTokens, '-ntg', tokens, '-npl', streams, '-c', contextTokens, '-t', threads]
  const child = spawn(binary, ['-m', file, ...sizes.map(String), '--output-format', 'jsonl'], {
    env: withLibraries(binary),
    timeout: START_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const died = deathOf(child)
  const [stdout, [code]] = await Promise.all([textOf(child.stdout), once(child, 'close')])
  if (code !== 0) await died
  const line = stdout.split('\n').findLast((text) => text.startsWith('{'))
  const { t }: { t: number } = JSON.parse(line ?? '')
  return (streams * tokens) / t
}

/** The numbers of threads that are tried: one, and one for each core. */
export function threadCounts(): readonly number[] {
  return [...new Set([1, availableParallelism()])]
}

function running(child: ChildProcess, died: Promise<never>): Omit<Running, 'url' | 'key' | 'model'> {
  const pid = child.pid ?? 0
  return {
    died,
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

/** Rejects when the process ends. Nobody need wait for it: a server that is stopped dies too. */
function deathOf(child: ChildProcess): Promise<never> {
  let last = 'it wrote nothing'
  if (child.stderr !== null)
    createInterface(child.stderr).on('line', (line) => (last = line.trim() === '' ? last : line))
  const died = once(child, 'close').then(([code, signal]) => {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`
    throw new Error(`${child.spawnargs[0]} ended ${how}: ${last}`)
  })
  died.catch(() => {})
  return died
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
