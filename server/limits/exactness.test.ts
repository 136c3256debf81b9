// Limits under load, with real processes and real sockets: exactly what a limit allows is admitted, by one instance or
// by two that share Redis, and no key uses up another's. Prints what was offered and what came of it.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startRedis, type TestRedis } from '../../fixtures/services/redis.ts'
import type { Storage } from '../keys/storage.ts'
import { openSqliteStorage } from '../keys/sqlite/sqlite.ts'
import { type ServerProcess, startServerProcess } from '../server-process.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

const LIMIT = 100
const MODEL = 'svc-0.1-echo'

const servers: ServerProcess[] = []
const rows: Readonly<Record<string, number>>[] = []
let dataDir = ''
let store: Storage | undefined
let redis: TestRedis | undefined
let alone = ''
let sharing: readonly string[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'touchstone-exactness-'))
  store = openSqliteStorage({ dataDir })
  alone = await start({})
})

afterAll(async () => {
  for (const server of servers) server[Symbol.dispose]()
  await store?.close()
  await redis?.[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
  process.stdout.write(`${markdown(rows)}\n`)
})

/** Starts an instance on the keys that all of them share; resolves to its URL. */
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

/** Offers `offered` requests of each key at once, to the instances in turn; the admitted ones of each key. */
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
  rows.push({
    instances: urls.length,
    keys,
    'limit of each': LIMIT,
    offered: keys * offered,
    admitted: count(200),
    refused: count(429),
  })
  expect(count(200) + count(429)).toBe(keys * offered)
  return statuses.map((given) => given.filter((status) => status === 200).length)
}

function markdown(lines: readonly Readonly<Record<string, number>>[]): string {
  const names = Object.keys(lines[0] ?? {})
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  return [row(names), row(names.map(() => '---:')), ...lines.map((line) => row(Object.values(line)))].join(
    '\n',
  )
}

const cases = [
  { keys: 1, offered: 1000 },
  { keys: 10, offered: 300 },
] as const

test.each(cases)('one instance, $keys keys, $offered requests of each (LIMIT-4, LIMIT-5)', async (given) => {
  expect(await offer([alone], given.keys, given.offered)).toEqual(Array(given.keys).fill(LIMIT))
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
