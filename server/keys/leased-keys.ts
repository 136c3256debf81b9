// Caches found keys for the length of a lease, so that not every request reads the database. A revocation resolves only
// after every earlier lease has ended, on this instance and all others: from then on every instance refuses the key
// (KEY-4), without a channel between instances.
import { hash } from 'node:crypto'
import { andThen, orElse, type Soon } from '../http/soon.ts'
import type { ApiKey, KeyStore } from './key-store.ts'

/** Maximum cached keys. Beyond it, the key that was read first is dropped. */
const MAX_LEASES = 10_000

/** How early a timer may fire, in milliseconds. */
const TIMER_EARLY_MS = 2

interface Lease {
  /** The key, undefined if it is unknown. Requests that arrive during the lookup share it. */
  key: Soon<ApiKey | undefined>
  /** End of the lease, in milliseconds of a monotonic clock. */
  readonly until: number
}

/** Reads each key of `keys` at most once per `leaseMs`, which is equal on all instances. 0 turns leases off. */
export function leasedKeys(keys: KeyStore, leaseMs: number): KeyStore {
  if (leaseMs === 0) return keys
  /** The leases by the hash of the secret, so that no secret is kept. */
  const leases = new Map<string, Lease>()

  function read(name: string, secret: string, now: number): Soon<ApiKey | undefined> {
    // The lease begins before the lookup, which may miss a revocation that happens meanwhile.
    const lease: Lease = { key: undefined, until: now + leaseMs }
    const [oldest] = leases.size < MAX_LEASES ? [] : leases.keys()
    if (oldest !== undefined) leases.delete(oldest)
    leases.delete(name)
    leases.set(name, lease)
    // Only found keys stay: unknown ones take no room, and a new key works at once.
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

  /** Resolves when all leases from before the change have ended, even if another call has just made the same change. */
  async function afterLeases(change: Promise<boolean>): Promise<boolean> {
    const changed = await change
    await new Promise((resolve) => setTimeout(resolve, leaseMs + TIMER_EARLY_MS))
    return changed
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
    revoke: (id) => afterLeases(keys.revoke(id)),
    delete: (id) => afterLeases(keys.delete(id)),
  }
}
