// The quiet client: one small chat and one `/healthz` every 50 ms, each on a connection of its own. It runs in a
// thread, because the attackers delay their own event loop.
import http from 'node:http'
import https from 'node:https'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { urlAt } from '../../../harness/http/service-address.ts'
import { quietSettings, type QuietFigures } from './quiet-client.ts'

const EVERY_MS = 50

const { baseUrl, key, authHeader, model, timeoutMs, slowMs } = quietSettings(workerData)
const client = baseUrl.startsWith('https:') ? https : http
const credential = authHeader === undefined ? { authorization: `Bearer ${key}` } : { [authHeader]: key }
/** The delays of answers, in microseconds. */
const delays = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 })
let lost = new Map<string, number>()
const inFlight = new Set<Promise<void>>()

interface Probe {
  readonly path: string
  readonly body?: string
}

/** Resolves to the status, or to the error. */
function ask(agent: http.Agent, { path, body }: Probe): Promise<string> {
  return new Promise((resolve) => {
    const request = client.request(urlAt(baseUrl, path), {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...credential, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const failed = (error: Error): void => resolve('code' in error ? String(error.code) : error.name)
    request.on('error', failed)
    request.on('response', (answer) => {
      answer.on('error', failed)
      answer.resume().on('end', () => resolve(String(answer.statusCode)))
    })
    request.end(body)
  })
}

async function probe(agent: http.Agent, what: Probe): Promise<void> {
  const startedAt = performance.now()
  const status = await ask(agent, what)
  const ms = performance.now() - startedAt
  // Counts the requests that were due meanwhile, too: otherwise a long stall would count as one slow answer.
  for (let left = ms; left > 0; left -= EVERY_MS) delays.record(Math.max(1, Math.round(left * 1000)))
  if (status !== '200') lost.set(`${what.path}: ${status}`, (lost.get(`${what.path}: ${status}`) ?? 0) + 1)
  if (ms > slowMs) parentPort?.postMessage({ slow: { ms, path: what.path } }, [])
}

async function keepAsking(what: Probe): Promise<never> {
  const agent = new client.Agent({ keepAlive: true, maxSockets: 1 })
  let next = performance.now()
  for (;;) {
    const asking = probe(agent, what)
    inFlight.add(asking)
    await asking
    inFlight.delete(asking)
    const now = performance.now()
    next = Math.max(next + EVERY_MS, now)
    await sleep(next - now)
  }
}

/** Returns the figures since the last call, and waits for the requests in flight. */
async function report(): Promise<QuietFigures> {
  await Promise.all(inFlight)
  const ms = (microseconds: number): number => Math.round(microseconds / 100) / 10
  const figures = {
    answers: delays.count,
    p50Ms: ms(delays.percentile(50)),
    p99Ms: ms(delays.percentile(99)),
    maxMs: ms(delays.max),
    lost: Object.fromEntries(lost),
  }
  delays.reset()
  lost = new Map()
  return figures
}

parentPort?.on('message', () => void report().then((figures) => parentPort?.postMessage({ figures }, [])))
const messages = [{ role: 'user', content: 'hello' }]
void keepAsking({ path: '/v1/chat/completions', body: JSON.stringify({ model, messages, max_tokens: 1 }) })
void keepAsking({ path: '/healthz' })
