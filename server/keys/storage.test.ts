// The contract of every storage, on SQLite and PostgreSQL: two storages on one database, like two instances.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../../fixtures/services/postgres.ts'
import { keyStoreCommands } from './key-store-contract.fixture.ts'
import { temporaryFolder } from '../test-resources.fixture.ts'
import { migrate as migratePostgres, migrations as postgresMigrations } from './postgres/postgres-schema.ts'
import { openPostgresStorage } from './postgres/postgres-storage.ts'
import { migrate as migrateSqlite, migrations as sqliteMigrations } from './sqlite/sqlite-schema.ts'
import { PASSWORD_FILE } from './password-file.ts'
import { KEY_FILE, openSqliteStorage } from './sqlite/sqlite-storage.ts'
import { emptyModel, storageCommands } from './storage-contract.fixture.ts'
import { MAX_SESSIONS } from './stored-sessions.ts'
import { REFUSALS_KEPT } from './stored-audit.ts'
import type { Storage } from './storage.ts'

/** A database that `reset` empties, also while storages are open. */
interface Database {
  open(): Promise<Storage>
  reset(): Promise<void>
  end(): Promise<void>
  /** Runs a statement, as an operator could. */
  execute(sql: string): Promise<unknown>
  /** Applies these migrations after those of the service. */
  migrate(more: readonly string[]): Promise<void>
  /** Opens a backup that an operator has made while the storages are open, restored in another place. */
  restored(): Promise<Storage>
}

/** The key of every test. */
const wanted = { name: 'a key', models: null, limit: null }

const TABLES = ['keys', 'key_usage', 'key_last_use', 'audit', 'sessions']

function sqlite(): Database {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-storage-'))
  function admin(act: (database: DatabaseSync) => void): void {
    const database = new DatabaseSync(join(dataDir, KEY_FILE))
    try {
      act(database)
    } finally {
      database.close()
    }
  }
  return {
    open: async () => openSqliteStorage({ dataDir }),
    async reset() {
      admin((database) => TABLES.forEach((table) => database.exec(`DELETE FROM ${table}`)))
      rmSync(join(dataDir, PASSWORD_FILE), { force: true })
    },
    async end() {
      rmSync(dataDir, { recursive: true, force: true })
    },
    execute: async (sql) => admin((database) => database.exec(sql)),
    migrate: async (more) => admin((database) => migrateSqlite(database, [...sqliteMigrations, ...more])),
    async restored() {
      const backup = temporaryFolder()
      admin((database) => database.prepare('VACUUM INTO ?').run(join(backup, KEY_FILE)))
      return openSqliteStorage({ dataDir: backup })
    },
  }
}

async function postgres(): Promise<Database> {
  const server: Postgres = await startPostgres()
  const url = server.url()
  const admin = new Client({ connectionString: url })
  await admin.connect()
  const options = { connections: 2, timeoutMs: 10_000 }
  return {
    open: () => openPostgresStorage({ url, ...options }),
    async reset() {
      await admin.query(`TRUNCATE ${TABLES.join(', ')}, operator_password`)
    },
    async end() {
      await admin.end()
      await server.end()
    },
    execute: (sql) => admin.query(sql),
    migrate: (more) => migratePostgres({ url, ...options }, [...postgresMigrations, ...more]),
    async restored() {
      await server.command('pg_dump', ['--format=custom', '--file=backup', 'postgres'])
      const another = await server.createDatabase('restored')
      await server.command('pg_restore', ['--exit-on-error', '--dbname=restored', 'backup'])
      return openPostgresStorage({ url: another, ...options })
    },
  }
}

