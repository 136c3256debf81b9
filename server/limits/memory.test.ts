// Windows in memory against a model of a fixed window, on a clock that the test holds; and slots.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryRateLimiter } from './memory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const step = fc.record({
  key: fc.constantFrom('a', 'b'),
  /** Milliseconds that pass before the request. */
  after: fc.oneof(fc.nat(50), fc.nat(5000), fc.constantFrom(999, 1000, 1001, 2000, 3000)),
})

test('a fixed window: so many requests from its first one on, then none until its end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 60 }),
      async (requests, windowSeconds, steps) => {
        const limiter = createMemoryRateLimiter()
        const model = new Map<string, { used: number; endsAt: number }>()
        for (const { key, after } of steps) {
          vi.advanceTimersByTime(after)
          const now = Date.now()
          const known = model.get(key)
          const window =
            known !== undefined && now < known.endsAt
              ? known
              : { used: 0, endsAt: now + windowSeconds * 1000 }
          model.set(key, window)
          window.used += 1
          expect(await limiter.consume(key, { requests, windowSeconds })).toEqual({
            admitted: window.used <= requests,
            limit: requests,
            remaining: Math.max(0, requests - window.used),
            resetMs: window.endsAt - now,
          })
        }
      },
    ),
  )
})

test('tokens are charged when they are known, and admit until the minute has had its number', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 20 }),
      async (perMinute, charges) => {
        const limiter = createMemoryRateLimiter()
        let used = 0
        for (const tokens of charges) {
          expect(await limiter.tokens('key', perMinute)).toMatchObject({
            admitted: used < perMinute,
            remaining: Math.max(0, perMinute - used),
          })
          await limiter.charge('key', perMinute, tokens)
          used += tokens
        }
        vi.advanceTimersByTime(60_000)
        expect(await limiter.tokens('key', perMinute)).toMatchObject({ admitted: true, remaining: perMinute })
      },
    ),
  )
})

test('of reservations at once all count, but only while some are left, and what is refused costs nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }),
      async (perMinute, expected) => {
        const limiter = createMemoryRateLimiter()
        const states = await Promise.all(expected.map((tokens) => limiter.reserve('key', perMinute, tokens)))
        const taken = expected.filter((_, index) => states[index]?.admitted)
        const sum = taken.reduce((all, tokens) => all + tokens, 0)
        // All but the last one fitted, and where one was refused nothing was left.
        expect(sum - (taken.at(-1) ?? 0)).toBeLessThan(perMinute)
        if (taken.length < expected.length) expect(sum).toBeGreaterThanOrEqual(perMinute)
        expect(await limiter.tokens('key', perMinute)).toMatchObject({
          remaining: Math.max(0, perMinute - sum),
        })
        await limiter.charge('key', perMinute, -sum)
        expect(await limiter.tokens('key', perMinute)).toMatchObject({ remaining: perMinute })
      },
    ),
  )
})

test('slots: never more than there are, each freed once however often it is said', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ take: fc.boolean(), which: fc.nat(20) }), { maxLength: 60 }),
      async (most, steps) => {
        const limiter = createMemoryRateLimiter()
        const releases: { release: () => void; isFree: boolean }[] = []
        for (const { take, which } of steps) {
          const taken = releases.filter(({ isFree }) => !isFree).length
          if (take) {
            const release = await limiter.acquire('key', most)
            expect(release !== undefined).toBe(taken < most)
            if (release !== undefined) releases.push({ release, isFree: false })
          } else {
            const slot = releases[which % Math.max(1, releases.length)]
            slot?.release()
            if (slot !== undefined) slot.isFree = true
          }
          expect(await limiter.acquire('other', 1000)).toBeDefined()
        }
      },
    ),
  )
})

test('a window that has just begun is told as its whole length, and not the least fraction more', async () => {
  const limiter = createMemoryRateLimiter()
  const now = vi.spyOn(performance, 'now')
  const told: number[] = []
  for (let key = 0; key < 5000; key += 1) {
    // What is added to such times and taken away again is not always the same.
    now.mockReturnValue(10_000 + key / 997)
    told.push((await limiter.consume(`key ${key}`, { requests: 1, windowSeconds: 7 })).resetMs)
  }
  now.mockRestore()
  expect(Math.max(...told)).toBe(7000)
})
