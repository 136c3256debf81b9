// How late timers are in the processes of the judge: what is measured of a client is no better than that.
import { clockMs } from './clock.ts'

/** How often it looks, in milliseconds, and for how long it remembers. */
const LOOK_MS = 10
const KEPT_MS = 180_000
/** What is no delay worth remembering, in milliseconds. */
const SMALL_MS = 5

/** A timer that was due at `fromMs` and came at `toMs`, of `clockMs()`. */
export interface Delay {
  readonly fromMs: number
  readonly toMs: number
}

/** Watches the timers of this process, and returns what ends it. */
export function watchDelays(onDelay: (delay: Delay) => void): () => void {
  let lastMs = clockMs()
  const timer = setInterval(() => {
    const nowMs = clockMs()
    if (nowMs - lastMs - LOOK_MS > SMALL_MS) onDelay({ fromMs: lastMs + LOOK_MS, toMs: nowMs })
    lastMs = nowMs
  }, LOOK_MS)
  return () => clearInterval(timer)
}

/** The delays of the last minutes. */
export interface DelayLog {
  add(delay: Delay): void
  /** The longest delay between two times of `clockMs()`, in milliseconds. */
  longest(fromMs: number, toMs: number): number
}

export function createDelayLog(): DelayLog {
  const delays: Delay[] = []
  return {
    add(delay) {
      delays.push(delay)
      while ((delays[0]?.toMs ?? delay.toMs) < delay.toMs - KEPT_MS) delays.shift()
    },
    longest(fromMs, toMs) {
      const within = delays.filter((delay) => delay.toMs >= fromMs && delay.fromMs <= toMs)
      return within.reduce((longest, delay) => Math.max(longest, delay.toMs - delay.fromMs), 0)
    },
  }
}