describe.each<[string, () => Database | Promise<Database>, string[]]>([
  ['SQLite', sqlite, []],
  ['PostgreSQL', postgres, ['postgresql']],
])('%s', (_, make, tags) => {
  describe('contract', { tags }, () => {
    let database: Database
    let stores: Storage[]
    let one: Storage
    let other: Storage
    beforeAll(async () => {
      database = await make()
    })
    afterAll(() => database?.end())
    beforeEach(async () => {
      one = await database.open()
      other = await database.open()
      stores = [one, other]
      await database.reset()
    })
    afterEach(() => Promise.all(stores.map((store) => store.close())))

    /** The answers to 20 concurrent calls, made on the two storages in turn. */
    const concurrently = <Answer>(call: (store: Storage, isOne: boolean) => Promise<Answer>) =>
      Promise.all(Array.from({ length: 20 }, (_, index) => call(index % 2 ? other : one, index % 2 === 0)))

    test('keys follow the model, in any order of events (KEY-3, KEY-4, KEY-5, KEY-12)', async () => {
      const lives = fc
        .asyncProperty(keyStoreCommands, async (commands) => {
          const real = { stores, open: database.open }
          await fc.asyncModelRun(() => ({ model: { keys: [] }, real }), commands)
        })
        .beforeEach(() => database.reset())
      await fc.assert(lives, { numRuns: 15 })
    })

    test('usage, audit log, sessions and password follow the model, in any order of events', async () => {
      const lives = fc
        .asyncProperty(storageCommands, async (commands) => {
          await fc.asyncModelRun(
            () => ({ model: emptyModel(), real: { stores, open: database.open } }),
            commands,
          )
        })
        .beforeEach(() => database.reset())
      await fc.assert(lives, { numRuns: 15 })
    })

    test('one of many concurrent revocations of a key succeeds (KEY-5)', async () => {
      const { key, secret } = await one.keys.create(wanted)
      const answers = await concurrently((store) => store.keys.revoke(key.id))
      expect(answers.filter(Boolean)).toHaveLength(1)
      expect(await other.keys.findActive(secret)).toBeUndefined()
    })

    test('one of many concurrent creations of an id succeeds', async () => {
      const made = await concurrently((store) => store.keys.createOnce('key_1', wanted))
      const [only, ...others] = made.filter((answer) => answer !== undefined)
      expect(others).toEqual([])
      expect(only?.key).toMatchObject({ ...wanted, id: 'key_1' })
      expect(await other.keys.list()).toEqual([only?.key])
      expect(await other.keys.findActive(only?.secret ?? '')).toEqual(only?.key)
    })

    test('a deleted key keeps its usage until it is pruned, and its id is never used again (KEY-12)', async () => {
      const made = await one.keys.createOnce('key_1', wanted)
      await one.usage.add([{ keyId: 'key_1', minute: 5, requests: 1, tokens: 2, lastUsedAt: 3 }])
      expect(await other.keys.delete('key_1')).toBe(true)
      expect(await one.keys.findActive(made?.secret ?? '')).toBeUndefined()
      expect(await one.keys.createOnce('key_1', wanted)).toBeUndefined()
      expect(await one.usage.since(0)).toHaveLength(1)
      await one.usage.prune(6)
      expect([await other.usage.since(0), await other.usage.lastUsed()]).toEqual([[], new Map()])
    })

    test('concurrent counts of two instances are added', async () => {
      const record = (keyId: string) => ({ keyId, minute: 1, requests: 1, tokens: 2, lastUsedAt: 3 })
      const records = [record('key_a'), record('key_b')]
      await concurrently((store, isOne) => store.usage.add(isOne ? records : records.toReversed()))
      const sum = { minute: 1, requests: 20, tokens: 40, lastUsedAt: 3 }
      expect(await one.usage.since(0)).toEqual([
        { keyId: 'key_a', ...sum },
        { keyId: 'key_b', ...sum },
      ])
    })

    test('beyond the bound the least recently used session ends', async () => {
      for (let number = 0; number <= MAX_SESSIONS; number += 1)
        await one.sessions.insert({
          idHash: `${number}`,
          csrf: 'c',
          startedAt: 0,
          usedAt: number === 0 ? 999 : number,
        })
      expect(await other.sessions.find('0')).toBeDefined()
      expect(await other.sessions.find('1')).toBeUndefined()
      expect(await other.sessions.find('2')).toBeDefined()
    })

    test('refused sign-ins are bounded, other entries are kept', async () => {
      const entry = { at: 1, address: '::1', keyId: null, detail: '' }
      await one.audit.append({ ...entry, action: 'sign-in' })
      for (let number = 0; number < REFUSALS_KEPT + 50; number += 1)
        await one.audit.append({ ...entry, action: 'sign-in-refused' })
      const listed = await one.audit.list({ limit: REFUSALS_KEPT * 2 })
      expect(listed).toHaveLength(REFUSALS_KEPT + 1)
      expect(listed.at(-1)?.action).toBe('sign-in')
    })

    test('no statement reactivates a revoked or deleted key (KEY-5, KEY-12)', async () => {
      const { key, secret } = await one.keys.create(wanted)
      await one.keys.revoke(key.id)
      const reactivate = 'UPDATE keys SET revoked_at = NULL'
      await expect(database.execute(reactivate)).rejects.toThrow(/revoked key/)
      await expect(database.execute(`${reactivate}, deleted_at = 1`)).rejects.toThrow(/check/i)
      await one.keys.delete(key.id)
      for (const change of [reactivate, 'UPDATE keys SET deleted_at = NULL'])
        await expect(database.execute(change)).rejects.toThrow(/revoked key/)
      expect(await other.keys.findActive(secret)).toBeUndefined()
    })

    test('a backup during service restores every key, active or revoked (KEY-5)', async () => {
      const kept = await one.keys.create({ ...wanted, models: ['a'] })
      const gone = await one.keys.create(wanted)
      await one.keys.revoke(gone.key.id)
      const listed = await one.keys.list()
      const restored = await database.restored()
      stores.push(restored)
      const later = await other.keys.create(wanted)
      expect(await restored.keys.list()).toEqual(listed)
      expect(await restored.keys.findActive(kept.secret)).toEqual(kept.key)
      for (const { secret } of [gone, later]) expect(await restored.keys.findActive(secret)).toBeUndefined()
    })

    test('a closed storage rejects every call and can be closed again', async () => {
      await one.check()
      await one.close()
      await one.close()
      await expect(one.check()).rejects.toThrow(/finalized|not open|does not answer/)
      await expect(one.keys.findActive('svc_sk_x')).rejects.toThrow(/finalized|not open|does not answer/)
    })

    // The last test: afterwards no storage can be opened.
    test('a failed migration changes nothing, a good one keeps the keys, and a newer version is refused', async () => {
      const { secret } = await one.keys.create(wanted)
      await expect(database.migrate(['CREATE TABLE more (a int)', 'nonsense'])).rejects.toThrow(/nonsense/)
      await expect(database.execute('SELECT * FROM more')).rejects.toThrow(/more/)
      stores.push(await database.open())
      await database.migrate(['CREATE TABLE more (a int)', 'INSERT INTO more VALUES (1)'])
      expect(await one.keys.findActive(secret)).toMatchObject({ name: 'a key' })
      await expect(database.open()).rejects.toThrow(/version \d+/)
    })
  })
})
