// Limits in this process's memory: exact for one instance, and lost with it.
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { RateLimiter, Release } from './rate-limiter.ts'
import { createWindows } from './windows.ts'

/** The window of a limit on tokens, in seconds. */
export const TOKEN_WINDOW_SECONDS = 60

export function createMemoryRateLimiter(): RateLimiter {
  const requests = createWindows('requests', (options) => new RateLimiterMemory(options))
  const tokens = createWindows('tokens', (options) => new RateLimiterMemory(options))
  const inFlight = new Map<string, number>()

  return {
    consume: (keyId, { requests: points, windowSeconds: seconds }) =>
      requests.consume(keyId, { points, seconds }),
    tokens: (keyId, perMinute) => tokens.read(keyId, { points: perMinute, seconds: TOKEN_WINDOW_SECONDS }),
    reserve: (keyId, perMinute, expected) =>
      tokens.reserve(keyId, { points: perMinute, seconds: TOKEN_WINDOW_SECONDS }, expected),
    charge: (keyId, perMinute, used) =>
      tokens.charge(keyId, { points: perMinute, seconds: TOKEN_WINDOW_SECONDS }, used),
    async acquire(keyId, most) {
      const taken = inFlight.get(keyId) ?? 0
      if (taken >= most) return undefined
      inFlight.set(keyId, taken + 1)
      return once(() => {
        const left = (inFlight.get(keyId) ?? 0) - 1
        if (left > 0) inFlight.set(keyId, left)
        else inFlight.delete(keyId)
      })
    },
    scope: () => 'instance',
    close: async () => {},
  }
}

/** The function, of which only the first call does something. */
export function once(release: Release): Release {
  let isDone = false
  return function releaseOnce() {
    if (isDone) return
    isDone = true
    release()
  }
}
