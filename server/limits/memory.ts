// Limits in this process's memory: exact for one instance, and lost with it. Nothing here waits.
import type { LimitState, RateLimiter, Release } from './rate-limiter.ts'

/** The window of a limit on tokens, in seconds. */
export const TOKEN_WINDOW_SECONDS = 60

export function createMemoryRateLimiter() {
  const requests = createWindows()
  const tokens = createWindows()
  const inFlight = new Map<string, number>()

  return {
    consume(keyId, { requests: points, windowSeconds }) {
      const now = performance.now()
      const window = requests.add(keyId, points, windowSeconds, 1, now)
      return stateOf(window, window.counted <= points, now)
    },
    tokens(keyId, perMinute) {
      const now = performance.now()
      const window = tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, 0, now)
      return stateOf(window, window.counted < perMinute, now)
    },
    reserve(keyId, perMinute, expected) {
      const now = performance.now()
      const window = tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, expected, now)
      const admitted = window.counted - expected < perMinute
      const state = stateOf(window, admitted, now)
      if (!admitted) window.counted -= expected
      return state
    },
    charge(keyId, perMinute, used) {
      tokens.add(keyId, perMinute, TOKEN_WINDOW_SECONDS, used, performance.now())
    },
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
  readonly points: number
  readonly seconds: number
  counted: number
  /** In milliseconds of a clock that never jumps. */
  readonly ends: number
}

/** So many windows are begun before those that have ended are forgotten. */
const SWEEP_EVERY = 1000

/** Fixed windows, one for each key; it begins with the first request after the last one, or under another limit. */
function createWindows() {
  const windows = new Map<string, Window>()
  let begun = 0

  function begin(keyId: string, points: number, seconds: number, now: number): Window {
    begun += 1
    if (begun % SWEEP_EVERY === 0)
      for (const [other, { ends }] of windows) if (ends <= now) windows.delete(other)
    const window = { points, seconds, counted: 0, ends: now + seconds * 1000 }
    windows.set(keyId, window)
    return window
  }

  return {
    /** Counts points in the window of now. */
    add(keyId: string, points: number, seconds: number, count: number, now: number): Window {
      let window = windows.get(keyId)
      if (
        window === undefined ||
        window.ends <= now ||
        window.points !== points ||
        window.seconds !== seconds
      )
        window = begin(keyId, points, seconds, now)
      window.counted += count
      return window
    },
  }
}

function stateOf({ points, seconds, counted, ends }: Window, admitted: boolean, now: number): LimitState {
  // At its beginning a window has its whole length left, and not the least fraction more, which would round up.
  const resetMs = Math.min(seconds * 1000, Math.max(0, ends - now))
  return { admitted, limit: points, remaining: Math.max(0, points - counted), resetMs }
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
