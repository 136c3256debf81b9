// Limits under load, with real processes and sockets: one instance, one of several workers, or two that share Redis, admit
// exactly the limit of each key.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startRedis, type TestRedis } from '../../fixtures/services/redis.ts'
import type { Storage } from '../keys/storage.ts'
import { openSqliteStorage } from '../keys/sqlite/sqlite-storage.ts'
import { type ServerProcess, startServerProcess } from '../server-process.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

const LIMIT = 100
const MODEL = 'svc-0.1-echo'

const servers: ServerProcess[] = []

let dataDir = ''
let store: Storage | undefined
let redis: TestRedis | undefined
let alone = ''
let workers = ''
let sharing: readonly string[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'touchstone-exactness-'))
  store = openSqliteStorage({ dataDir })
  alone = await start({})
  workers = await start({ WORKERS: '3' })
})

afterAll(async () => {
  for (const server of servers) server[Symbol.dispose]()
  await store?.close()
  await redis?.[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Starts an instance that shares the keys. Resolves to its URL. */
async function start(env: Readonly<Record<string, string>>): Promise<string> {
  const server = await startServerProcess({ DATA_DIR: dataDir, ...env })
  servers.push(server)
  return server.url
}

/** The status of one chat request. */
async function ask(agent: Agent, url: string, secret: string): Promise<number> {
  const outgoing = request(`${url}/v1/chat/completions`, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  })
  outgoing.end(JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hi' }] }))
  const [answer] = await once(outgoing, 'response')
  await once(answer.resume(), 'end')
  return answer.statusCode
}

/** Sends `offered` concurrent requests per key, to the instances in turn. Resolves to the admitted ones of each key. */
async function offer(urls: readonly string[], keys: number, offered: number): Promise<readonly number[]> {
  const secrets: string[] = []
  for (let key = 0; key < keys; key++) {
    const limit = { requests: LIMIT, windowSeconds: 600 }
    const made = await store?.keys.create({ name: 'exactness', models: null, limit })
    if (made !== undefined) secrets.push(made.secret)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1000 })
  const statuses = await Promise.all(
    secrets.map((secret) =>
      Promise.all(
        Array.from({ length: offered }, (_, index) => ask(agent, urls[index % urls.length] ?? '', secret)),
      ),
    ),
  )
  agent.destroy()
  const count = (status: number): number => statuses.flat().filter((given) => given === status).length

  expect(count(200) + count(429)).toBe(keys * offered)
  return statuses.map((given) => given.filter((status) => status === 200).length)
}

const cases = [
  { keys: 1, offered: 1000 },
  { keys: 10, offered: 300 },
] as const

test.each(cases)('one instance, $keys keys, $offered requests of each (LIMIT-4, LIMIT-5)', async (given) => {
  expect(await offer([alone], given.keys, given.offered)).toEqual(Array(given.keys).fill(LIMIT))
})

test.each(cases)('three workers, $keys keys, $offered requests of each (LIMIT-4, LIMIT-5)', async (given) => {
  expect(await offer([workers], given.keys, given.offered)).toEqual(Array(given.keys).fill(LIMIT))
})

describe('with Redis', { tags: 'redis-server' }, () => {
  beforeAll(async () => {
    redis = await startRedis()
    const env = { REDIS_URL: redis.url }
    sharing = [await start(env), await start(env)]
  })

  test.each(cases)(
    'two instances, $keys keys, $offered requests of each (LIMIT-4, LIMIT-5)',
    async (given) => {
      expect(await offer(sharing, given.keys, given.offered)).toEqual(Array(given.keys).fill(LIMIT))
    },
  )
})
