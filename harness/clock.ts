// The clock of a run: that of the system, or one that a replay moves.
import { setTimeout as sleepFor } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Milliseconds since 1970. */
  date(): number
  /** Waits, in milliseconds. Rejects if the signal is aborted. `by` is the id of the check that waits. */
  sleep(ms: number, signal?: AbortSignal, by?: string): Promise<void>
  /** Calls `then` after some milliseconds. Returns a function that prevents it. */
  after(ms: number, then: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
