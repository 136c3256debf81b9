// The search for the highest rate that keeps the objectives. Each rate is tried in windows until its goodput is known
// well enough; then the interval between the best rate that holds and the worst that does not is halved. `tryWindow`
// measures a window.

/** The interval of a goodput covers the true one in 95 of 100 windows. */
const Z = 1.96

/** The most windows of one rate. */
const MOST_WINDOWS = 3

/** The search ends when the rate that breaks is at most this much above the one that holds. */
const PRECISION = 1.1

/** The most rates that are tried. */
const MOST_RATES = 24

export interface Window {
  readonly offered: number
  /** Requests that completed and met every objective. */
  readonly good: number
  /** The service was over-saturated, so the window ended early. */
  readonly saturated: boolean
  /** The reasons why the generator did not offer the load. */
  readonly invalid: readonly string[]
}

export type Search = Awaited<ReturnType<typeof searchRate>>

export interface SearchOptions {
  readonly fromPerSecond: number
  readonly toPerSecond: number
  /** The demanded goodput, from 0 to 1. */
  readonly share: number
  tryWindow(ratePerSecond: number): Promise<Window>
}

/** Doubles the rate until it breaks, then halves the interval. An uncertain end of the result is tried more than once. */
export async function searchRate({ fromPerSecond, toPerSecond, share, tryWindow }: SearchOptions) {
  const rates: Awaited<ReturnType<typeof tryRate>>[] = []
  /** The highest rate that holds with all lower ones, and the lowest that does not; null if there is none. */
  let holds: number | null = null
  let breaks: number | null = null
  let rate = fromPerSecond
  while (rates.length < MOST_RATES) {
    const isNearEnd: boolean = holds !== null && breaks !== null && rate / holds <= PRECISION ** 2
    const tried = await tryRate(rate, share, isNearEnd ? MOST_WINDOWS : 2, tryWindow)
    rates.push(tried)
    if (tried.outcome === 'invalid') break
    if (tried.outcome === 'holds') holds = rate
    else breaks = rate
    if (breaks === null) {
      if (rate >= toPerSecond) break
      rate = Math.min(toPerSecond, rate * 2)
    } else if (holds === null) {
      // If the first rate does not hold, lower rates are tried, down to an eighth.
      if (rate <= fromPerSecond / 8) break
      rate /= 2
    } else if (breaks / holds <= PRECISION) break
    else rate = Number(Math.sqrt(holds * breaks).toPrecision(3))
  }
  return { holds, breaks, rates }
}

async function tryRate(
  ratePerSecond: number,
  share: number,
  mostWindows: number,
  tryWindow: SearchOptions['tryWindow'],
) {
  let offered = 0
  let good = 0
  for (let windows = 1; ; windows++) {
    const window = await tryWindow(ratePerSecond)
    // A window in which the generator was late is repeated.
    if (window.invalid.length > 0 && windows < mostWindows) continue
    offered += window.invalid.length > 0 ? 0 : window.offered
    good += window.invalid.length > 0 ? 0 : window.good
    /** The 95 % interval of the goodput (Wilson). */
    const interval = wilson(good, offered)
    const goodput = offered === 0 ? 0 : good / offered
    const { saturated, invalid } = window
    /** The interval excludes the other outcome. */
    const isCertain = saturated || interval[0] >= share || interval[1] < share
    const outcome: 'holds' | 'breaks' | 'invalid' =
      invalid.length > 0 ? 'invalid' : !saturated && goodput >= share ? 'holds' : 'breaks'
    // A rate without a bad request is decided, because more windows would only narrow its interval.
    const isDecided = isCertain || (good === offered && offered > 0)
    if (outcome === 'invalid' || isDecided || windows >= mostWindows)
      return {
        ratePerSecond,
        windows,
        offered,
        good,
        goodput,
        interval,
        outcome,
        isCertain,
        saturated,
        invalid,
      }
  }
}

/** The Wilson score interval of a share. */
export function wilson(good: number, offered: number): readonly [least: number, most: number] {
  if (offered === 0) return [0, 1]
  const share = good / offered
  const square = Z * Z
  const middle = share + square / (2 * offered)
  const half = Z * Math.sqrt((share * (1 - share)) / offered + square / (4 * offered * offered))
  const whole = 1 + square / offered
  return [Math.max(0, (middle - half) / whole), Math.min(1, (middle + half) / whole)]
}
