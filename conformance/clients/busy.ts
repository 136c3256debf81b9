// How late the judge's own timers are: what it measures of a client is no better than that.

/** How often it looks, in milliseconds, and for how long it remembers. */
const LOOK_MS = 10
const KEPT_MS = 180_000
/** What is no delay worth remembering, in milliseconds. */
const SMALL_MS = 5

export interface BusyMeter {
  /** The longest delay between two times of `performance.now()`, in milliseconds. */
  between(fromMs: number, toMs: number): number
  stop(): void
}

export function startBusyMeter(): BusyMeter {
  const delays: { readonly fromMs: number; readonly toMs: number }[] = []
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    if (nowMs - lastMs - LOOK_MS > SMALL_MS) delays.push({ fromMs: lastMs + LOOK_MS, toMs: nowMs })
    while ((delays[0]?.toMs ?? nowMs) < nowMs - KEPT_MS) delays.shift()
    lastMs = nowMs
  }, LOOK_MS)
  return {
    between(fromMs, toMs) {
      const within = delays.filter((delay) => delay.toMs >= fromMs && delay.fromMs <= toMs)
      return within.reduce((longest, delay) => Math.max(longest, delay.toMs - delay.fromMs), 0)
    },
    stop: () => clearInterval(timer),
  }
}
