// Limits shared through a real Redis: exact across instances, and enforced while Redis is down.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startRedis, type TestRedis } from '../../fixtures/services/redis.ts'
import { createLogger } from '../http/observability.ts'
import { openRateLimiter } from './open-limiter.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { createRedisRateLimiter, REDIS_PREFIX } from './redis-limiter.ts'
import { connectRedis } from './shared-redis.ts'

/** The bound on one command, in these tests. */
const TIMEOUT_MS = 500
const opened: RateLimiter[] = []
const logLines: string[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const limiter of opened.splice(0)) await limiter.close()
  logLines.length = 0
})

const logger = createLogger('trace', { write: (line) => void logLines.push(line) })

async function instance(redis: TestRedis, leaseMs?: number): Promise<RateLimiter> {
  const limiter =
    leaseMs === undefined
      ? await openRateLimiter({ url: redis.url, timeoutMs: TIMEOUT_MS }, logger)
      : createRedisRateLimiter({
          redis: await connectRedis({ url: redis.url, timeoutMs: TIMEOUT_MS, logger }),
          leaseMs,
        })
  opened.push(limiter)
  return limiter
}

/** How many of `count` simultaneous requests with one key are admitted, in turn by each of these instances. */
async function admitted(limiters: readonly RateLimiter[], count: number, requests: number): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      limiters[index % limiters.length]?.consume('key', { requests, windowSeconds: 60 }),
    ),
  )
  return answers.filter((answer) => answer?.admitted === true).length
}

/** Reads and changes Redis as an operator could: its clock cannot be moved. */
function clientOf(redis: TestRedis) {
  const client = new Redis(redis.url)
  return Object.assign(client, { [Symbol.dispose]: () => client.disconnect() })
}

/** The leases of `key`. */
function leasesIn(redis: TestRedis) {
  const client = clientOf(redis)
  const name = `${REDIS_PREFIX}:slots:key`
  /** When the first of them ends, in milliseconds from now. */
  async function firstEndMs(): Promise<number> {
    const [, end] = await client.zrange(name, '0', '0', 'WITHSCORES')
    const [seconds] = await client.time()
    return Number(end) - 1000 * Number(seconds)
  }
  async function passTime(ms: number): Promise<void> {
    for (const lease of await client.zrange(name, '0', '-1')) await client.zincrby(name, -ms, lease)
  }
  return { firstEndMs, passTime, [Symbol.dispose]: () => client.disconnect() }
}

function outages(): { warnings: number; ends: number } {
  const count = (text: string): number => logLines.filter((line) => line.includes(text)).length
  return { warnings: count('Redis is down'), ends: count('Redis answers again') }
}

describe('with Redis', { tags: 'redis-server' }, () => {
  test('two instances share a window: of 1,000 simultaneous requests exactly 100 are admitted', async () => {
    await using redis = await startRedis()
    const limiters = [await instance(redis), await instance(redis)]
    expect(await admitted(limiters, 1000, 100)).toBe(100)
    expect(limiters.map((limiter) => limiter.scope())).toEqual(['shared', 'shared'])
  })

  test('keys are counted separately, and so are windows of different lengths', async () => {
    await using redis = await startRedis()
    const limiter = await instance(redis)
    const limit = { requests: 2, windowSeconds: 60 }
    for (const key of ['a', 'b'])
      for (const remaining of [1, 0])
        expect(await limiter.consume(key, limit)).toMatchObject({ admitted: true, remaining })
    expect(await limiter.consume('a', limit)).toMatchObject({ admitted: false, remaining: 0 })
    expect(await limiter.consume('a', { requests: 2, windowSeconds: 30 })).toMatchObject({ admitted: true })
  })

  test('another instance refuses until the window ends in Redis, and reports that end', async () => {
    await using redis = await startRedis()
    const [one, two] = [await instance(redis), await instance(redis)]
    using client = clientOf(redis)
    const limit = { requests: 1, windowSeconds: 60 }
    expect(await one.consume('key', limit)).toMatchObject({ admitted: true })
    const before = await client.pttl(`${REDIS_PREFIX}:requests:1/60:key`)
    const { admitted, resetMs } = await two.consume('key', limit)
    const after = await client.pttl(`${REDIS_PREFIX}:requests:1/60:key`)
    // Redis keeps a window while its clock is not past the end, so a window ends one millisecond later.
    expect([admitted, resetMs > after, resetMs <= before + 1]).toEqual([false, true, true])
    await client.pexpire(`${REDIS_PREFIX}:requests:1/60:key`, 0)
    expect(await two.consume('key', limit)).toMatchObject({ admitted: true })
  })

  test('tokens are reserved once for all instances, and unused ones are refunded', async () => {
    await using redis = await startRedis()
    const [one, two] = [await instance(redis), await instance(redis)]
    const states = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).reserve('key', 10, 2000)),
    )
    expect(states.filter(({ admitted }) => admitted)).toHaveLength(1)
    expect(await two.tokens('key', 10)).toMatchObject({ admitted: false, remaining: 0 })
    await two.charge('key', 10, -1997)
    expect(await one.tokens('key', 10)).toMatchObject({ admitted: true, remaining: 7 })
    await one.charge('key', 10, 7)
    expect(await two.tokens('key', 10)).toMatchObject({ admitted: false, remaining: 0 })
  })

  test('slots are shared, and renewed while their requests are in flight', async () => {
    await using redis = await startRedis()
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const [one, two] = [await instance(redis, 60_000), await instance(redis, 60_000)]
    using leases = leasesIn(redis)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : two).acquire('key', 10)),
    )
    const releases = answers.filter((release) => release !== undefined)
    expect(releases).toHaveLength(10)
    await leases.passTime(50_000)
    expect(await leases.firstEndMs()).toBeLessThan(15_000)
    vi.advanceTimersByTime(20_000)
    await expect.poll(leases.firstEndMs).toBeGreaterThan(15_000)
    expect(await two.acquire('key', 10)).toBeUndefined()
    releases[0]?.()
    releases[0]?.()
    await expect.poll(() => two.acquire('key', 10), { interval: 20 }).toBeDefined()
    expect(await one.acquire('key', 10)).toBeUndefined()
  })

  test('the slots of a dead instance are free when their leases expire', async () => {
    await using redis = await startRedis()
    const [dead, alive] = [await instance(redis, 60_000), await instance(redis, 60_000)]
    using leases = leasesIn(redis)
    expect(await dead.acquire('key', 1)).toBeDefined()
    await dead.close()
    expect(await alive.acquire('key', 1)).toBeUndefined()
    await leases.passTime(60_000)
    expect(await alive.acquire('key', 1)).toBeDefined()
  })
})

