// `npm start -- --workers 2` as its users run it: one port, exact limits and figures, and no end with a worker's end.
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openSqliteStorage } from '../keys/sqlite/sqlite-storage.ts'
import { failingStart, type ServerProcess, startServerProcess } from '../server-process.fixture.ts'

const WORKERS = 2
const NODE_OPTIONS = `--import=${new URL('./mortal-worker.fixture.ts', import.meta.url).href}`
const settings = { METRICS_PORT: '0', NODE_OPTIONS, LOG_LEVEL: 'info', FAULTS: 'on' }
let server: ServerProcess

/** Where the figures are; undefined until all workers serve. */
const metricsUrl = () => /metrics +(\S+)/.exec(server.output.join('\n'))?.[1]

beforeAll(async () => {
  server = await startServerProcess(settings, ['--workers', String(WORKERS)])
  await vi.waitUntil(metricsUrl, 30_000)
})
afterAll(() => server[Symbol.dispose]())

/** The head of an answer on a connection of its own, which the system gives to one of the workers. */
function ask(path: string, secret: string, body?: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request(`${server.url}${path}`, { agent: new Agent(), method, headers }, resolve)
    outgoing.on('error', reject).end(body && JSON.stringify(body))
  })
}

/** The status of an answer, and the worker that sent it. */
async function answered(path: string, secret = '') {
  const { statusCode, headers, socket } = await ask(path, secret)
  socket.destroy()
  return { status: statusCode, worker: String(headers['x-worker']) }
}

const together = (count: number, path: string, secret?: string) =>
  Promise.all(Array.from({ length: count }, () => answered(path, secret)))

/** The workers that serve. */
async function workers(): Promise<string[]> {
  const all = await together(30, '/healthz')
  return [...new Set(all.map(({ worker }) => worker))].toSorted()
}

const STALLED = {
  model: 'svc-0.1-echo',
  stream: true,
  messages: [{ role: 'user', content: '#fault stall=600000 at=1\n0123456789' }],
}

/** Starts streams that wait after their first delta, until the end of the test. */
async function stalled(count: number, secret: string): Promise<IncomingMessage[]> {
  const asked = Array.from({ length: count }, () => ask('/v1/chat/completions', secret, STALLED))
  const streams = await Promise.all(asked)
  onTestFinished(() => streams.forEach(({ socket }) => socket.destroy()))
  return streams
}

const statuses = (answers: readonly IncomingMessage[]) =>
  answers.map(({ statusCode }) => statusCode).toSorted()

async function figure(name: string): Promise<number> {
  const text = await (await fetch(metricsUrl() ?? '')).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

describe('two workers', () => {
  test('admit together what one limit allows, and count together what they answered', async () => {
    const { secret } = await server.createKey('--limit', '100/3600')
    const all = await together(400, '/v1/models', secret)
    expect(all.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(300)
    expect(new Set(all.map(({ worker }) => worker)).size).toBe(WORKERS)
    expect(await figure('touchstone_requests_total\\{operation="models",status="200"\\}')).toBe(100)
    expect(await figure('touchstone_requests_total\\{operation="models",status="429"\\}')).toBe(300)
  })

  test('report the memory of their process once', async () => {
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    const kib = Number(/VmRSS:\s*(\d+)/.exec(status)?.[1])
    const reported = (await figure('process_resident_memory_bytes')) / 1024
    expect(reported / kib).toBeGreaterThan(0.7)
    expect(reported / kib).toBeLessThan(1.4)
  })

  test('one that fails is started again: the limit is as it was, its slots are free and the others are not', async () => {
    const storage = openSqliteStorage({ dataDir: server.dataDir })
    const limit = { requests: 100, windowSeconds: 3600 }
    const { secret } = await storage.keys.create({ name: 'slots', models: null, limit, concurrency: 12 })
    await storage.close()
    const limited = await server.createKey('--limit', '100/3600')
    await together(34, '/v1/models', limited.secret)
    const before = await workers()
    const streams = await stalled(12, secret)
    expect(statuses(await stalled(8, secret))).toEqual(Array(8).fill(429))

    await answered('/fail').catch(() => {})
    const isNew = (worker: string): boolean => !before.includes(worker)
    await expect.poll(async () => (await workers()).filter(isNew), { timeout: 60_000 }).toHaveLength(1)
    const left = (await workers()).find((worker) => !isNew(worker))
    const kept = streams.filter(({ headers }) => headers['x-worker'] === left).length
    expect(statuses(await stalled(14, secret))).toEqual([
      ...Array(12 - kept).fill(200),
      ...Array(2 + kept).fill(429),
    ])
    const all = await together(80, '/v1/models', limited.secret)
    expect(all.filter(({ status }) => status === 200)).toHaveLength(66)
    expect(server.log.join('\n')).toContain('a worker failed')
    expect(server.log.join('\n')).not.toContain('svc_sk_made-up')
  })

  test('do not share their port with another server', async () => {
    const { port } = new URL(server.url)
    const { code, lines } = await failingStart({ PORT: port, WORKERS: '2' })
    expect([code, lines]).toEqual([2, [`cannot listen on 127.0.0.1:${port}: port ${port} is in use`]])
  })

  test('a second signal ends all of them at once', async () => {
    const patient = { ...settings, SHUTDOWN_GRACE_SECONDS: '3600' }
    using other = await startServerProcess(patient, ['--workers', String(WORKERS)])
    const { secret } = await other.createKey()
    await other.chat(secret, STALLED)
    const ended = other.end('SIGTERM')
    const accepts = () => fetch(`${other.url}/healthz`).then(Boolean, () => false)
    await expect.poll(accepts).toBe(false)
    other.child.kill('SIGTERM')
    expect(await ended).toBe(1)
  })

  test('SIGTERM ends all of them with 0, after a line of the log for each request', async () => {
    const { secret } = await server.createKey()
    await together(100, '/v1/models/last', secret)
    expect(await server.end('SIGTERM')).toBe(0)
    const linesOf = (path: string) => server.log.filter((line) => JSON.parse(line).path === path).length
    await expect.poll(() => linesOf('/v1/models/last')).toBe(100)
    expect(linesOf('/v1/models')).toBe(400 + 34 + 80)
  })
})
