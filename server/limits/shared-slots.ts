// Concurrency slots that instances share: for each key, a sorted set in Redis of leases by their end. An instance renews
// its leases while their requests are in flight; the leases of a killed instance expire.
import { randomUUID } from 'node:crypto'
import { once } from './memory-limiter.ts'
import type { Release } from './rate-limiter.ts'
import type { SharedRedis } from './shared-redis.ts'

/** The start of both scripts: the time of Redis, in milliseconds. ARGV[1] is the length of a lease. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = now + ARGV[1]
`

/** Takes a slot if fewer than ARGV[2] are taken; ARGV[3] is the lease. Returns 1, or 0 if none is free. */
const ACQUIRE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ends, ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`

/** Renews leases. A lease that is missing is added again, because its request is in flight. */
const RENEW = `${NOW}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`

/** How many times a lease is renewed within its length. */
const RENEWALS = 3

/** Maximum leases that one command renews. */
const LEASES_PER_COMMAND = 1000

export interface SharedSlotsOptions {
  readonly redis: SharedRedis
  readonly leaseMs: number
  /** Prefix of the Redis key of each set. */
  readonly prefix: string
}

export function createSharedSlots({ redis, leaseMs, prefix }: SharedSlotsOptions) {
  /** The leases of this instance by key, including those taken while Redis was down. */
  const held = new Map<string, Set<string>>()
  const { client } = redis
  const name = (keyId: string): string => `${prefix}:${keyId}`

  function hold(keyId: string, lease: string): Release {
    const leases = held.get(keyId) ?? new Set()
    held.set(keyId, leases.add(lease))
    return once(() => {
      leases.delete(lease)
      if (leases.size === 0 && held.get(keyId) === leases) held.delete(keyId)
      // If Redis does not answer, the lease expires.
      void redis.attempt(() => client.zrem(name(keyId), lease))
    })
  }

  function renew(): void {
    for (const [keyId, leases] of held) {
      const all = [...leases]
      for (let from = 0; from < all.length; from += LEASES_PER_COMMAND) {
        const some = all.slice(from, from + LEASES_PER_COMMAND)
        void redis.attempt(() => client.eval(RENEW, 1, name(keyId), leaseMs, ...some))
      }
    }
  }

  const renewal = setInterval(renew, leaseMs / RENEWALS)
  renewal.unref()
  redis.onReady(renew)

  return {
    /** Takes a slot. While Redis is down, only the slots of this instance count. */
    async acquire(keyId: string, most: number): Promise<Release | undefined> {
      const lease = randomUUID()
      const answer = await redis.attempt(() => client.eval(ACQUIRE, 1, name(keyId), leaseMs, most, lease))
      const isFree = answer === undefined ? (held.get(keyId)?.size ?? 0) < most : answer === 1
      return isFree ? hold(keyId, lease) : undefined
    },
    close: () => clearInterval(renewal),
  }
}
