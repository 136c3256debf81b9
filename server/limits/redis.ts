// Limits that any number of instances share. Redis counts, with its own clock, so that no two instances need to agree
// about the time. While it is down this instance counts for itself: nothing is ever let through uncounted.
import { type IRateLimiterOptions, RateLimiterRedis } from 'rate-limiter-flexible'
import { createMemoryRateLimiter, TOKEN_WINDOW_SECONDS } from './memory.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { SharedRedis } from './shared-redis.ts'
import { createSharedSlots } from './shared-slots.ts'
import { createWindows } from './windows.ts'

/** What stands before every name that is used in Redis. */
export const REDIS_PREFIX = 'touchstone'

/**
 * One request or more of a window, in one step. Redis keeps a name while its clock says no more than the time of its
 * end, so that a window that admits again from its end on has to end a millisecond before.
 */
const COUNT = `
redis.call('SET', KEYS[1], 0, 'PX', 1000 * ARGV[2] - 1, 'NX')
local consumed = redis.call('INCRBY', KEYS[1], ARGV[1])
return {consumed, redis.call('PTTL', KEYS[1]) + 1}`

export interface RedisRateLimiterOptions {
  readonly redis: SharedRedis
  /** How long a slot outlives an instance that was killed, in milliseconds. */
  readonly leaseMs?: number
}

/** How long a slot outlives an instance that was killed, by default. */
export const LEASE_MS = 15_000

export function createRedisRateLimiter({ redis, leaseMs = LEASE_MS }: RedisRateLimiterOptions): RateLimiter {
  const own = createMemoryRateLimiter()
  const slots = createSharedSlots({ redis, leaseMs, prefix: `${REDIS_PREFIX}:slots` })
  const makeLimiter = (options: IRateLimiterOptions): RateLimiterRedis =>
    new RateLimiterRedis({
      ...options,
      keyPrefix: `${REDIS_PREFIX}:${options.keyPrefix}`,
      storeClient: redis.client,
      customIncrTtlLuaScript: COUNT,
    })
  const requests = createWindows('requests', makeLimiter)
  const tokens = createWindows('tokens', makeLimiter)
  const ofTokens = (perMinute: number) => ({ points: perMinute, seconds: TOKEN_WINDOW_SECONDS })

  return {
    async consume(keyId, limit) {
      const window = { points: limit.requests, seconds: limit.windowSeconds }
      return (await redis.attempt(() => requests.consume(keyId, window))) ?? own.consume(keyId, limit)
    },
    async tokens(keyId, perMinute) {
      const shared = await redis.attempt(() => tokens.read(keyId, ofTokens(perMinute)))
      return shared ?? own.tokens(keyId, perMinute)
    },
    async reserve(keyId, perMinute, expected) {
      const shared = await redis.attempt(() => tokens.reserve(keyId, ofTokens(perMinute), expected))
      return shared ?? own.reserve(keyId, perMinute, expected)
    },
    async charge(keyId, perMinute, used) {
      const charged = await redis.attempt(async () => {
        await tokens.charge(keyId, ofTokens(perMinute), used)
        return true
      })
      if (charged === undefined) await own.charge(keyId, perMinute, used)
    },
    acquire: slots.acquire,
    scope: () => (redis.isDown() ? 'instance' : 'shared'),
    async close() {
      slots.close()
      await redis.close()
    },
  }
}
