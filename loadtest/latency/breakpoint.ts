// `breakpoint` with objectives: the highest rate of streams that keeps them, with the interval in which it lies.
import { availableParallelism } from 'node:os'
import { createProgress } from '../../harness/cli/progress.ts'
import { DEFAULT_MOST_RATE, DEFAULT_STEP_SECONDS } from './flags.ts'
import { type Slo, isGood } from './figures.ts'
import type { LatencyPlan, LoadModel } from './plan.ts'
import type { LatencyRecord, StreamRecord } from './record.ts'
import type { LoadTest } from '../target.ts'
import { openStreamTarget, planOf } from './run.ts'
import { runGenerators } from '../generator/run-generators.ts'
import { type Window, searchRate } from './search.ts'
import type { VerdictWord } from '../judges/verdict.ts'
import { judgeLatency, percent } from './verdict.ts'

const DEFAULT_FIRST_RATE = 1

export type BreakpointVerdict = Awaited<ReturnType<typeof findBreakpoint>>

/**
 * Searches the rate and returns the content of `--json`: `pass` if the first rate holds, `fail` if it does not, `invalid` if
 * the generator could not offer a load. Rates are requests in each second. Throws as `measureLatency` does.
 */
export async function findBreakpoint(test: LoadTest) {
  const { options, signal } = test
  const { slo, sloShare, arrivals, seed, processes } = options
  const { rate: fromPerSecond = DEFAULT_FIRST_RATE, maxRate: toPerSecond = DEFAULT_MOST_RATE } = options
  const windowSeconds = options.seconds ?? DEFAULT_STEP_SECONDS
  const target = await openStreamTarget(test)
  const progress = createProgress(process.stderr, () => performance.now(), 'windows')
  let windows = 0
  const tryWindow = async (ratePerSecond: number): Promise<Window> => {
    progress.update(windows, windows + 1, `${ratePerSecond} requests a second`)
    const load: LoadModel = { model: 'open', arrivals, ratePerSecond }
    // Each window has prompts and arrivals of its own: a cache of the service would help the later ones.
    const own = { ...options, seconds: windowSeconds, seed: seed + windows }
    const plan: LatencyPlan = { ...planOf(own, target, load), stopsEarly: true }
    windows += 1
    const record = await runGenerators({ plan, keys: target.keys, processes, signal })
    return windowOf(plan, record, slo, sloShare)
  }
  try {
    const search = await searchRate({ fromPerSecond, toPerSecond, share: sloShare, tryWindow })
    const invalid = search.rates.flatMap((one) => one.invalid)
    const { holds, breaks } = search
    const valid = invalid.length === 0 || holds !== null
    const isHeld = holds !== null && holds >= fromPerSecond
    const verdict: VerdictWord = !valid ? 'invalid' : isHeld ? 'pass' : 'fail'
    return {
      schema: 'touchstone.breakpoint/1' as const,
      scenario: 'breakpoint' as const,
      target: target.baseUrl,
      model: target.model,
      verdict,
      valid,
      invalid,
      slo,
      sloShare,
      arrivals,
      /** The length of a window, and the seed of the first. */
      windowSeconds,
      seed,
      cores: availableParallelism(),
      notes: [sentence(holds, breaks, sloShare, invalid)],
      ...search,
    }
  } finally {
    progress.end()
    await target.close()
  }
}

function sentence(
  holds: number | null,
  breaks: number | null,
  share: number,
  invalid: readonly string[],
): string {
  const demand = `${percent(share)} of the requests meet the objectives`
  if (holds === null)
    return breaks === null
      ? 'No rate was judged.'
      : `At ${breaks} requests a second or fewer, less than ${demand}.`
  if (breaks !== null)
    return `The highest rate at which ${demand} is from ${holds} to ${breaks} requests a second.`
  const why = invalid.length === 0 ? '' : ', the highest that this generator could offer'
  return `${demand} at ${holds} requests a second${why}.`
}

/** The result of one window. A request that was cut by its end counts as bad if it was already late. */
function windowOf(plan: LatencyPlan, record: LatencyRecord, slo: Slo, sloShare: number): Window {
  const saturated = record.generators.some((generator) => generator.saturated)
  const streams = record.streams.filter((stream) => stream.failure !== 'stopped' || isLate(stream, slo))
  const { invalid } = judgeLatency({ plan, record, slo, sloShare, cores: 1 })
  const good = streams.filter((stream) => isGood(stream, slo)).length
  // A low rate has few requests in a window: more windows follow, so this does not end the search.
  const grave = saturated ? [] : invalid.filter((why) => !/requests ended/.test(why))
  return { offered: streams.length, good, saturated, invalid: grave }
}

function isLate({ outputMs, endMs }: StreamRecord, { ttft = Infinity, e2e = Infinity }: Slo): boolean {
  return endMs > e2e || (outputMs[0] ?? endMs) > ttft
}
