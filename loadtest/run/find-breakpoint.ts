// `breakpoint` with objectives: the highest rate of streams that keeps them, with the interval in which it lies.
import { availableParallelism } from 'node:os'
import { createProgress } from '../../harness/cli/progress.ts'
import { runGenerators } from '../generator/run-generators.ts'
import type { LatencyPlan, LoadModel } from '../generator/stream-plan.ts'
import { type BreakpointVerdict, judgeSearch, windowOf } from '../latency/breakpoint-verdict.ts'
import { type Window, searchRate } from '../latency/search-rate.ts'
import { openStreamTarget, planOf } from './measure-latency.ts'
import type { LoadTest } from './open-target.ts'
import { DEFAULT_MOST_RATE, DEFAULT_STEP_SECONDS } from './stream-flags.ts'

const DEFAULT_FIRST_RATE = 1

/** Searches the rate. Throws as `measureLatency` does. */
export async function findBreakpoint(test: LoadTest): Promise<BreakpointVerdict> {
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
    // Each window has its own prompts, because a cache of the service would help later windows with the same ones.
    const own = { ...options, seconds: windowSeconds, seed: seed + windows }
    const plan: LatencyPlan = { ...planOf(own, target, load), stopsEarly: true }
    windows += 1
    const record = await runGenerators({ plan, keys: target.keys, processes, signal })
    return windowOf(plan, record, slo, sloShare)
  }
  try {
    const search = await searchRate({ fromPerSecond, toPerSecond, share: sloShare, tryWindow })
    const { baseUrl, model } = target
    const cores = availableParallelism()
    const searched = { target: baseUrl, model, slo, sloShare, arrivals, windowSeconds, seed, cores }
    return judgeSearch({ ...searched, fromPerSecond }, search)
  } finally {
    progress.end()
    await target.close()
  }
}
