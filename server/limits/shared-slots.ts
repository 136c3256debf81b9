// Slots of keys, shared by instances: a sorted set in Redis for each key, of leases by the time at which they end. An
// instance renews its leases while their requests are in flight; those of an instance that was killed run out.
import { randomUUID } from 'node:crypto'
import { once } from './memory.ts'
import type { Release } from './rate-limiter.ts'
import type { SharedRedis } from './shared-redis.ts'

/** Both begin with the clock of Redis, in milliseconds. Arguments: the lease's length, then what each is about. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = now + ARGV[1]
`

/** Takes a slot where less than ARGV[2] are taken; ARGV[3] is the lease. Gives 1, or 0 where none is free. */
const ACQUIRE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ends, ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`

/** Puts off the end of leases, and puts those back that are not there any more: their requests are in flight. */
const RENEW = `${NOW}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`

/** A lease is renewed so many times while it lasts. */
const RENEWALS = 3

/** Leases that one command renews, at most. */
const LEASES_PER_COMMAND = 1000

export interface SharedSlotsOptions {
  readonly redis: SharedRedis
  readonly leaseMs: number
  /** What stands before the name of each key's set. */
  readonly prefix: string
}

export interface SharedSlots {
  /** Takes a slot; while Redis is down, one of those that this instance has not taken itself. */
  acquire(keyId: string, most: number): Promise<Release | undefined>
  close(): void
}

export function createSharedSlots({ redis, leaseMs, prefix }: SharedSlotsOptions): SharedSlots {
  /** The leases of this instance, by key; those too that it took while Redis was down. */
  const held = new Map<string, Set<string>>()
  const { client } = redis
  const name = (keyId: string): string => `${prefix}:${keyId}`

  function hold(keyId: string, lease: string): Release {
    const leases = held.get(keyId) ?? new Set()
    held.set(keyId, leases.add(lease))
    return once(() => {
      leases.delete(lease)
      if (leases.size === 0 && held.get(keyId) === leases) held.delete(keyId)
      // Where Redis does not answer, the lease runs out.
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
    async acquire(keyId, most) {
      const lease = randomUUID()
      const answer = await redis.attempt(() => client.eval(ACQUIRE, 1, name(keyId), leaseMs, most, lease))
      const isFree = answer === undefined ? (held.get(keyId)?.size ?? 0) < most : answer === 1
      return isFree ? hold(keyId, lease) : undefined
    },
    close: () => clearInterval(renewal),
  }
}
