// Detects over-saturation: a service that gets more requests than it can serve. The requests in flight and the time to
// the first byte then both rise during the whole load; with a slow service, both are high and even.

/** The number of samples that a judgement needs, and of the latest samples that it uses. */
const LEAST_SAMPLES = 12
const LATEST_SAMPLES = 40

/** Rank correlation with the time (Kendall), from −1 to 1, above which a value rises. */
const RISES = 0.6

/** Both must have at least doubled, from at least these values: a small rise may be the start of an even load. */
const GROWTH = 2
const LEAST_IN_FLIGHT = 2
const LEAST_WAIT_MS = 50

export type Saturation = ReturnType<typeof createSaturation>

/** Watches the requests of one generator. */
export function createSaturation() {
  /** The planned times of the requests without a first byte, and the number of all that are in flight. */
  const waiting = new Set<{ readonly dueMs: number }>()
  const samples: { readonly inFlight: number; readonly oldestMs: number }[] = []
  let inFlight = 0
  return {
    /** A request begins that was planned at this time of `performance.now`. */
    begin(dueMs: number) {
      const request = { dueMs }
      waiting.add(request)
      inFlight += 1
      return {
        first: () => void waiting.delete(request),
        end() {
          waiting.delete(request)
          inFlight -= 1
        },
      }
    },
    inFlight: () => inFlight,
    /** Takes a sample; to be called at even intervals. */
    isReached(nowMs: number): boolean {
      // A set keeps the order of arrival, so the first is the oldest.
      const [oldest] = waiting
      samples.push({ inFlight, oldestMs: oldest === undefined ? 0 : Math.max(0, nowMs - oldest.dueMs) })
      const latest = samples.slice(-LATEST_SAMPLES)
      if (latest.length < LEAST_SAMPLES) return false
      const inFlights = latest.map((one) => one.inFlight)
      const waits = latest.map((one) => one.oldestMs)
      return rises(inFlights, LEAST_IN_FLIGHT) && rises(waits, LEAST_WAIT_MS)
    },
  }
}

/** Whether a series rises throughout and at least doubles from its first third, or from `least`, to its last. */
export function rises(values: readonly number[], least: number): boolean {
  const third = Math.floor(values.length / 3)
  const mean = (part: readonly number[]): number => part.reduce((sum, value) => sum + value, 0) / part.length
  if (mean(values.slice(-third)) < GROWTH * Math.max(least, mean(values.slice(0, third)))) return false
  let balance = 0
  for (const [at, value] of values.entries())
    for (const later of values.slice(at + 1)) balance += Math.sign(later - value)
  return balance / ((values.length * (values.length - 1)) / 2) > RISES
}
