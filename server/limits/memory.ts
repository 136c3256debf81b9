// Limits in the memory of one process: exact for one instance, lost when it ends, and always synchronous.
import type { LimitState, RateLimiter, Release } from './rate-limiter.ts'

/** The window of a limit on tokens, in seconds. */
export const TOKEN_WINDOW_SECONDS = 60

/** `now` is a clock that never jumps, in milliseconds. */
export function createMemoryRateLimiter(now: () => number = () => performance.now()) {
  const requests = createWindows(now)
  const tokens = createWindows(now)
  const inFlight = new Map<string, number>()

  return {
    consume: (keyId, { requests: limit, windowSeconds }) => requests.add(keyId, limit, windowSeconds, 1),
    tokens: (keyId, perMinute) => tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, 0),
    reserve(keyId, perMinute, expected) {
      const state = tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, 0)
      return state.admitted ? tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, expected) : state
    },
    charge: (keyId, perMinute, used) => void tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, used),
    acquire(keyId, most) {
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
  } satisfies RateLimiter
}

interface Window {
  readonly limit: number
  readonly seconds: number
  count: number
  /** In milliseconds of the clock. */
  readonly ends: number
}

/** Windows that have ended are deleted after this many new ones. */
const SWEEP_EVERY = 1000

/** One fixed window per key. It begins with the first request after the previous one, or when the limit changes. */
function createWindows(now: () => number) {
  const windows = new Map<string, Window>()
  let begun = 0

  function begin(keyId: string, limit: number, seconds: number, time: number): Window {
    begun += 1
    if (begun % SWEEP_EVERY === 0)
      for (const [other, { ends }] of windows) if (ends <= time) windows.delete(other)
    const window = { limit, seconds, count: 0, ends: time + seconds * 1000 }
    windows.set(keyId, window)
    return window
  }

  return {
    /** Adds to the current window. Admits while fewer than `limit` were counted before. */
    add(keyId: string, limit: number, seconds: number, added: number): LimitState {
      const time = now()
      let window = windows.get(keyId)
      if (window === undefined || window.ends <= time || window.limit !== limit || window.seconds !== seconds)
        window = begin(keyId, limit, seconds, time)
      const admitted = window.count < limit
      window.count += added
      const remaining = Math.max(0, limit - window.count)
      // A rounding error in the subtraction must not make the window longer than it is: the header would round it up.
      return { admitted, limit, remaining, resetMs: Math.min(seconds * 1000, window.ends - time) }
    },
  }
}

/** A function that acts on its first call only. */
export function once(release: Release): Release {
  let isDone = false
  return function releaseOnce() {
    if (isDone) return
    isDone = true
    release()
  }
}
