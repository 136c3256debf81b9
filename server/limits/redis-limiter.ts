// Limits that any number of instances share. Redis counts by its own clock, so instances need not agree about the time.
// While Redis is down, each instance counts for itself: no request passes uncounted.
import { createMemoryRateLimiter, type MemoryRateLimiter, TOKEN_WINDOW_SECONDS } from './memory-limiter.ts'
import type { LimitState, RateLimiter } from './rate-limiter.ts'
import type { SharedRedis } from './shared-redis.ts'
import { createSharedSlots } from './shared-slots.ts'

/** The prefix of every Redis key. */
export const REDIS_PREFIX = 'touchstone'

/**
 * Adds ARGV[1] to a window of ARGV[2] seconds and returns the count and the milliseconds left. The window begins with
 * the first addition. Redis keeps a key while its clock is not past the key's end, so a window that must be free at its
 * end expires one millisecond earlier. With ARGV[3], nothing is added to a window that already has that many.
 */
const ADD = `
redis.call('SET', KEYS[1], 0, 'PX', 1000 * ARGV[2] - 1, 'NX')
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if ARGV[3] and count - ARGV[1] >= tonumber(ARGV[3]) then redis.call('DECRBY', KEYS[1], ARGV[1]) end
return {count, redis.call('PTTL', KEYS[1]) + 1}`

export interface RedisRateLimiterOptions {
  readonly redis: SharedRedis
  /** Counts while Redis is down. */
  readonly memory?: MemoryRateLimiter
  /** How long a slot outlives an instance that was killed, in milliseconds. */
  readonly leaseMs?: number
}

/** Default of `leaseMs`. */
export const LEASE_MS = 15_000

export function createRedisRateLimiter({
  redis,
  memory = createMemoryRateLimiter(),
  leaseMs = LEASE_MS,
}: RedisRateLimiterOptions): RateLimiter {
  const slots = createSharedSlots({ redis, leaseMs, prefix: `${REDIS_PREFIX}:slots` })

  /** Adds to a window. Returns undefined while Redis is down. Admits while fewer than `limit` were counted before. */
  function add(name: string, limit: number, seconds: number, added: number, most: number[] = []) {
    return redis.attempt(async (): Promise<LimitState> => {
      const key = `${REDIS_PREFIX}:${name}`
      const [count, resetMs] = [await redis.client.eval(ADD, 1, key, added, seconds, ...most)]
        .flat()
        .map(Number)
      if (count === undefined || resetMs === undefined) throw new TypeError('Redis returned no count')
      return {
        admitted: count - added < limit,
        limit,
        remaining: Math.max(0, limit - count),
        resetMs: Math.max(0, resetMs),
      }
    })
  }

  function addTokens(keyId: string, limit: number, added: number, most?: number[]) {
    const name = `tokens:${limit}/${TOKEN_WINDOW_SECONDS}:${keyId}`
    return add(name, limit, TOKEN_WINDOW_SECONDS, added, most)
  }

  return {
    async consume(keyId, limit) {
      const { requests, windowSeconds } = limit
      const name = `requests:${requests}/${windowSeconds}:${keyId}`
      return (await add(name, requests, windowSeconds, 1)) ?? memory.consume(keyId, limit)
    },
    tokens: async (keyId, limit) => (await addTokens(keyId, limit, 0)) ?? memory.tokens(keyId, limit),
    async reserve(keyId, limit, expected) {
      return (await addTokens(keyId, limit, expected, [limit])) ?? memory.reserve(keyId, limit, expected)
    },
    async charge(keyId, limit, used) {
      if ((await addTokens(keyId, limit, used)) === undefined) memory.charge(keyId, limit, used)
    },
    acquire: slots.acquire,
    scope: () => (redis.isDown() ? 'instance' : 'shared'),
    async close() {
      slots.close()
      await redis.close()
    },
  }
}
