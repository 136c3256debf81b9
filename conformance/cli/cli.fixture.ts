// The command line for tests, as a process of its own or within this one, and a service that it can judge.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'

/** The key that a judge is given unless a test says otherwise. */
export const KEY = `svc_sk_${'Zk3v9QeWq1xR7tYb5nUo2mLc8pHs4dGa6fJi0wBzXyV'}`

/** The error output of a run without a complaint: progress, if it takes more than half a minute. */
export const PROGRESS_ALONE = /^(\d+ of \d+ checks, .*\n)*$/

const cli = join(import.meta.dirname, '..', 'cli.js')

export type Ended = Awaited<ReturnType<typeof startCli>['ended']>

/** The environment of this process without what a judge would read of it, with a key and these variables. */
function environmentOf(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const outer = /^(CONFORMANCE_|GITHUB_|https?_proxy$|no_proxy$|SSL_CERT_|NODE_EXTRA_CA_CERTS$)/i
  const clean = Object.entries(process.env).filter(([name]) => !outer.test(name))
  return { ...Object.fromEntries(clean), CONFORMANCE_API_KEY: KEY, ...env }
}

/** Starts the judge; `printed` returns its output so far, and `interrupt` sends it a signal. */
export function startCli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (stdout += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece))
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code, stdout, stderr }))
  return { ended, printed: () => stdout, interrupt: (signal: NodeJS.Signals) => child.kill(signal) }
}

export const runCli = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  startCli(args, env).ended

let latest: Promise<unknown> = Promise.resolve()

/**
 * Does as a command line says within this process, which starts nothing and so costs a tenth of a process; calls wait for each
 * other. Not beside concurrent tests, because the environment and the output of this process are those of the call.
 */
export function callCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const called = latest.then(() => callNow(args, env))
  latest = called.catch(() => undefined)
  return called
}

async function callNow(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const { judgedBy } = await import('./judge-command.ts')
  const outer = process.env
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  process.env = environmentOf(env)
  try {
    const code = await judgedBy(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.env = outer
    stdout.end()
    stderr.end()
  }
}

/** Keeps the texts that are written to a stream from now on. */
function capture(stream: NodeJS.WriteStream) {
  let text = ''
  const { write } = stream
  stream.write = (piece: Uint8Array | string, ...more: unknown[]): boolean => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
    const written = more.find((each) => typeof each === 'function')
    written?.()
    return true
  }
  return { text: () => text, end: () => void (stream.write = write) }
}

export const refusal = (code: string, type = 'authentication_error') => ({
  error: { message: 'No.', type, code, param: null },
})

/** A service that is right about keys and its models; `code` is what a missing one is refused with. */
export function startService(code = 'missing_api_key', onChat: () => unknown = () => {}) {
  return startTestServer((request, response) => {
    if (request.headers.authorization === undefined) return sendJson(response, 401, refusal(code))
    if (request.url === '/v1/models')
      return sendJson(response, 200, { object: 'list', data: [{ id: 'm-1' }] })
    if (request.url === '/v1/chat/completions' && onChat() === 'silent') return undefined
    return sendJson(response, 404, refusal('model_not_found', 'model_not_found'))
  })
}
