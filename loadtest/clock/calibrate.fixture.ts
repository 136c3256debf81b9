// Runs a measurement against the calibrated service, in a process of its own, and compares it with what that did.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { type Latency, type StreamTimes, summarizeTimes } from '../latency/latency-figures.ts'
import type { LatencyPlan } from '../generator/stream-plan.ts'
import { plan } from '../generator/stream.fixture.ts'
import { MODEL_PREFIX } from './clock-service.ts'
import { type ServedStream, servedTimes, truthOf } from './served-truth.ts'

/**
 * A figure of the stream that was disturbed least may differ by this many milliseconds or this share of the truth, whichever is
 * more.
 */
const MOST_MS = 2
const MOST_SHARE = 0.02

/** Times are rounded to the microsecond on both sides. */
const ROUNDING_MS = 0.002

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
    /** The streams of one script that were served. */
    async served(script: string) {
      const streams = (await (await fetch(`${baseUrl}/truth/streams`)).json()) as readonly ServedStream[]
      return streams.filter((stream) => stream.script === script)
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
  /** The times of each stream that it takes for completed. */
  readonly times: readonly StreamTimes[]
  readonly latency: Omit<Latency, 'dispatchMs'>
}

type Figure = keyof StreamTimes
const FIGURES: readonly Figure[] = ['ttftMs', 'ttfvMs', 'itlMs', 'tpotMs', 'e2eMs']

/** These count from a time before the request arrived to a time after the event left. */
const TIMES: ReadonlySet<Figure> = new Set(['ttftMs', 'ttfvMs', 'e2eMs'])

/** All samples of a figure, the lowest first. */
function samplesOf(times: readonly StreamTimes[], figure: Figure): readonly number[] {
  return times.flatMap((one) => one[figure] ?? []).toSorted((one, other) => one - other)
}

/**
 * The figures in which a report differs from what was served: `ttftMs: 350.0, truth 100.0`. A busy machine delays events and
 * brings none forward: no sample may be lower than the truth of its rank, and the one that was delayed least must agree with
 * it. In a difference of two times the delays cancel: there the median must agree.
 */
export function differences(
  reported: Reported,
  served: readonly ServedStream[],
  seconds: number,
): readonly string[] {
  const truth = truthOf('', served)
  const counts = (['offered', 'completed', 'failed'] as const).flatMap((name) =>
    reported[name] === truth[name] ? [] : [`${name}: ${reported[name]}, truth ${truth[name]}`],
  )
  const figures = FIGURES.flatMap((figure) => {
    const [got, due] = [samplesOf(reported.times, figure), samplesOf(servedTimes(served), figure)]
    if (got.length !== due.length) return [`${figure}: ${got.length} samples, truth ${due.length}`]
    const pairs = got.map((value, rank) => ({ value, due: due[rank] ?? 0 }))
    const isTime = TIMES.has(figure)
    const nearest = pairs.toSorted((one, other) => distance(one) - distance(other))
    const agreeing = nearest[isTime ? 0 : nearest.length >> 1]
    const wrong = [
      ...pairs.filter((pair) => isTime && pair.value < pair.due - ROUNDING_MS),
      ...(agreeing !== undefined && distance(agreeing) > Math.max(MOST_MS, MOST_SHARE * agreeing.due)
        ? [agreeing]
        : []),
    ]
    return wrong
      .slice(0, 1)
      .map(({ value, due }) => `${figure}: ${value.toFixed(1)}, truth ${due.toFixed(1)}`)
  })
  const own = summarizeTimes(reported.times)
  const summaries = FIGURES.filter((figure) => !isDeepStrictEqual(reported.latency[figure], own[figure])).map(
    (figure) => `${figure}: not the statistics of its samples`,
  )
  const isLate = truth.arrivalSeconds > seconds * (1 + MOST_SHARE)
  const late = isLate ? [`sent within ${truth.arrivalSeconds.toFixed(1)} s`] : []
  return [...counts, ...figures, ...summaries, ...late]
}

const distance = ({ value, due }: { value: number; due: number }): number => Math.abs(value - due)
