// Measures the cost of the server as a ratio to a bare `node:http` server in the same run. The server runs as in
// production: it looks up the key, validates the body, counts the limit and logs the request.
import { type BareAnswer, type OurServer, startBare, startServer } from './bench-servers.ts'
import { latencyRow, memoryRow } from './bench-limits.ts'
import { compare, type Contender, type Rounds } from './compare-rounds.ts'
import { type Figure, round, rowsOf } from './bench-rows.ts'
import { memoryMib } from './bench-processes.ts'
import { rawRequest, stalled, type Workload, workloads } from './http-workloads.ts'
import { median } from '../theory/statistics.ts'

/** Requests in flight, one per connection. */
const CONNECTIONS = 32
/** The number of starts of the server; their median is reported. */
const STARTS = 5
const REFERENCE = 'bare node:http'

/** The rows of one workload: the server, and with `metrics` the server with METRICS_PORT too. */
export async function benchWorkload(
  name: keyof typeof workloads,
  { metrics, ...counts }: Omit<Rounds, 'connections'> & { readonly metrics: boolean },
): Promise<Figure[]> {
  const workload = workloads[name]
  if (process.stderr.isTTY) process.stderr.write(`measuring ${name} …\n`)
  const env = { LLAMA_TINY: 'off' }
  const server = await startServer({ env })
  const answer = await captureAnswer(`${server.url}${workload.path}`, workload, server.key)
  const contenderOf = (process: OurServer) => ({ ...process, request: rawRequest(workload, process.key) })
  const request = rawRequest(workload, server.key)
  const others: { name: string; contender: Contender }[] = [{ name, contender: contenderOf(server) }]
  if (metrics) {
    const measured = await startServer({ env: { ...env, METRICS_PORT: '0' } })
    others.push({ name: `with METRICS_PORT: ${name}`, contender: contenderOf(measured) })
  }
  if (answer.pieces.length > 1) {
    const slow = await startBare(answer, { BARE_BY_RECORD: '1' })
    others.push({ name: `bare, a write for each record: ${name}`, contender: { ...slow, request } })
  }
  const bare = { ...(await startBare(answer)), request }
  const contenders = [bare, ...others.map(({ contender }) => contender)]
  const [reference = [], ...compared] = await compare(contenders, { ...counts, connections: CONNECTIONS })
  const rows: Figure[] = []
  for (const [place, { name: of, contender }] of others.entries()) {
    const names = { name: of, unit: workload.unit, referenceName: REFERENCE }
    rows.push(...rowsOf(names, compared[place] ?? [], reference), ...peakRows(of, contender, bare))
  }
  return rows
}

/** The most memory of a server since its start, beside that of the bare server. Only Linux reports it. */
function peakRows(name: string, server: Contender, bare: Contender): Figure[] {
  const [ours, reference] = [server, bare].map(({ pid }) => memoryMib(pid, 'VmHWM'))
  if (ours === undefined || reference === undefined) return []
  const row = { name, metric: 'peak MiB', referenceName: REFERENCE, ratio: round(reference / ours, 2) }
  return [{ ...row, ours: round(ours), reference: round(reference) }]
}

/** Latency near the highest rate, the memory of open streams, and the time of a start. */
export async function benchLimits(counts: Omit<Rounds, 'connections'>): Promise<Figure[]> {
  const server = await startServer({ env: { FAULTS: 'on', LLAMA_TINY: 'off' } })
  const rows: Figure[] = []
  for (const [name, workload] of Object.entries(workloads)) {
    const contender = { ...server, request: rawRequest(workload, server.key) }
    const answer = await captureAnswer(`${server.url}${workload.path}`, workload, server.key)
    const reference = { name: REFERENCE, ...(await startBare(answer)) }
    rows.push(await latencyRow(name, contender, reference, { ...counts, connections: CONNECTIONS }))
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
