// Leased keys on one database that several processes share: after the answer to a revocation every process refuses the
// key, and no key is read more often than necessary.
import { afterEach, expect, test, vi } from 'vitest'
import { fc, forAllAsync } from '../../spec/property.fixture.ts'
import { unavailable } from '../http/api-error.ts'
import type { KeyStore } from './key-store.ts'
import { leasedKeys } from './leased-keys.ts'
import { openSqliteStorage } from './sqlite/sqlite-storage.ts'

const LEASE_MS = 100

/** Uses the fake clock of a test. */
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

afterEach(() => void vi.useRealTimers())

/** A database that counts its lookups and takes `slowMs` for each lookup and each revocation. */
async function database(slowMs = 0) {
  const { keys } = openSqliteStorage({ path: ':memory:' })
  const { key, secret } = await keys.create({ name: 'test', models: null, limit: null })
  const seen = { readings: 0, fails: false }
  const slowly = async (change: Promise<boolean>) => {
    const changed = await change
    await sleep(slowMs)
    return changed
  }
  const slow: KeyStore = {
    ...keys,
    async findActive(wanted) {
      seen.readings += 1
      if (seen.fails) throw unavailable('down', 1)
      const found = await keys.findActive(wanted)
      await sleep(slowMs)
      return found
    },
    revoke: (id) => slowly(keys.revoke(id)),
    delete: (id) => slowly(keys.delete(id)),
  }
  return { keys: slow, key, secret, seen }
}

test('a key is read once per lease for any number of requests, an unknown key for each request', async () => {
  const { keys, secret, seen } = await database(5)
  vi.useFakeTimers()
  const leased = leasedKeys(keys, LEASE_MS)
  /** Looks these secrets up and advances the clock until the database has answered. */
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

test('a failed lookup is repeated by the next request', async () => {
  const { keys, secret, seen } = await database()
  const leased = leasedKeys(keys, LEASE_MS)
  seen.fails = true
  await expect(leased.findActive(secret)).rejects.toThrow('down')
  seen.fails = false
  expect(await leased.findActive(secret)).toMatchObject({ name: 'test' })
})

test('after the answer to a revocation or deletion no instance finds the key, however slow the database is', async () => {
  vi.useFakeTimers()
  await forAllAsync(
    fc.array(fc.record({ at: fc.nat(400), instance: fc.nat(2) }), { maxLength: 40 }),
    fc.nat(300),
    fc.nat(150),
    fc.constantFrom('revoke' as const, 'delete' as const),
    async (requests, revokedAt, slowMs, change) => {
      const { keys, key, secret } = await database(slowMs)
      const instances = [0, 1, 2].map(() => leasedKeys(keys, LEASE_MS))
      let isAnswered = false
      const wrong: number[] = []
      for (const { at, instance } of [...requests, { at: 900, instance: 0 }])
        setTimeout(async () => {
          const begunAfter = isAnswered
          if ((await instances[instance]?.findActive(secret)) !== undefined && begunAfter) wrong.push(at)
        }, at)
      setTimeout(async () => {
        await instances[0]?.[change](key.id)
        isAnswered = true
        // This is the most critical moment.
        for (const other of instances) if ((await other.findActive(secret)) !== undefined) wrong.push(0)
      }, revokedAt)
      await vi.advanceTimersByTimeAsync(2000)
      expect(isAnswered).toBe(true)
      expect(wrong).toEqual([])
    },
  )
})
