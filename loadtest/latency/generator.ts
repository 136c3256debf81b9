// One generator of streams, a process of its own: sends its segment of the plan and writes what it measured to the
// standard output, one line of JSON for each request. Environment: LOADTEST_PLAN, LOADTEST_KEYS, and LOADTEST_SEGMENT
// (`1/2` for the first of two; default `1/1`). With the argument `controlled` it starts at the line `go` of its input, stops
// at `stop`, and ends with its input, so that it never outlives its parent.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { connectionOf } from '../../harness/http/connection.ts'
import { type Probe, createProbe } from '../../harness/http/probe.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { at, parseJson } from '../../harness/verify/json-value.ts'
import { DONE, encodeRecord } from '../../spec/protocol/sse.ts'
import { type LatencyPlan, type Turn, arrivalTimes, turnOf } from './plan.ts'
import { type AnswerReader, type ReadAnswer, createAnswerReader } from './read-stream.ts'
import type { GeneratorLine, StreamRecord } from './record.ts'
import { type Saturation, createSaturation } from './saturation.ts'

/** Timers fire up to a millisecond late, so the last part of a wait is spent in turns of the event loop. */
const TURNS_MS = 1.5

/** In the closed model, the pause of a caller whose request failed: a service that is down is not flooded. */
const PAUSE_AFTER_FAILURE_MS = 100

/** The load of a process on itself, before it measures. */
const WARM_UP = { load: { model: 'open', arrivals: 'constant', ratePerSecond: 200 }, seconds: 0.3 } as const
const WARM_UP_EVENTS = 20
const WARM_UP_MS = 5_000

/** The interval of progress lines and of the search for over-saturation. */
const PROGRESS_MS = 250

export interface GeneratorOptions {
  readonly plan: LatencyPlan
  readonly keys: readonly string[]
  /** From 1. */
  readonly segment: number
  readonly segments: number
  readonly write: (line: GeneratorLine) => void
  /** Reads each answer. Default: `createAnswerReader`. */
  readonly createReader?: (status: number) => AnswerReader
  /** Ends the run: no further request begins, and streams in flight are broken off. */
  readonly signal: AbortSignal
}

/** Sends its segment. Resolves when its last stream has ended. */
export async function generate(options: GeneratorOptions): Promise<void> {
  const { plan, keys, segment, segments, write, createReader = createAnswerReader } = options
  const [connection, timeoutMs] = [connectionOf(process.env), plan.timeoutSeconds * 1000]
  const probes = keys.map((key) => createProbe({ baseUrl: plan.baseUrl, key, timeoutMs, connection }))
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const saturation = createSaturation()
  const startsAt = performance.now()
  const loopBefore = performance.eventLoopUtilization()
  const ticker = setInterval(() => {
    write({ type: 'progress', segment, inFlight: saturation.inFlight() })
    if (plan.stopsEarly && saturation.isReached(performance.now())) stopping.abort()
  }, PROGRESS_MS)
  let begun = 0
  let planned = 0
  try {
    const converse = (index: number, dueMs: number): Promise<boolean> => {
      const probe = probes[index % probes.length]
      if (probe === undefined) throw new Error('a generator needs a key')
      begun += 1
      return conversation({ plan, probe, index, dueMs, write, signal, saturation, createReader })
    }
    if (plan.load.model === 'open') {
      const own = arrivalTimes(plan).flatMap((ms, index) =>
        index % segments === segment - 1 ? [{ index, dueMs: startsAt + ms }] : [],
      )
      planned = own.length
      const running: Promise<boolean>[] = []
      for (const { index, dueMs } of own) {
        await until(dueMs, signal)
        if (signal.aborted) break
        running.push(converse(index, dueMs))
      }
      await Promise.all(running)
    } else {
      const { concurrency } = plan.load
      const ends = startsAt + plan.seconds * 1000
      const callers = Array.from({ length: concurrency }, (_, place) => place)
      const own = callers.filter((place) => place % segments === segment - 1)
      await Promise.all(
        own.map(async (place) => {
          for (let index = place; performance.now() < ends && !signal.aborted; index += concurrency)
            if (!(await converse(index, performance.now())))
              await sleep(PAUSE_AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined)
        }),
      )
      planned = begun
    }
  } finally {
    clearInterval(ticker)
    for (const probe of probes) probe.close()
  }
  const { utilization } = performance.eventLoopUtilization(loopBefore)
  const saturated = stopping.signal.aborted
  write({ type: 'generator', segment, segments, utilization: round(utilization), begun, planned, saturated })
}

/** Waits until this time of `performance.now`, or until the signal is aborted. */
async function until(dueMs: number, signal: AbortSignal): Promise<void> {
  const wait = dueMs - performance.now() - TURNS_MS
  if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined)
  while (performance.now() < dueMs && !signal.aborted) await turn()
}

interface Conversation {
  readonly plan: LatencyPlan
  readonly probe: Probe
  readonly index: number
  readonly dueMs: number
  readonly write: (line: GeneratorLine) => void
  readonly signal: AbortSignal
  readonly saturation: Saturation
  readonly createReader: (status: number) => AnswerReader
}

/** Sends its turns, each when the one before has ended. Resolves to whether all completed; a failed turn is the last. */
async function conversation({ plan, index, write, ...rest }: Conversation): Promise<boolean> {
  let before: readonly unknown[] = []
  let dueMs = rest.dueMs
  for (let turn = 1; turn <= plan.turns; turn++) {
    const asked = turnOf(plan, index, turn, before)
    const { record, text } = await measure({ ...rest, plan, asked, dueMs })
    write({ type: 'stream', conversation: index, turn, ...record })
    if (record.failure !== undefined) return false
    before = [...asked.messages, { role: 'assistant', content: text }]
    dueMs = performance.now()
  }
  return true
}

