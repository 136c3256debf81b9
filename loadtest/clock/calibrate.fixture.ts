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
  summarize,
  summarizeTimes,
} from '../latency/latency-figures.ts'
import type { LatencyPlan } from '../generator/stream-plan.ts'
import type { StreamRecord } from '../generator/stream-record.ts'
import { plan } from '../generator/stream.fixture.ts'
import { MODEL_PREFIX } from './clock-service.ts'
import { type ServedStream, servedTimes, truthOf } from './served-truth.ts'

/** The most milliseconds between an event and its time in the report, where the machine disturbed it least. */
const MOST_MS = 2

/**
 * The spread of the delays of all events may be higher than that by this many times the spread of the delays of the service in
 * the same run: a request and its answer each wait for a process to wake up.
 */
const MOST_SPREADS = 2

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

/**
 * The figures in which a report differs from what was served, for example `ttftMs: 350.0, truth 100.0`. `wrong` are those
 * that no load explains: a busy machine delays events and brings none forward. `late` are those that it may explain, if they
 * differ from run to run.
 */
export function differences(reported: Reported, served: readonly ServedStream[], seconds: number) {
  const truth = truthOf('', served)
  const counts = (['offered', 'completed', 'failed'] as const).flatMap((name) =>
    reported[name] === truth[name] ? [] : [`${name}: ${reported[name]}, truth ${truth[name]}`],
  )
  const times = servedTimes(served)
  const samples = FIGURES.map(
    (name) => [name, samplesOf(reported.times, name), samplesOf(times, name)] as const,
  )
  const lacking = samples.flatMap(([name, got, due]) =>
    got.length === due.length ? [] : [`${name}: ${got.length} samples, truth ${due.length}`],
  )
  const ranked = samples.flatMap(([name, got, due]) =>
    got.length === due.length ? got.map((value, rank) => ({ name, got: value, due: due[rank] ?? 0 })) : [],
  )
  const early = ranked.filter(({ name, got, due }) => TIMES.has(name) && got < due - ROUNDING_MS)
  const own = summarizeTimes(reported.times)
  const summaries = FIGURES.filter((name) => !isDeepStrictEqual(reported.latency[name], own[name])).map(
    (name) => `${name}: not the statistics of its samples`,
  )
  const events = pairsOf(reported.streams, served)
  const compared = [...events, ...ranked.filter(({ name }) => name === 'tpotMs')]
  const nearest = Array.from(Map.groupBy(compared, ({ name }) => name).values(), (pairs) =>
    pairs.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best)),
  )
  const delayMs = spread(events.map(({ got, due }) => got - due))
  const mostMs =
    MOST_MS + MOST_SPREADS * spread(served.flatMap(({ steps }) => steps.map(({ lateMs }) => lateMs)))
  const isLate = truth.arrivalSeconds > seconds * (1 + MOST_LATE_SHARE)
  return {
    wrong: [...counts, ...lacking, ...early.slice(0, 1).map(toText), ...summaries],
    late: [
      ...nearest.filter((pair) => distance(pair) > MOST_MS).map(toText),
      ...(delayMs > mostMs ? [`delay: ${delayMs.toFixed(1)}, at most ${mostMs.toFixed(1)}`] : []),
      ...(isLate ? [`sending: ${truth.arrivalSeconds.toFixed(1)} s, planned ${seconds} s`] : []),
    ],
  }
}

/** All samples of a figure, the lowest first. */
function samplesOf(times: readonly StreamTimes[], figure: Figure): readonly number[] {
  return times.flatMap((one) => one[figure] ?? []).toSorted((one, other) => one - other)
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
    const [truth] = servedTimes([service])
    if (truth === undefined || !isCompleted(stream)) return []
    const due = eventsOf(truth)
    return eventsOf(stream).flatMap((got, at) => {
      const dueMs = due[at]
      if (got === undefined || dueMs === undefined) return []
      return [{ name: at === 0 ? 'ttfvMs' : `output ${at}`, got, due: dueMs + ahead - soonest }]
    })
  })
}

function eventsOf({ ttfvMs, outputMs }: Pick<StreamRecord, 'ttfvMs' | 'outputMs'>) {
  return [ttfvMs, ...outputMs]
}

const distance = ({ got, due }: Pair): number => Math.abs(got - due)
const toText = ({ name, got, due }: Pair): string => `${name}: ${got.toFixed(1)}, truth ${due.toFixed(1)}`

/** The distance of the median of these values from the least; 0 without any. */
function spread(values: readonly number[]): number {
  const p50 = summarize(values)?.p50
  return p50 === undefined ? 0 : p50 - Math.min(...values)
}
