// `npm start -- --workers 2` as its users run it: one port, exact limits and figures, and no end with a worker's end.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const WORKERS = 2
const password = 'correct horse battery staple'
const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-workers-'))
let primary: ChildProcess
let url = ''
let metricsUrl = ''

beforeAll(async () => {
  const child = spawn(process.execPath, ['server/main.js', '--workers', String(WORKERS)], {
    env: {
      ...process.env,
      PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: dataDir,
      DASHBOARD_PASSWORD: password,
      DRAIN_SECONDS: '0',
      LLAMA_TINY: 'off',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  primary = child
  // The line of the figures comes when all workers serve.
  for await (const line of createInterface(child.stdout)) {
    url ||= line
    const [, found] = /^ {2}metrics +(\S+)/.exec(line) ?? []
    if (found !== undefined) {
      metricsUrl = found
      break
    }
  }
})
afterAll(() => {
  primary.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

/** The processes of the workers. */
function workers(): number[] {
  const children = readFileSync(`/proc/${primary.pid}/task/${primary.pid}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}

async function createKey(...limits: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create', ...limits],
    { env: { ...process.env, DASHBOARD_URL: url, DASHBOARD_PASSWORD: password } },
  )
  const { secret }: { secret: string } = JSON.parse(stdout)
  return secret
}

/** The status of an answer on a connection of its own, which the primary gives to one of the workers. */
function statusOf(path: string, secret: string, agent = new Agent()): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${secret}` } }, (answer) => {
      answer.resume().on('end', () => {
        agent.destroy()
        resolve(answer.statusCode ?? 0)
      })
    }).on('error', reject)
  })
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('two workers', () => {
  test('admit together what one limit allows, and count together what they answered', async () => {
    const secret = await createKey('--limit', '100/3600')
    const all = await Promise.all(Array.from({ length: 400 }, () => statusOf('/v1/models', secret)))
    expect(all.filter((status) => status === 200)).toHaveLength(100)
    expect(all.filter((status) => status === 429)).toHaveLength(300)
    expect(await figure('touchstone_requests_total\\{operation="models",status="200"\\}')).toBe(100)
    expect(await figure('touchstone_requests_total\\{operation="models",status="429"\\}')).toBe(300)
  })

  test('one that is killed is started again, and the limit is as it was', async () => {
    const secret = await createKey('--limit', '3/3600')
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
    primary.kill('SIGTERM')
    expect(await once(primary, 'exit')).toEqual([0, null])
    for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
