// Runs a measurement against the calibrated service, in a process of its own, and compares it with what that did.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import {
  type Latency,
  type StreamTimes,
  isCompleted,
  summarizeTimes,
  timesOf,
} from '../latency/latency-figures.ts'
import type { LatencyPlan } from '../generator/stream-plan.ts'
import type { StreamRecord } from '../generator/stream-record.ts'
import { plan } from '../generator/stream.fixture.ts'
import { MODEL_PREFIX } from './clock-service.ts'
import { type ServedStream, servedTimes, truthOf } from './served-truth.ts'

/** The most milliseconds between an event and its time in the report, where the machine disturbed it least. */
const MOST_MS = 2

/** The share of its time by which a plan may take longer. */
const MOST_LATE_SHARE = 0.02

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
  readonly streams: readonly StreamRecord[]
  /** The times of each stream that it takes for completed. */
  readonly times: readonly StreamTimes[]
  readonly latency: Omit<Latency, 'dispatchMs'>
}

const FIGURES = ['ttftMs', 'ttfvMs', 'itlMs', 'tpotMs', 'e2eMs'] as const
type Figure = (typeof FIGURES)[number]

/** These count from a time before the request arrived to a time after the event left. */
const TIMES: ReadonlySet<Figure> = new Set(['ttftMs', 'ttfvMs', 'e2eMs'])

interface Pair {
  readonly name: string
  readonly got: number
  readonly due: number
}

/** The figures in which a report differs from what was served: `ttftMs: 350.0, truth 100.0`. */
export function differences(
  reported: Reported,
  served: readonly ServedStream[],
  seconds: number,
): readonly string[] {
  const truth = truthOf('', served)
  const counts = (['offered', 'completed', 'failed'] as const).flatMap((name) =>
    reported[name] === truth[name] ? [] : [`${name}: ${reported[name]}, truth ${truth[name]}`],
  )
  const times = servedTimes(served)
  const figures = FIGURES.flatMap((figure) =>
    compareSamples(figure, samplesOf(reported.times, figure), samplesOf(times, figure)),
  )
  // Of each event, the stream that was delayed least: a generator that measures wrong is wrong in all of them.
  const events = Map.groupBy(pairsOf(reported.streams, served), ({ name }) => name)
  const far = Array.from(events.values(), nearest).filter((pair) => distance(pair) > MOST_MS)
  const own = summarizeTimes(reported.times)
  const summaries = FIGURES.filter((figure) => !isDeepStrictEqual(reported.latency[figure], own[figure])).map(
    (figure) => `${figure}: not the statistics of its samples`,
  )
  const isLate = truth.arrivalSeconds > seconds * (1 + MOST_LATE_SHARE)
  const late = isLate ? [`sending: ${truth.arrivalSeconds.toFixed(1)} s, planned ${seconds} s`] : []
  return [...counts, ...figures, ...far.map(toText), ...summaries, ...late]
}

/** All samples of a figure, the lowest first. */
function samplesOf(times: readonly StreamTimes[], figure: Figure): readonly number[] {
  return times.flatMap((one) => one[figure] ?? []).toSorted((one, other) => one - other)
}

/** A busy machine delays events and brings none forward, so no time is lower than the truth of its rank. */
function compareSamples(figure: Figure, got: readonly number[], due: readonly number[]): readonly string[] {
  if (got.length !== due.length) return [`${figure}: ${got.length} samples, truth ${due.length}`]
  const pairs = got.map((value, rank) => ({ name: figure, got: value, due: due[rank] ?? 0 }))
  const lower = pairs.find((pair) => TIMES.has(figure) && pair.got < pair.due - ROUNDING_MS)
  // Delays cancel in the time per token.
  const far = figure === 'tpotMs' && pairs.length > 0 && distance(nearest(pairs)) > MOST_MS
  return [...(lower === undefined ? [] : [lower]), ...(far ? [nearest(pairs)] : [])].map(toText)
}

/**
 * The times of each event of the completed streams, both from the planned time. The clocks of two processes differ by an
 * unknown constant; the request that arrived soonest stands for it.
 */
function pairsOf(streams: readonly StreamRecord[], served: readonly ServedStream[]): readonly Pair[] {
  const sent = streams.toSorted((one, other) => one.plannedAt - other.plannedAt)
  const arrived = served.toSorted((one, other) => one.arrivedMs - other.arrivedMs)
  const paired = arrived.flatMap((service, at) => {
    const stream = sent[at]
    return stream === undefined ? [] : [{ stream, service, ahead: service.arrivedMs - stream.plannedAt }]
  })
  const soonest = Math.min(...paired.map(({ ahead }) => ahead))
  return paired.flatMap(({ stream, service, ahead }) => {
    const [due] = servedTimes([service])
    if (due === undefined || !isCompleted(stream)) return []
    const got = timesOf(stream)
    return Object.entries(eventsOf(got)).flatMap(([name, gotMs]) => {
      const dueMs = eventsOf(due)[name]
      return dueMs === undefined ? [] : [{ name, got: gotMs, due: dueMs + ahead - soonest }]
    })
  })
}

/** The times of a stream by name; `output 2` is the end of the first gap. */
function eventsOf({ ttftMs, ttfvMs, itlMs, e2eMs }: StreamTimes): Readonly<Record<string, number>> {
  let at = ttftMs ?? 0
  const outputs = itlMs.map((gap, index) => [`output ${index + 2}`, (at += gap)] as const)
  const named = Object.entries({ ttftMs, ttfvMs, e2eMs }).flatMap(([name, ms]) =>
    ms === undefined ? [] : [[name, ms] as const],
  )
  return Object.fromEntries([...named, ...outputs])
}

const distance = ({ got, due }: Pair): number => Math.abs(got - due)
const toText = ({ name, got, due }: Pair): string => `${name}: ${got.toFixed(1)}, truth ${due.toFixed(1)}`

function nearest(pairs: readonly Pair[]): Pair {
  return pairs.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best))
}
