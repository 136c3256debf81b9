// `npm start -- --workers 2` as its users run it: one port, exact limits and figures, and no end with a worker's end.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ServerProcess, startServerProcess } from '../server-process.fixture.ts'

const WORKERS = 2
let primary: ServerProcess

/** Where the figures are; undefined until all workers serve. */
const metricsUrl = () => /metrics +(\S+)/.exec(primary.output.join('\n'))?.[1]

beforeAll(async () => {
  primary = await startServerProcess({ METRICS_PORT: '0' }, ['--workers', String(WORKERS)])
  await vi.waitUntil(metricsUrl, 30_000)
})
afterAll(() => primary[Symbol.dispose]())

/** The processes of the workers. */
function workers(): number[] {
  const { pid } = primary.child
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}

/** The status of an answer on a connection of its own, which the primary gives to one of the workers. */
function statusOf(path: string, secret: string, agent = new Agent()): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${primary.url}${path}`, { agent, headers: { authorization: `Bearer ${secret}` } }, (answer) => {
      answer.resume().on('end', () => {
        agent.destroy()
        resolve(answer.statusCode ?? 0)
      })
    }).on('error', reject)
  })
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(metricsUrl() ?? '')).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('two workers', () => {
  test('admit together what one limit allows, and count together what they answered', async () => {
    const { secret } = await primary.createKey('--limit', '100/3600')
    const all = await Promise.all(Array.from({ length: 400 }, () => statusOf('/v1/models', secret)))
    expect(all.filter((status) => status === 200)).toHaveLength(100)
    expect(all.filter((status) => status === 429)).toHaveLength(300)
    expect(await figure('touchstone_requests_total\\{operation="models",status="200"\\}')).toBe(100)
    expect(await figure('touchstone_requests_total\\{operation="models",status="429"\\}')).toBe(300)
  })

  test('one that is killed is started again, and the limit is as it was', async () => {
    const { secret } = await primary.createKey('--limit', '3/3600')
    expect(await statusOf('/v1/models', secret)).toBe(200)
    const [killed = 0] = workers()
    process.kill(killed, 'SIGKILL')
    await expect
      .poll(() => workers().filter((pid) => pid !== killed).length, { timeout: 60_000 })
      .toBe(WORKERS)
    const all = await Promise.all(Array.from({ length: 10 }, () => statusOf('/v1/models', secret)))
    expect(all.filter((status) => status === 200)).toHaveLength(2)
  })

  test('SIGTERM ends all of them with 0', async () => {
    const before = workers()
    expect(await primary.end('SIGTERM')).toBe(0)
    for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
