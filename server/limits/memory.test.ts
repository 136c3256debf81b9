// Windows and slots in memory, compared with a model, on a clock of the test.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRateLimiter } from './memory.ts'

const step = fc.record({
  key: fc.constantFrom('a', 'b'),
  /** Milliseconds that pass before the request. */
  after: fc.oneof(fc.nat(50), fc.nat(5000), fc.constantFrom(999, 1000, 1001, 2000, 3000)),
})

test('a window starts at the first request and admits its limit until it ends', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 60 }),
      (requests, windowSeconds, steps) => {
        let now = 0
        const limiter = createMemoryRateLimiter(() => now)
        const model = new Map<string, { used: number; endsAt: number }>()
        for (const { key, after } of steps) {
          now += after
          const known = model.get(key)
          const window =
            known !== undefined && now < known.endsAt
              ? known
              : { used: 0, endsAt: now + windowSeconds * 1000 }
          model.set(key, window)
          window.used += 1
          expect(limiter.consume(key, { requests, windowSeconds })).toEqual({
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

test('requests are admitted until the tokens of the minute are used', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 20 }),
      (perMinute, charges) => {
        let now = 0
        const limiter = createMemoryRateLimiter(() => now)
        let used = 0
        for (const tokens of charges) {
          expect(limiter.tokens('key', perMinute)).toMatchObject({
            admitted: used < perMinute,
            remaining: Math.max(0, perMinute - used),
          })
          limiter.charge('key', perMinute, tokens)
          used += tokens
        }
        now += 60_000
        expect(limiter.tokens('key', perMinute)).toMatchObject({ admitted: true, remaining: perMinute })
      },
    ),
  )
})

test('a reservation is counted if tokens are left, and costs nothing if it is refused', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }),
      (perMinute, expected) => {
        const limiter = createMemoryRateLimiter()
        const states = expected.map((tokens) => limiter.reserve('key', perMinute, tokens))
        const taken = expected.filter((_, index) => states[index]?.admitted)
        const sum = taken.reduce((all, tokens) => all + tokens, 0)
        // All but the last one fit, and after a refusal no token is left.
        expect(sum - (taken.at(-1) ?? 0)).toBeLessThan(perMinute)
        if (taken.length < expected.length) expect(sum).toBeGreaterThanOrEqual(perMinute)
        expect(limiter.tokens('key', perMinute)).toMatchObject({
          remaining: Math.max(0, perMinute - sum),
        })
        limiter.charge('key', perMinute, -sum)
        expect(limiter.tokens('key', perMinute)).toMatchObject({ remaining: perMinute })
      },
    ),
  )
})

test('no more slots are taken than exist, and a slot is freed once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ take: fc.boolean(), which: fc.nat(20) }), { maxLength: 60 }),
      (most, steps) => {
        const limiter = createMemoryRateLimiter()
        const releases: { release: () => void; isFree: boolean }[] = []
        for (const { take, which } of steps) {
          const taken = releases.filter(({ isFree }) => !isFree).length
          if (take) {
            const release = limiter.acquire('key', most)
            expect(release !== undefined).toBe(taken < most)
            if (release !== undefined) releases.push({ release, isFree: false })
          } else {
            const slot = releases[which % Math.max(1, releases.length)]
            slot?.release()
            if (slot !== undefined) slot.isFree = true
          }
          expect(limiter.acquire('other', 1000)).toBeDefined()
        }
      },
    ),
  )
})

test('a new window reports exactly its length, whatever the rounding of the clock', () => {
  let now = 0
  const limiter = createMemoryRateLimiter(() => now)
  const reported: number[] = []
  for (let key = 0; key < 5000; key += 1) {
    // The sum of such a time and a length, minus the time, is not always the length.
    now = 10_000 + key / 997
    reported.push(limiter.consume(`key ${key}`, { requests: 1, windowSeconds: 7 }).resetMs)
  }
  expect(Math.max(...reported)).toBe(7000)
})
