// The process of one generator: sends its segment of the plan and writes what it measured to the standard output, one line
// of JSON for each request. Environment: LOADTEST_PLAN, LOADTEST_KEYS, and LOADTEST_SEGMENT (`1/2` for the first of two;
// default `1/1`). With the argument `controlled` it starts at the line `go` of its input, stops at `stop`, and ends with its
// input, so that it never outlives its parent.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { at, parseJson } from '../../harness/json-value.ts'
import { DONE, encodeRecord } from '../../spec/protocol/sse.ts'
import type { LatencyPlan } from './stream-plan.ts'
import type { GeneratorLine } from './stream-record.ts'
import { generateStreams } from './generate-streams.ts'

/** The load of a process on itself, before it measures. */
const WARM_UP = { load: { model: 'open', arrivals: 'constant', ratePerSecond: 400 }, seconds: 0.5 } as const
const WARM_UP_EVENTS = 20
const WARM_UP_MS = 5_000

/**
 * Measures streams of a server in this process, whose records are dropped: the first request of a cold process would be
 * measured some milliseconds too slow.
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
    await generateStreams({
      plan: { ...plan, baseUrl: `http://127.0.0.1:${port}`, ...WARM_UP, turns: 1, stopsEarly: false },
      keys: ['warm-up'],
      segment: 1,
      segments: 1,
      write: () => undefined,
      connection: {},
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
  else await sleep(Math.max(0, (plan.startsAt ?? 0) - Date.now()), undefined, { signal: stop.signal })
  await generateStreams({
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
