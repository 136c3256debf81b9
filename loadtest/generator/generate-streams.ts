// One generator of streams: sends its segment of the plan, each request at its planned time (or, in the closed model, when
// the one before has ended), and writes a line for each.
import { type Connection, connectionOf } from '../../harness/http/connection.ts'
import { createProbe } from '../../harness/http/probe.ts'
import { offerLoad } from './offer-load.ts'
import { type LatencyPlan, turnOf } from './stream-plan.ts'
import type { GeneratorLine } from './stream-record.ts'
import { type StreamRequest, measureStream, toMicroseconds } from './measure-stream.ts'
import { type AnswerReader, createAnswerReader } from './read-stream.ts'
import { createSaturation } from './saturation.ts'

/** The time before its planned time at which a request is prepared. */
const PREPARE_MS = 3

/** The interval of progress lines and of the search for over-saturation. */
const PROGRESS_MS = 250

export interface GeneratorOptions {
  readonly plan: LatencyPlan
  readonly keys: readonly string[]
  /** The number of this segment, from 1. */
  readonly segment: number
  readonly segments: number
  readonly write: (line: GeneratorLine) => void
  /** Reads each answer. Default: `createAnswerReader`. */
  readonly createReader?: (status: number) => AnswerReader
  /** The way to the service. Default: that of the environment, with its proxy. */
  readonly connection?: Connection
  /** Ends the run: no further request begins, and streams in flight are broken off. */
  readonly signal: AbortSignal
}

/** Sends its segment. Resolves when its last stream has ended. */
export async function generateStreams(options: GeneratorOptions): Promise<void> {
  const { plan, keys, segment, segments, write, createReader = createAnswerReader } = options
  const { connection = connectionOf(process.env) } = options
  const timeoutMs = plan.timeoutSeconds * 1000
  const { baseUrl, authHeader } = plan
  const probes = keys.map((key) => createProbe({ baseUrl, authHeader, key, timeoutMs, connection }))
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const saturation = createSaturation()
  const startsAt = performance.now()
  const loopBefore = performance.eventLoopUtilization()
  const ticker = setInterval(() => {
    write({ type: 'progress', segment, inFlight: saturation.inFlight() })
    if (plan.stopsEarly && saturation.isReached(performance.now())) stopping.abort()
  }, PROGRESS_MS)
  const load = { plan, segment, segments, prepareMs: PREPARE_MS, signal }
  const counts = await offerLoad(load, async (index, dueMs) => {
    const probe = probes[index % probes.length]
    if (probe === undefined) throw new Error('a generator needs a key')
    return await conversation({ plan, probe, index, dueMs, write, signal, saturation, createReader })
  }).finally(() => {
    clearInterval(ticker)
    for (const probe of probes) probe.close()
  })
  const { utilization } = performance.eventLoopUtilization(loopBefore)
  const saturated = stopping.signal.aborted
  write({
    type: 'generator',
    segment,
    segments,
    startedAt: toMicroseconds(performance.timeOrigin + startsAt),
    utilization: toMicroseconds(utilization),
    ...counts,
    saturated,
  })
}

interface Conversation extends Omit<StreamRequest, 'turn'> {
  readonly index: number
  readonly write: (line: GeneratorLine) => void
}

/** Sends its turns, each when the one before has ended. Resolves to whether all completed; a failed turn is the last. */
async function conversation({ plan, index, write, ...rest }: Conversation): Promise<boolean> {
  let before: readonly unknown[] = []
  let dueMs = rest.dueMs
  for (let turn = 1; turn <= plan.turns; turn++) {
    const asked = turnOf(plan, index, turn, before)
    const { record, text } = await measureStream({ ...rest, plan, turn: asked, dueMs })
    write({ type: 'stream', conversation: index, turn, ...record })
    if (record.failure !== undefined) return false
    before = [...asked.messages, { role: 'assistant', content: text }]
    dueMs = performance.now()
  }
  return true
}
