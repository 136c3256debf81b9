// Chooses where limits are counted: in Redis if it is configured, else in memory.
import type { Logger } from '../http/observability.ts'
import { createMemoryRateLimiter, type MemoryRateLimiter } from './memory-limiter.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Opens the limiter of the configuration. `memory` counts if `redis` is undefined, and while Redis is down. */
export async function openRateLimiter(
  redis: { readonly url: string; readonly timeoutMs: number } | undefined,
  logger: Logger,
  memory: MemoryRateLimiter = createMemoryRateLimiter(),
): Promise<RateLimiter> {
  if (redis === undefined) return memory
  // Loaded on demand: most servers start without Redis.
  const [{ connectRedis }, { createRedisRateLimiter }] = await Promise.all([
    import('./shared-redis.ts'),
    import('./redis-limiter.ts'),
  ])
  return createRedisRateLimiter({ redis: await connectRedis({ ...redis, logger }), memory })
}
