// The reference server as a mock for programs: `serve` of the package. It runs as a process of its own, so that a test that blocks
// its event loop does not block the server.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { UsageError } from '../harness/cli/usage-error.ts'
import { stopProcess } from '../harness/waiting.ts'
import { errorEnvelope } from '../spec/protocol/error.ts'

/** A failure of the next requests with the key. */
export interface OrderedFault {
  /** The status of the answers, from 400 to 599. */
  readonly status: number
  /** The number of requests that fail. Default: 1. */
  readonly count?: number
  /** Their `Retry-After`, in seconds. */
  readonly retryAfter?: number
}

export interface MockOptions {
  /** Default: a free port. */
  readonly port?: number
  /** The first requests fail so, in turn. */
  readonly faults?: readonly OrderedFault[]
  /** Settings of the server by the names of their variables (docs/settings.md). */
  readonly settings?: Readonly<Record<string, string>>
}

export interface Mock {
  /** The address of the service; client libraries take it with `/v1` behind it. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly models: readonly string[]
  /** The next requests fail so, in turn; this replaces earlier orders. */
  failNext(...faults: readonly OrderedFault[]): Promise<void>
  /** Resolves when the process has ended. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const OPTIONS = ['port', 'faults', 'settings']

/** The time after which a mock that does not stop is killed, in milliseconds. */
const STOP_MS = 5_000

/**
 * Starts the server. It ends with this process at the latest. Throws a `UsageError` (by `name`) for an option that it does not
 * know, and if the server cannot start with these.
 */
export async function serve(options: MockOptions = {}): Promise<Mock> {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`serve: no option '${unknown}': expected ${OPTIONS.join(', ')}`)
  const { port = 0, faults = [], settings = {} } = options
  const child = spawn(
    process.execPath,
    [new URL('./mock.js', import.meta.url).pathname, '--port', String(port), '--json'],
    { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const { baseUrl, apiKey, models } = await firstLine(child)
  // The process that starts it may end before it: the mock looks for that by itself.
  child.unref()
  const close = (): Promise<void> => stopProcess(child, STOP_MS)
  async function failNext(...orders: readonly OrderedFault[]): Promise<void> {
    const answer = await fetch(`${baseUrl}/faults`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        orders.map(({ status, count, retryAfter }) => ({ status, count, retry_after: retryAfter })),
      ),
    })
    if (!answer.ok) throw new UsageError(`faults: ${messageOf(await answer.json())}`)
  }
  try {
    if (faults.length > 0) await failNext(...faults)
  } catch (error) {
    await close()
    throw error
  }
  return { baseUrl, apiKey, models, failNext, close, [Symbol.asyncDispose]: close }
}

/** The line that the server prints when it listens. Rejects with its last words if it ends before that. */
async function firstLine(child: ChildProcess): Promise<Pick<Mock, 'baseUrl' | 'apiKey' | 'models'>> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the server has no output')
  let log = ''
  stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-2_000)))
  const lines = createInterface(stdout)
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'close').then(() => [])])
  if (typeof line !== 'string') throw new UsageError(`the server did not start: ${log.trim()}`)
  // Its output no longer keeps this process from ending.
  for (const stream of [stdout, stderr])
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
  return JSON.parse(line)
}

/** The message of a refusal. */
function messageOf(body: unknown): string {
  const { error } = errorEnvelope.parse(body)
  return error.message
}
