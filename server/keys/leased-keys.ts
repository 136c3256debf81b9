// Keys that were read a moment ago, so that not every request reads the database. A key that was found is good for one
// lease, and a revocation answers only when every lease from before it has ended, in this process and all others:
// whoever was told that a key is revoked finds it refused on every instance (KEY-4), without a channel between them.
import { hash } from 'node:crypto'
import { andThen, orElse, type Soon } from '../http/soon.ts'
import type { ApiKey, KeyStore } from './key-store.ts'

/** Keys that are held at most; over it the one that was read longest ago is forgotten. */
const MAX_LEASES = 10_000

/** By how much a timer may be early, in milliseconds. */
const TIMER_EARLY_MS = 2

interface Lease {
  /** What was read; undefined where there is no such key. Requests that come while it is read share the reading. */
  key: Soon<ApiKey | undefined>
  /** In milliseconds of a clock that never jumps, which all processes of a machine count alike. */
  readonly until: number
}

/** The same keys, each read at most once in `leaseMs`, which is the same for all who share them. 0 for no leases. */
export function leasedKeys(keys: KeyStore, leaseMs: number): KeyStore {
  if (leaseMs === 0) return keys
  /** By the hash of the secret: no secret is kept. */
  const leases = new Map<string, Lease>()

  function read(name: string, secret: string, now: number): Soon<ApiKey | undefined> {
    // From before the reading: what is revoked during it may be missed by it.
    const lease: Lease = { key: undefined, until: now + leaseMs }
    const [oldest] = leases.size < MAX_LEASES ? [] : leases.keys()
    if (oldest !== undefined) leases.delete(oldest)
    leases.delete(name)
    leases.set(name, lease)
    // Only keys that were found are held, so that what nobody knows takes no room, and a new key is good at once.
    const release = (): void => {
      if (leases.get(name) === lease) leases.delete(name)
    }
    lease.key = orElse(
      () =>
        andThen(keys.findActive(secret), (found) => {
          if (found === undefined) release()
          return (lease.key = found)
        }),
      (error) => {
        release()
        throw error
      },
    )
    return lease.key
  }

  return {
    create: (key) => keys.create(key),
    createOnce: (id, key) => keys.createOnce(id, key),
    find: (id) => keys.find(id),
    list: () => keys.list(),
    findActive(secret) {
      const name = hash('sha256', secret)
      const now = performance.now()
      const lease = leases.get(name)
      return lease !== undefined && now < lease.until ? lease.key : read(name, secret, now)
    },
    async revoke(id) {
      const revoked = await keys.revoke(id)
      // Also where it was revoked before: a moment ago, perhaps, by somebody who still waits here.
      await new Promise((resolve) => setTimeout(resolve, leaseMs + TIMER_EARLY_MS))
      return revoked
    },
  }
}