type Measured = Omit<StreamRecord, 'type' | 'conversation' | 'turn'>

interface Request extends Omit<Conversation, 'index' | 'write'> {
  readonly asked: Turn
}

async function measure({ plan, probe, asked, dueMs, signal, saturation, createReader }: Request) {
  const plannedAt = round(performance.timeOrigin + dueMs)
  const body = JSON.stringify({
    model: plan.model,
    messages: asked.messages,
    max_tokens: asked.maxTokens,
    stream: true,
    ...(plan.usage ? { stream_options: { include_usage: true } } : {}),
  })
  const since = (): number => round(performance.now() - dueMs)
  const dispatchMs = since()
  const seen = saturation.begin(dueMs)
  let status = 0
  let reader = createReader(status)
  let record: Measured
  let read: ReadAnswer | undefined
  try {
    const listener = {
      head(answered: number): void {
        status = answered
        reader = createReader(answered)
      },
      chunk: (bytes: Uint8Array): void => {
        reader.chunk(bytes, since())
        seen.first()
      },
    }
    const { response } = await probe.send({ path: '/v1/chat/completions', body }, signal, listener)
    read = reader.end()
    const isLate = response.end === 'timeout'
    record = { plannedAt, dispatchMs, status, endMs: since(), ...asRecord(read, isLate) }
  } catch (error) {
    const outputMs = reader.end().outputMs
    const failed = failureOf(error, signal)
    record = { plannedAt, dispatchMs, status, endMs: since(), outputMs, ...failed }
  } finally {
    seen.end()
  }
  return { record, text: read?.text ?? '' }
}

function asRecord(
  { outputMs, ttfvMs, failure, detail, usage }: ReadAnswer,
  isLate: boolean,
): Pick<StreamRecord, 'outputMs'> & Partial<StreamRecord> {
  const count = (name: string, ...path: string[]) => {
    const value = at(usage, ...path)
    return typeof value === 'number' && Number.isFinite(value) ? { [name]: value } : {}
  }
  return {
    outputMs,
    ...(ttfvMs === undefined ? {} : { ttfvMs }),
    // A stream that takes too long is not a stream that the service cut.
    ...(isLate && failure === 'cut' ? { failure: 'timeout' } : failure === undefined ? {} : { failure }),
    ...(detail === undefined || isLate ? {} : { detail }),
    ...count('promptTokens', 'prompt_tokens'),
    ...count('completionTokens', 'completion_tokens'),
    ...count('cachedTokens', 'prompt_tokens_details', 'cached_tokens'),
  }
}

function failureOf(error: unknown, signal: AbortSignal): Pick<StreamRecord, 'failure' | 'detail'> {
  if (signal.aborted) return { failure: 'stopped' }
  if (!(error instanceof TransportError)) throw error
  return { failure: error.isLate ? 'timeout' : 'connection', detail: error.message }
}

/** To the microsecond. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000

/**
 * Measures streams of a server in this process, whose records are dropped: the first request of a cold process would look
 * some milliseconds slower than the service is.
 */
async function warmUp(plan: LatencyPlan): Promise<void> {
  const record = encodeRecord(JSON.stringify({ choices: [{ index: 0, delta: { content: 'word' } }] }))
  const server = http.createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let count = 0; count < WARM_UP_EVENTS; count++) outgoing.write(record)
      outgoing.end(encodeRecord(DONE))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    await generate({
      plan: { ...plan, baseUrl: `http://127.0.0.1:${port}`, ...WARM_UP, turns: 1, stopsEarly: false },
      keys: ['warm-up'],
      segment: 1,
      segments: 1,
      write: () => undefined,
      signal: AbortSignal.timeout(WARM_UP_MS),
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Reads its settings from the environment and runs. */
async function main(): Promise<void> {
  const { LOADTEST_PLAN = '', LOADTEST_KEYS = '', LOADTEST_SEGMENT = '1/1' } = process.env
  const plan = parseJson(LOADTEST_PLAN) as LatencyPlan | undefined
  if (at(plan, 'schema') !== 'touchstone.latency-plan/1' || plan === undefined)
    throw new Error('LOADTEST_PLAN: expected the plan that `npm run loadtest -- latency --plan` prints')
  const [, segment = '', segments = ''] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(LOADTEST_SEGMENT) ?? []
  if (segment === '' || Number(segment) > Number(segments))
    throw new Error(`LOADTEST_SEGMENT: expected N/M, as 1/2, got '${LOADTEST_SEGMENT}'`)
  const keys = LOADTEST_KEYS.split(',').filter((key) => key !== '')
  if (keys.length === 0) throw new Error('LOADTEST_KEYS: expected a key')
  const write = (line: GeneratorLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort())
  await warmUp(plan)
  if (process.argv[2] === 'controlled') await untilGo(write, stop)
  await generate({
    plan,
    keys,
    segment: Number(segment),
    segments: Number(segments),
    write,
    signal: stop.signal,
  })
}

/** Resolves at the line `go`. Later lines and the end of the input stop the run. */
async function untilGo(write: (line: GeneratorLine) => void, stop: AbortController): Promise<void> {
  const input = createInterface({ input: process.stdin })
  const go = new Promise<void>((resolve) => {
    input.once('line', () => {
      resolve()
      input.once('line', () => stop.abort())
    })
    input.once('close', () => {
      stop.abort()
      resolve()
    })
  })
  write({ type: 'ready' })
  await go
  process.stdin.unref?.()
}

if (import.meta.main) {
  try {
    await main()
    process.exit()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 2
  }
}
