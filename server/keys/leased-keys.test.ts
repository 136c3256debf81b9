// Leased keys over one database, as several processes have it: whoever was told of a revocation finds the key refused
// everywhere, and nothing is read more often than it has to be.
import * as fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { unavailable } from '../http/errors.ts'
import { startServerProcess } from '../server-process.fixture.ts'
import type { KeyStore } from './key-store.ts'
import { leasedKeys } from './leased-keys.ts'
import { openSqliteStorage } from './sqlite/sqlite.ts'

const LEASE_MS = 100

/** On the clock that tests may hold. */
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

afterEach(() => void vi.useRealTimers())

/** A database that counts its readings and takes `slowMs` for each, and for a revocation. */
async function database(slowMs = 0) {
  const { keys } = openSqliteStorage({ path: ':memory:' })
  const { key, secret } = await keys.create({ name: 'test', models: null, limit: null })
  const seen = { readings: 0, fails: false }
  const slow: KeyStore = {
    ...keys,
    async findActive(wanted) {
      seen.readings += 1
      if (seen.fails) throw unavailable('down', 1)
      const found = await keys.findActive(wanted)
      await sleep(slowMs)
      return found
    },
    async revoke(id) {
      const revoked = await keys.revoke(id)
      await sleep(slowMs)
      return revoked
    },
  }
  return { keys: slow, key, secret, seen }
}

test('a key is read once in a lease, by however many requests, and what nobody knows each time', async () => {
  const { keys, secret, seen } = await database(5)
  vi.useFakeTimers()
  const leased = leasedKeys(keys, LEASE_MS)
  /** What each of these asks for, when time has gone on until the database has answered. */
  const find = async (...secrets: string[]) => {
    const found = Promise.all(secrets.map((wanted) => leased.findActive(wanted)))
    await vi.advanceTimersByTimeAsync(5)
    return found
  }
  const found = await find(...Array(50).fill(secret))
  expect(found.every((key) => key?.name === 'test')).toBe(true)
  await vi.advanceTimersByTimeAsync(LEASE_MS - 6)
  expect(leased.findActive(secret)).not.toBeInstanceOf(Promise)
  expect(seen.readings).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await find(secret)
  expect(seen.readings).toBe(2)
  for (let time = 0; time < 2; time += 1) expect(await find(`svc_sk_${'A'.repeat(43)}`)).toEqual([undefined])
  expect(seen.readings).toBe(4)
})

test('a database that fails is asked again by the next request', async () => {
  const { keys, secret, seen } = await database()
  const leased = leasedKeys(keys, LEASE_MS)
  seen.fails = true
  await expect(leased.findActive(secret)).rejects.toThrow('down')
  seen.fails = false
  expect(await leased.findActive(secret)).toMatchObject({ name: 'test' })
})

test('whenever others ask, and however slow the database is: after the answer of a revocation none finds the key', async () => {
  vi.useFakeTimers()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ at: fc.nat(400), instance: fc.nat(2) }), { maxLength: 40 }),
      fc.nat(300),
      fc.nat(150),
      async (requests, revokedAt, slowMs) => {
        const { keys, key, secret } = await database(slowMs)
        const instances = [0, 1, 2].map(() => leasedKeys(keys, LEASE_MS))
        let isTold = false
        const wrong: number[] = []
        for (const { at, instance } of [...requests, { at: 900, instance: 0 }])
          setTimeout(async () => {
            const begunAfter = isTold
            if ((await instances[instance]?.findActive(secret)) !== undefined && begunAfter) wrong.push(at)
          }, at)
        setTimeout(async () => {
          await instances[0]?.revoke(key.id)
          isTold = true
          // The most dangerous moment is this one.
          for (const other of instances) if ((await other.findActive(secret)) !== undefined) wrong.push(0)
        }, revokedAt)
        await vi.advanceTimersByTimeAsync(2000)
        expect(isTold).toBe(true)
        expect(wrong).toEqual([])
      },
    ),
  )
})

test('a revocation that was answered holds on another instance, though its own is killed at once', async () => {
  using one = await startServerProcess()
  using other = await startServerProcess({ DATA_DIR: one.dataDir })
  const { id, secret } = await one.createKey()
  let isTold = false
  const statuses = { before: new Set<number>(), after: new Set<number>() }
  const ask = async (): Promise<void> => {
    const into = isTold ? statuses.after : statuses.before
    const answer = await fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
    into.add(answer.status)
    await answer.text()
  }
  let isOver = false
  const asking = Array.from({ length: 4 }, async () => {
    while (!isOver) await ask()
  })
  await one.revokeKey(id)
  isTold = true
  one.child.kill('SIGKILL')
  for (let count = 0; count < 50; count += 1) await ask()
  isOver = true
  await Promise.all(asking)
  expect(statuses.before).toContain(200)
  expect([...statuses.after]).toEqual([401])
})
