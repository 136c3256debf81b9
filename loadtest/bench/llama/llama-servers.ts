// The servers that run one model file: ours, llama-server, and llama-batched-bench, which has no HTTP and no sampling
// and so is the upper limit.
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { startServer } from '../bench-servers.ts'
import { stopProcess } from '../../../harness/waiting.ts'
import {
  type BenchProcess,
  STOP_TIMEOUT_MS,
  memoryMib,
  startOnPort,
  startProcess,
} from '../bench-processes.ts'

export interface Setup {
  /** A GGUF file. */
  readonly file: string
  readonly threads: number
  /** The most concurrent streams. */
  readonly slots: number
  /** Tokens of a prompt and its answer, for each slot. */
  readonly contextTokens: number
}

export type Running = ReturnType<typeof running>

export async function startOurs({ file, threads, slots, contextTokens }: Setup): Promise<Running> {
  const env = {
    LLAMA_MODELS: `bench=${file}`,
    LLAMA_THREADS: String(threads),
    LLAMA_SLOTS: String(slots),
    LLAMA_CONTEXT: String(contextTokens),
  }
  const server = await startServer({ env, stderr: 'pipe' })
  return running(server, server.url, server.key)
}

export async function startLlamaServer(
  binary: string,
  { file, threads, slots, contextTokens }: Setup,
): Promise<Running> {
  const args = ['-m', file, '-t', threads, '-np', slots, '-c', slots * contextTokens]
  const server = await startOnPort(binary, (port) => [...args, '--port', port], {
    path: '/health',
    env: besideLibraries(binary),
    stderr: 'pipe',
  })
  return running(server, `http://127.0.0.1:${server.port}`, 'none')
}

/** Tokens per second of `streams` answers of `tokens` tokens after prompts of `promptTokens`. */
export async function limitOf(
  binary: string,
  { file, threads }: Setup,
  { streams, promptTokens, tokens }: { streams: number; promptTokens: number; tokens: number },
): Promise<number> {
  const contextTokens = (promptTokens + tokens) * streams + 256
  const sizes = ['-npp', promptTokens, '-ntg', tokens, '-npl', streams, '-c', contextTokens, '-t', threads]
  const args = ['-m', file, ...sizes, '--output-format', 'jsonl']
  const options = { env: besideLibraries(binary), stderr: 'pipe' } as const
  const { child, stdout, died } = startProcess(binary, args, options)
  const [text, [code]] = await Promise.all([textOf(stdout), once(child, 'close')])
  if (code !== 0) await died
  const line = text.split('\n').findLast((one) => one.startsWith('{'))
  if (line === undefined) throw new Error(`${binary} printed no figures`)
  const { t }: { t: number } = JSON.parse(line)
  return (streams * tokens) / t
}

/** The thread counts that are tried: one, and one for each core. */
export function threadCounts(): readonly number[] {
  return [...new Set([1, availableParallelism()])]
}

function running(started: BenchProcess, url: string, key: string) {
  return {
    url,
    key,
    model: 'bench',
    /** Rejects when the process ends, with its last line on stderr. */
    died: started.died,
    /** Peak and current memory, in MB; undefined outside Linux. */
    peakMegabytes: () => memoryMib(started.pid, 'VmHWM'),
    megabytes: () => memoryMib(started.pid, 'VmRSS'),
    stop: () => stopProcess(started.child, STOP_TIMEOUT_MS),
  }
}

/** The environment in which a binary finds the libraries in its folder. */
function besideLibraries(binary: string): Record<string, string> {
  return { LD_LIBRARY_PATH: [dirname(binary), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':') }
}
