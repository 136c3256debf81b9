import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, test } from 'vitest'
import type { NewKey } from '../key-store.ts'
import { closedAtEnd, temporaryFolder } from '../../test-resources.fixture.ts'
import { KEY_FILE, openSqliteStorage, type SqliteStorageOptions } from './sqlite-storage.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = temporaryFolder()
})

/** A storage in the folder of the test, closed at its end. */
const open = (options: Partial<SqliteStorageOptions> = {}) =>
  closedAtEnd(openSqliteStorage({ dataDir, ...options }))
const plain: NewKey = { name: 'a key', models: null, limit: null }

test('a key has the times of its creation and its first revocation', async () => {
  let time = Date.UTC(2026, 10, 20)
  const store = open({ now: () => (time += 1000) })
  const { key } = await store.keys.create(plain)
  await store.keys.revoke(key.id)
  await store.keys.revoke(key.id)
  expect(await store.keys.list()).toEqual([
    { ...key, createdAt: new Date('2026-11-20T00:00:01Z'), revokedAt: new Date('2026-11-20T00:00:02Z') },
  ])
})

test.each([
  ['created_at', 9e15],
  ['models', '[1,2]'],
  ['models', '{}'],
  ['models', '['],
  ['limit_requests', 0],
  ['limit_window_seconds', null],
  ['limit_concurrency', -1],
  ['limit_tokens_per_minute', 0],
])('a damaged row authenticates no request and hides no other: %s = %j', async (column, value) => {
  const store = open()
  const other = await store.keys.create(plain)
  const damaged = await store.keys.create({ ...plain, limit: { requests: 1, windowSeconds: 1 } })
  await store.close()
  // Another program or a fault of the disk may write such a row.
  const file = new DatabaseSync(join(dataDir, KEY_FILE))
  file.exec('PRAGMA ignore_check_constraints = on')
  file.prepare(`UPDATE keys SET ${column} = ? WHERE id = ?`).run(value, damaged.key.id)
  file.close()

  const again = open()
  const [shown, intact] = await again.keys.list()
  expect(shown).toMatchObject({ id: damaged.key.id, isDamaged: true })
  expect(intact).toEqual(other.key)
  expect(await again.keys.findActive(damaged.secret)).toBeUndefined()
  expect(await again.keys.findActive(other.secret)).toEqual(other.key)
  expect(await again.keys.delete(damaged.key.id)).toBe(true)
  expect(await again.keys.list()).toEqual([other.key])
})

describe('what the disk holds', () => {
  test('the files are readable by their owner only, also after a change of their mode', async () => {
    const modes = () =>
      Object.fromEntries(
        readdirSync(dataDir).map((file) => [file, statSync(join(dataDir, file)).mode & 0o777]),
      )
    const first = open()
    await first.keys.create(plain)
    expect(modes()).toEqual({ [KEY_FILE]: 0o600, [`${KEY_FILE}-wal`]: 0o600, [`${KEY_FILE}-shm`]: 0o600 })
    await first.close()
    chmodSync(join(dataDir, KEY_FILE), 0o644)
    const second = open()
    await second.keys.create(plain)
    expect(new Set(Object.values(modes()))).toEqual(new Set([0o600]))
  })

  test.each(['', '-wal', '-shm'])('a link as %j of the database is refused, its target unchanged', (end) => {
    const target = join(dataDir, 'foreign')
    writeFileSync(target, 'foreign')
    chmodSync(target, 0o644)
    symlinkSync(target, join(dataDir, `${KEY_FILE}${end}`))
    expect(() => open()).toThrow(/must be a regular file/)
    expect(statSync(target).mode & 0o777).toBe(0o644)
    expect(readFileSync(target, 'utf8')).toBe('foreign')
  })

  test('a file of another format is refused and not changed', () => {
    const path = join(dataDir, KEY_FILE)
    writeFileSync(path, 'not a database, but longer than the header of one: '.repeat(10))
    expect(() => open()).toThrow(/not a database/)
    expect(readFileSync(path, 'utf8')).toMatch(/^not a database/)
  })
})

