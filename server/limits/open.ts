// Chooses where limits are counted: in Redis if it is configured, else in this process.
import type { Logger } from '../http/observability.ts'
import { createMemoryRateLimiter } from './memory.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Opens the limiter of the configuration; `redis` is undefined if none is configured. */
export async function openRateLimiter(
  redis: { readonly url: string; readonly timeoutMs: number } | undefined,
  logger: Logger,
): Promise<RateLimiter> {
  if (redis === undefined) return createMemoryRateLimiter()
  // Loaded on demand: most servers start without Redis.
  const [{ connectRedis }, { createRedisRateLimiter }] = await Promise.all([
    import('./shared-redis.ts'),
    import('./redis.ts'),
  ])
  return createRedisRateLimiter({ redis: await connectRedis({ ...redis, logger }) })
}