describe('an outage', { tags: 'redis-server' }, () => {
  test('after kill -9 under load each instance enforces its own limits, then shares them again by itself', async () => {
    await using redis = await startRedis()
    const limiters = [await instance(redis), await instance(redis)]
    const load = admitted(limiters, 1000, 100)
    await redis.kill()
    // One count in Redis and one per instance, each of which admits at most the limit.
    expect(await load).toBeLessThanOrEqual(300)
    expect(await admitted(limiters, 1000, 100)).toBeLessThanOrEqual(200)
    expect(await admitted(limiters, 1000, 100)).toBe(0)
    expect(limiters.map((limiter) => limiter.scope())).toEqual(['instance', 'instance'])
    expect(outages()).toEqual({ warnings: 2, ends: 0 })

    await redis.restart()
    await expect.poll(() => limiters.map((limiter) => limiter.scope())).toEqual(['shared', 'shared'])
    expect(outages()).toEqual({ warnings: 2, ends: 2 })
    expect(await admitted(limiters, 1000, 100)).toBe(100)
  })

  test('a Redis that hangs delays only the requests in flight', async () => {
    await using redis = await startRedis()
    const limiter = await instance(redis)
    await limiter.consume('key', { requests: 100, windowSeconds: 60 })
    redis.pause()
    expect(await admitted([limiter], 1000, 100)).toBe(100)
    // No later request waits for an answer of Redis, which would take a turn of the event loop at least.
    for (let round = 0; round < 50; round++)
      expect(await Promise.race([admitted([limiter], 1, 100), nextTurn('late')])).toBe(0)
    expect(outages()).toEqual({ warnings: 1, ends: 0 })
    redis.resume()
    await expect.poll(() => limiter.scope()).toBe('shared')
    expect(outages()).toEqual({ warnings: 1, ends: 1 })
  })

  test('a process that was blocked does not report Redis as down', async () => {
    await using redis = await startRedis()
    const limiters = [await instance(redis), await instance(redis)]
    const answers = admitted(limiters, 1000, 100)
    const until = performance.now() + 4 * TIMEOUT_MS
    while (performance.now() < until) Math.hypot(until, until)
    expect(await answers).toBe(100)
    expect(outages()).toEqual({ warnings: 0, ends: 0 })
  })

  test('an instance counts its own slots during an outage and adds them to Redis afterwards', async () => {
    await using redis = await startRedis()
    const [one, two] = [await instance(redis, 60_000), await instance(redis, 60_000)]
    const before = await one.acquire('key', 3)
    await redis.kill()
    await expect.poll(() => one.scope()).toBe('instance')
    expect(await one.acquire('key', 3)).toBeDefined()
    expect(await one.acquire('key', 3)).toBeDefined()
    expect(await one.acquire('key', 3)).toBeUndefined()
    before?.()
    await redis.restart()
    await expect.poll(() => [one.scope(), two.scope()]).toEqual(['shared', 'shared'])
    expect(await two.acquire('key', 3)).toBeDefined()
    expect(await two.acquire('key', 3)).toBeUndefined()
  })

  test('limits are enforced after a start without Redis', async () => {
    const redis = await startRedis()
    await redis.kill()
    const limiter = await instance(redis)
    expect(limiter.scope()).toBe('instance')
    expect(await admitted([limiter], 1000, 100)).toBe(100)
    await redis.restart()
    await expect.poll(() => limiter.scope()).toBe('shared')
    await redis.kill()
  })

  test('no log line contains the password of Redis, right or wrong', async () => {
    const password = 'p@ss:word/of redis'
    await using redis = await startRedis({ password })
    expect((await instance(redis)).scope()).toBe('shared')
    const wrong = 'another-pass-word'
    const url = redis.url.replace(encodeURIComponent(password), wrong)
    const limiter = await openRateLimiter({ url, timeoutMs: TIMEOUT_MS }, logger)
    opened.push(limiter)
    expect(limiter.scope()).toBe('instance')
    expect(await admitted([limiter], 200, 100)).toBe(100)
    expect(outages().warnings).toBe(1)
    for (const secret of [password, encodeURIComponent(password), wrong])
      expect(logLines.join('')).not.toContain(secret)
  })
})
