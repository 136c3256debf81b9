// Measures what the server costs beside a bare `node:http` server, as ratios within one run. The server runs as its users
// run it: it looks up the key, validates the body, counts the limit and logs the request.
import type { BareAnswer } from './bare-answer.ts'
import { PEERS, type Process, startReference, startServer } from './bench-servers.ts'
import { latencyRow, memoryRow } from './bench-limits.ts'
import { compare, type Contender, type Rounds } from './compare-rounds.ts'
import { type Row, round, rowsOf } from './bench-rows.ts'
import { memoryMib } from './bench-processes.ts'
import { MODEL, rawRequest, stalled, type Workload, workloads } from './http-workloads.ts'
import { median } from '../theory/statistics.ts'

/** Requests in flight, one per connection. */
export const CONNECTIONS = 32
/** Starts of the server, of which the median is reported. */
const STARTS = 5
const REFERENCE = 'bare node:http'
const BARE = 'loadtest/bench/bare-server.ts'
const HONO = { name: 'naive Hono', file: 'loadtest/bench/hono-server.ts' }

/** Parts of the server, beside the same reference. */
const PARTS = [HONO, { name: 'checks alone', file: 'deploy/checks-server.ts' }]

export interface WorkloadOptions extends Omit<Rounds, 'connections'> {
  /** The names of the workloads. */
  readonly names: readonly string[]
  readonly extras: ReadonlySet<string>
  readonly metrics: boolean
  readonly parts: boolean
}

/** The rows of the named workloads, and of those servers beside ours that the options ask for. */
export async function benchWorkloads({
  names,
  extras,
  metrics,
  parts,
  ...counts
}: WorkloadOptions): Promise<Row[]> {
  const peers = extras.has('peers')
  const env = { LLAMA_TINY: 'off' }
  const server = await startServer({ env })
  const measured = metrics ? await startServer({ env: { ...env, METRICS_PORT: '0' } }) : undefined
  const rows: Row[] = []
  for (const workload of workloads.filter(({ name }) => names.includes(name))) {
    if (process.stderr.isTTY) process.stderr.write(`measuring ${workload.name} …\n`)
    const request = rawRequest(workload, server.key)
    const answer = await captureAnswer(`${server.url}${workload.path}`, workload, server.key)
    const others: { name: string; contender: Contender }[] = [
      { name: workload.name, contender: { ...server, request } },
    ]
    const add = (name: string, process: Process, own = request): unknown =>
      others.push({ name: `${name}: ${workload.name}`, contender: { ...process, request: own } })
    if (measured !== undefined) add('with METRICS_PORT', measured, rawRequest(workload, measured.key))
    if (answer.pieces.length > 1)
      add('bare, a write for each record', await startReference(BARE, answer, { BARE_BY_RECORD: '1' }))
    for (const { name, file } of parts ? PARTS : peers ? [HONO] : [])
      add(name, await startReference(file, answer, { DATA_DIR: server.dataDir }))
    const { content } = workload
    for (const peer of peers && content !== undefined ? PEERS : []) {
      const process = await peer.start(content ?? '', MODEL)
      if (process === undefined) globalThis.process.stderr.write(`${peer.name} is not installed\n`)
      else add(peer.name, process)
    }
    const bare = { ...(await startReference(BARE, answer)), request }
    const contenders = [bare, ...others.map(({ contender }) => contender)]
    const [reference = [], ...compared] = await compare(contenders, { ...counts, connections: CONNECTIONS })
    for (const [place, { name, contender }] of others.entries()) {
      const names = { name, unit: workload.unit, referenceName: REFERENCE }
      rows.push(...rowsOf(names, compared[place] ?? [], reference), ...peakRows(name, contender, bare))
    }
  }
  return rows
}

/** The most memory of a server since its start, beside that of the bare server. Only Linux reports it. */
function peakRows(name: string, server: Contender, bare: Contender): Row[] {
  const [ours, reference] = [server, bare].map(({ pid }) => memoryMib(pid, 'VmHWM'))
  if (ours === undefined || reference === undefined) return []
  const row = { name, metric: 'peak MiB', referenceName: REFERENCE, ratio: round(reference / ours, 2) }
  return [{ ...row, ours: round(ours), reference: round(reference) }]
}

/** Latency near the highest rate, the memory of open streams, and the time of a start. */
export async function benchLimits(counts: Omit<Rounds, 'connections'>): Promise<Row[]> {
  const server = await startServer({ env: { FAULTS: 'on', LLAMA_TINY: 'off' } })
  const rows: Row[] = []
  for (const workload of workloads) {
    const contender = { ...server, request: rawRequest(workload, server.key) }
    const answer = await captureAnswer(`${server.url}${workload.path}`, workload, server.key)
    const reference = { name: REFERENCE, ...(await startReference(BARE, answer)) }
    rows.push(await latencyRow(workload.name, contender, reference, { ...counts, connections: CONNECTIONS }))
  }
  rows.push(await memoryRow({ ...server, request: rawRequest(stalled, server.key) }))
  const starts: number[] = []
  while (starts.length < STARTS) {
    const { readyAfterMs, child } = await startServer({ env: { LLAMA_TINY: 'off' } })
    child.kill('SIGKILL')
    starts.push(readyAfterMs)
  }
  return [...rows, { name: 'start to /readyz', metric: 'ms', ours: round(median(starts)) }]
}

/** One answer of the server, for the bare server to repeat: a stream record by record. */
async function captureAnswer(url: string, { method, body }: Workload, key: string): Promise<BareAnswer> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`)
  const contentType = answer.headers.get('content-type') ?? ''
  return {
    contentType,
    pieces: contentType === 'text/event-stream' ? (text.match(/data: .*\n\n/g) ?? []) : [text],
  }
}