describe('an end without warning', () => {
  test('kill -9 loses no answered creation or revocation', async () => {
    const created = new Map<string, string>()
    const revoked = new Set<string>()
    for (let round = 0; round < 5; round += 1) {
      // Two processes write to the one file.
      const children = [startChurn(), startChurn()]
      const outputs = children.map((child) => collect(child))
      await Promise.all(children.map((child) => child.stdout && once(child.stdout, 'readable')))
      await sleep(20 + round * 50)
      for (const child of children) child.kill('SIGKILL')
      for (const output of await Promise.all(outputs)) readAnswers(output, created, revoked)

      const store = open()
      const listed = new Map((await store.keys.list()).map((key) => [key.id, key]))
      const lost = [...created.keys()].filter((id) => !listed.has(id))
      const active = await Promise.all([...created.values()].map((secret) => store.keys.findActive(secret)))
      const returned = active.filter((key) => key !== undefined && revoked.has(key.id))
      // A process may die between a revocation and its report.
      const unexplained = [...created.keys()].filter(
        (id, index) => active[index]?.id !== id && listed.get(id)?.revokedAt === null,
      )
      expect({ lost, returned, unexplained }).toEqual({ lost: [], returned: [], unexplained: [] })
      await store.close()
    }
    expect(created.size).toBeGreaterThan(50)
    expect(revoked.size).toBeGreaterThan(20)
  })

  test('several processes can create the file at the same time', async () => {
    const children = Array.from({ length: 4 }, startChurn)
    const outputs = children.map((child) => collect(child))
    await Promise.all(children.map((child) => child.stdout && once(child.stdout, 'readable')))
    for (const child of children) child.kill('SIGKILL')
    for (const output of await Promise.all(outputs)) expect(output).toMatch(/^created key_/)
  })
})

test('opening waits for another process that is creating the file', async () => {
  // The other process holds the write lock before the file is in WAL mode, which SQLite itself does not wait for.
  const maker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const database = new (require('node:sqlite').DatabaseSync)(workerData)
     database.exec('BEGIN IMMEDIATE')
     parentPort.postMessage('held')
     setTimeout(() => database.exec('COMMIT'), 100)`,
    { eval: true, workerData: join(dataDir, KEY_FILE) },
  )
  await once(maker, 'message')
  const store = open()
  expect(await store.keys.list()).toEqual([])
})

describe('while another process writes', () => {
  /** Holds the lock of writers, as a long transaction of another process does. */
  function lock(): DatabaseSync {
    const other = new DatabaseSync(join(dataDir, KEY_FILE))
    other.exec('BEGIN IMMEDIATE')
    return other
  }

  test('lookups work, and a change that times out is a 503', async () => {
    const store = open({ busyTimeoutMs: 50 })
    const { key, secret } = await store.keys.create(plain)
    const other = lock()
    // Settled together: a later one may fail first.
    const changes = Promise.allSettled([
      store.keys.create(plain),
      store.keys.revoke(key.id),
      store.usage.add([{ keyId: key.id, minute: 1, requests: 1, tokens: 1, lastUsedAt: 1 }]),
      store.usage.prune(2),
    ])
    expect(await store.keys.findActive(secret)).toEqual(key)
    const refused = { status: 'rejected', reason: expect.objectContaining({ status: 503 }) }
    expect(await changes).toEqual([refused, refused, refused, refused])
    other.exec('ROLLBACK')
    other.close()
    expect(await store.keys.revoke(key.id)).toBe(true)
  })

  test('a change waits for the lock without blocking the event loop', async () => {
    const store = open({ busyTimeoutMs: 60_000 })
    const other = lock()
    const created = store.keys.create(plain)
    // A blocked event loop would never release the lock.
    await sleep(50)
    other.exec('COMMIT')
    other.close()
    const { key, secret } = await created
    expect(await store.keys.findActive(secret)).toEqual(key)
  })
})

test('an identical id or secret is refused rather than overwritten', async () => {
  const store = open({ randomBytes: (size) => new Uint8Array(size) })
  await store.keys.create(plain)
  await expect(store.keys.create(plain)).rejects.toThrow(/UNIQUE/)
  expect(await store.keys.list()).toHaveLength(1)
})

function startChurn(): ChildProcess {
  const script = fileURLToPath(new URL('churn.fixture.ts', import.meta.url))
  return spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function collect({ stdout }: ChildProcess): Promise<string> {
  let text = ''
  for await (const piece of stdout ?? []) text += String(piece)
  return text
}

/** Takes the complete lines: one that was cut had not been answered. */
function readAnswers(output: string, created: Map<string, string>, revoked: Set<string>): void {
  for (const line of output.split('\n').slice(0, -1)) {
    const [what, id, secret] = line.split(' ')
    if (what === 'created' && id !== undefined && secret !== undefined) created.set(id, secret)
    if (what === 'revoked' && id !== undefined) revoked.add(id)
  }
}
