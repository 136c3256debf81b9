// Chooses where limits are counted: in Redis where there is one, else in this process.
import type { Logger } from '../http/observability.ts'
import { createMemoryRateLimiter } from './memory.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** `redis` as it was configured; undefined for none. */
export async function openRateLimiter(
  redis: { readonly url: string; readonly timeoutMs: number } | undefined,
  logger: Logger,
): Promise<RateLimiter> {
  if (redis === undefined) return createMemoryRateLimiter()
  // Loaded only where it is asked for: most servers start without Redis.
  const [{ connectRedis }, { createRedisRateLimiter }] = await Promise.all([
    import('./shared-redis.ts'),
    import('./redis.ts'),
  ])
  return createRedisRateLimiter({ redis: await connectRedis({ ...redis, logger }) })
}
