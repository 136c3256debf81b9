// Runs a measurement against the calibrated service, in a process of its own, and compares it with what that did.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Latency, Summary } from '../latency/latency-figures.ts'
import type { LatencyPlan } from '../generator/stream-plan.ts'
import { plan } from '../generator/stream.fixture.ts'
import { MODEL_PREFIX } from './clock-service.ts'
import type { Truth } from './served-truth.ts'

/** A figure may differ by this many milliseconds or this share of the truth, whichever is more. */
const MOST_MS = 2
const MOST_SHARE = 0.02

/** The key of every request. */
export const KEYS = ['clock']

export type ClockProcess = Awaited<ReturnType<typeof startClockProcess>>

export async function startClockProcess() {
  const cli = join(import.meta.dirname, '..', 'cli.ts')
  const child = spawn(process.execPath, [cli, 'clock', '--listen', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const baseUrl = String(line)
  return {
    baseUrl,
    /** Begins a new truth. */
    async forget() {
      await fetch(`${baseUrl}/truth`, { method: 'DELETE' })
    },
    /** The truth about one script. */
    async truthOf(script: string) {
      const truths = (await (await fetch(`${baseUrl}/truth`)).json()) as readonly Truth[]
      const found = truths.find((truth) => truth.script === script)
      if (found === undefined) throw new Error(`no stream of ${script} was served`)
      return found
    },
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

/** A plan for one script: constant arrivals at this rate. */
export function planOf(baseUrl: string, script: string, ratePerSecond: number, seconds: number): LatencyPlan {
  const load = { model: 'open', arrivals: 'constant', ratePerSecond } as const
  return plan({ baseUrl, model: MODEL_PREFIX + script, load, seconds, timeoutSeconds: 2 })
}

/** The report of a generator. */
export interface Reported {
  readonly offered: number
  readonly completed: number
  readonly failed: number
  readonly latency: Omit<Latency, 'dispatchMs'>
  /** The time in which its plan sends. */
  readonly seconds: number
}

/**
 * These figures count from a time before the request arrived to a time after the event left, so no percentile of them can be
 * lower than the truth. The tail can be higher: it shows each late wake-up of the machine.
 */
const NEVER_LOWER = ['ttftMs', 'ttfvMs', 'e2eMs'] as const
const TAIL = ['p95', 'p99', 'max'] as const

/** The figures in which a report differs from the truth: `ttftMs.p50: 350, truth 100`. */
export function differences(
  reported: Reported,
  truth: Truth,
  statistics: readonly (keyof Summary)[],
): string[] {
  const counts = (['offered', 'completed', 'failed'] as const).flatMap((name) =>
    reported[name] === truth[name] ? [] : [`${name}: ${reported[name]}, truth ${truth[name]}`],
  )
  const figures = (['ttftMs', 'ttfvMs', 'itlMs', 'tpotMs', 'e2eMs'] as const).flatMap((figure) =>
    statistics.flatMap((statistic) => {
      const [got, due] = [reported.latency[figure]?.[statistic], truth.latency[figure]?.[statistic]]
      if (got === undefined && due === undefined) return []
      const isNear =
        Math.abs((got ?? Infinity) - (due ?? Infinity)) <= Math.max(MOST_MS, MOST_SHARE * (due ?? 0))
      return isNear ? [] : [`${figure}.${statistic}: ${got?.toFixed(1)}, truth ${due?.toFixed(1)}`]
    }),
  )
  const tails = NEVER_LOWER.flatMap((figure) =>
    TAIL.flatMap((statistic) => {
      const [got = 0, due = 0] = [reported.latency[figure]?.[statistic], truth.latency[figure]?.[statistic]]
      return got >= due - MOST_MS
        ? []
        : [`${figure}.${statistic}: ${got.toFixed(1)}, truth at least ${due.toFixed(1)}`]
    }),
  )
  const isLate = truth.arrivalSeconds > reported.seconds * (1 + MOST_SHARE)
  return [
    ...counts,
    ...figures,
    ...tails,
    ...(isLate ? [`sent within ${truth.arrivalSeconds.toFixed(1)} s`] : []),
  ]
}
