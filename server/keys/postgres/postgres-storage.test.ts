// PostgreSQL in failure: killed, frozen, of another version, migrated by many processes at once. The service runs as
// processes.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Postgres, startPostgres } from '../../../fixtures/services/postgres.ts'
import { errorEnvelope } from '../../../spec/protocol/error.ts'
import { startServerProcess } from '../../server-process.fixture.ts'
import { leasedKeys } from '../leased-keys.ts'
import { migrations } from './postgres-schema.ts'
import { openPostgresStorage } from './postgres-storage.ts'

/** `KEY_LEASE_MS` of the instances. */
const LEASE_MS = 100

describe('PostgreSQL', { tags: ['postgresql', 'slow'], timeout: 90_000 }, () => {
  let postgres: Postgres
  let databases = 0

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.end())

  const newDatabase = () => postgres.createDatabase(`test_${(databases += 1)}`)
  const open = (url: string) => openPostgresStorage({ url, connections: 2, timeoutMs: 5000 })

  async function query(url: string, text: string): Promise<unknown[]> {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  /** An instance of the service. */
  async function instance(url: string) {
    const server = await startServerProcess({
      // An unusable folder: with PostgreSQL the service needs none.
      DATA_DIR: '/proc/none',
      DATABASE_URL: url,
      DATABASE_TIMEOUT_SECONDS: '1',
      RATE_LIMIT_REQUESTS: '1000000',
      LOG_LEVEL: 'info',
      KEY_LEASE_MS: String(LEASE_MS),
    })
    onTestFinished(() => server[Symbol.dispose]())

    async function ask(path: string, secret = '') {
      const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })
      const body: unknown = await response.json()
      return { status: response.status, headers: response.headers, body }
    }
    return {
      ...server,
      signInPage: (session: string) =>
        fetch(`${server.url}/dashboard/sign-in`, { headers: { cookie: `touchstone_session=${session}` } }),
      models: (secret: string) => ask('/v1/models', secret),
      ready: () => ask('/readyz'),
    }
  }

  test('ten concurrent processes migrate the database once', async () => {
    const url = await newDatabase()
    const script = fileURLToPath(new URL('migrate.fixture.ts', import.meta.url))
    const runs = Array.from({ length: 10 }, () => promisify(execFile)(process.execPath, [script, url]))
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(runs.map(() => '0 keys\n'))
    expect(await query(url, 'SELECT version FROM schema_version')).toEqual([{ version: migrations.length }])
  })

  test('no secret is in the database (KEY-2)', async () => {
    const storage = await open(await newDatabase())
    const { secret } = await storage.keys.create({ name: 'gone', models: null, limit: null })
    await storage.close()
    const dump = await postgres.command('pg_dump', [`test_${databases}`])
    expect(dump).toContain('gone')
    for (const part of [secret.slice(0, -4), secret.slice(7, 15), secret.slice(-8)])
      expect(dump).not.toContain(part)
  })

  test('a revocation on one instance acts on the very next request to another (KEY-4)', async () => {
    const url = await newDatabase()
    const [one, other] = await Promise.all([instance(url), instance(url)])
    const storage = await open(url)
    for (let round = 0; round < 5; round += 1) {
      const { key, secret } = await storage.keys.create({ name: 'short', models: null, limit: null })
      expect([(await one.models(secret)).status, (await other.models(secret)).status]).toEqual([200, 200])
      // Instances revoke through leases.
      await leasedKeys(storage.keys, LEASE_MS).revoke(key.id)
      expect([(await other.models(secret)).status, (await one.models(secret)).status]).toEqual([401, 401])
    }
    await storage.close()
  })

  test.each([
    ['killed', (): Promise<void> => postgres.kill(), (): Promise<void> => postgres.start()],
    ['frozen', async () => postgres.freeze(), async () => postgres.thaw()],
  ])(
    '%s: requests get an enveloped 503 and never hang, then the service recovers',
    async (_, fail, recover) => {
      const url = await newDatabase()
      const service = await instance(url)
      const storage = await open(url)
      const { secret } = await storage.keys.create({ name: 'a key', models: null, limit: null })
      await storage.close()
      expect((await service.models(secret)).status).toBe(200)

      await fail()
      // A cached key is valid for one lease.
      await sleep(LEASE_MS)
      try {
        const answers = await Promise.all(Array.from({ length: 30 }, () => service.models(secret)))
        for (const { status, headers, body } of answers) {
          expect(status).toBe(503)
          expect(errorEnvelope.parse(body).error.code).toBe('service_unavailable')
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        }
        const page = await service.signInPage('A'.repeat(43))
        expect(page.status).toBe(503)
        expect(await page.text()).toContain('Load this page again')
        expect(await service.ready()).toMatchObject({
          status: 503,
          body: { reason: expect.stringContaining('database') },
        })
      } finally {
        await recover()
      }
      await expect.poll(async () => (await service.models(secret)).status).toBe(200)
      await expect.poll(async () => (await service.ready()).status).toBe(200)
      expect(service.child.exitCode).toBeNull()
      await expect.poll(() => service.log.join('\n')).toContain('the database answers again')
      // No line of the output contains the database's password.
      service.child.kill('SIGTERM')
      await once(service.child, 'close')
      const output = [...service.output, ...service.log].join('\n')
      expect(output).toContain('the database does not answer')
      expect(output).toContain('the database answers again')
      expect(output).not.toContain(postgres.password)
    },
  )

  test('a start without the database fails with one line without the password', async () => {
    const url = postgres.url('no_such_database')
    await expect(instance(url)).rejects.toThrow(/did not start: DATABASE_URL: .*no_such_database.*$/)
    await expect(instance(url)).rejects.toThrow(expect.not.stringContaining(postgres.password))
  })
})
