// Windows and slots in memory, compared with a model, on a clock of the test: counted by one thread, and by three in turn.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLimitMemory, createMemoryRateLimiter, type MemoryRateLimiter } from './memory-limiter.ts'

/** A limiter of which each call is made by the next of `threads` threads. */
function limiterOf(
  threads: number,
  now?: () => number,
  memory = createLimitMemory(threads),
): MemoryRateLimiter {
  const all = Array.from({ length: threads }, (_, thread) => createMemoryRateLimiter(now, memory, thread))
  let calls = 0
  const next = (): MemoryRateLimiter => all[calls++ % threads] ?? createMemoryRateLimiter()
  return {
    consume: (...given) => next().consume(...given),
    tokens: (...given) => next().tokens(...given),
    reserve: (...given) => next().reserve(...given),
    charge: (...given) => next().charge(...given),
    acquire: (...given) => next().acquire(...given),
    scope: () => 'instance',
    close: async () => {},
  }
}

const step = fc.record({
  key: fc.constantFrom('a', 'b'),
  /** Milliseconds that pass before the request. */
  after: fc.oneof(fc.nat(50), fc.nat(5000), fc.constantFrom(999, 1000, 1001, 2000, 3000)),
})

describe.each([1, 3])('%i threads', (threads) => {
  test('a window starts at the first request and admits its limit until it ends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        (requests, windowSeconds, steps) => {
          let now = 0
          const limiter = limiterOf(threads, () => now)
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
          const limiter = limiterOf(threads, () => now)
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
          const limiter = limiterOf(threads)
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
          const limiter = limiterOf(threads)
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
    const limiter = limiterOf(threads, () => now)
    const reported: number[] = []
    for (let key = 0; key < 5000; key += 1) {
      // The sum of such a time and a length, minus the time, is not always the length.
      now = 10_000 + key / 997
      reported.push(limiter.consume(`key ${key}`, { requests: 1, windowSeconds: 7 }).resetMs)
    }
    expect(Math.max(...reported)).toBe(7000)
  })

  test('a window and a slot outlive any number of other keys, and what has ended takes no memory', () => {
    let now = 0
    const memory = createLimitMemory(threads)
    const limiter = limiterOf(threads, () => now, memory)
    limiter.consume('windows', { requests: 1, windowSeconds: 1_000_000 })
    limiter.charge('tokens', 1, 1)
    expect(limiter.acquire('slots', 1)).toBeDefined()
    let kept = 0
    for (let key = 0; key < 20_000; key += 1) {
      now += 100
      limiter.consume(`other ${key}`, { requests: 1, windowSeconds: 1 })
      limiter.tokens(`another ${key}`, 1)
      if (key === 2000) kept = memory.table.buffer.byteLength
      if (key === 590) expect(limiter.tokens('tokens', 1).admitted).toBe(false)
    }
    expect(limiter.consume('windows', { requests: 1, windowSeconds: 1_000_000 }).admitted).toBe(false)
    expect(limiter.acquire('slots', 1)).toBeUndefined()
    expect(memory.table.buffer.byteLength).toBeLessThanOrEqual(2 * kept)
  })
})
