// The clock of all measured times, and the delays of timers in the processes of the judge: measured times of a client are
// not more exact than these delays.

/** The time of a monotonic clock, the same in all processes of a machine, in milliseconds. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** The interval between two measurements, and how long a delay is kept, in milliseconds. */
const LOOK_MS = 10
const KEPT_MS = 600_000
/** The longest delay that is ignored, in milliseconds. */
const SMALL_MS = 5

/** A timer that was due at `fromMs` and fired at `toMs`, by `clockMs()`. */
export interface Delay {
  readonly fromMs: number
  readonly toMs: number
}

/** Watches the timers of this process; returns a function that stops it. */
export function watchDelays(onDelay: (delay: Delay) => void): () => void {
  let lastMs = clockMs()
  const timer = setInterval(() => {
    const nowMs = clockMs()
    if (nowMs - lastMs - LOOK_MS > SMALL_MS) onDelay({ fromMs: lastMs + LOOK_MS, toMs: nowMs })
    lastMs = nowMs
  }, LOOK_MS)
  return () => clearInterval(timer)
}

/** Keeps the delays of the last minutes. */
export function createDelayLog() {
  const delays: Delay[] = []
  return {
    add(delay: Delay): void {
      delays.push(delay)
      while ((delays[0]?.toMs ?? delay.toMs) < delay.toMs - KEPT_MS) delays.shift()
    },
    all: (): readonly Delay[] => delays,
    /** The longest delay between two times of `clockMs()`, in milliseconds. */
    longest: (fromMs: number, toMs: number): number => longestDelay(delays, fromMs, toMs),
  }
}

/** The longest of these delays between two times, in milliseconds. */
export function longestDelay(delays: readonly Delay[], fromMs: number, toMs: number): number {
  const within = delays.filter((delay) => delay.toMs >= fromMs && delay.fromMs <= toMs)
  return within.reduce((longest, delay) => Math.max(longest, delay.toMs - delay.fromMs), 0)
}
