// Measures the server near its limits: latency at 70 % of its highest rate, and memory for each open stream.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { runLoad, runPaced } from './raw-http-load.ts'
import { type Contender } from './compare-rounds.ts'
import { memoryMib } from './bench-processes.ts'
import { type Figure, round } from './bench-rows.ts'
import { median, quantile } from '../theory/statistics.ts'

/** The share of the highest rate at which latency is measured. */
const SHARE = 0.7

const STREAMS = 1000

/**
 * The 99th percentile of latency at 70 % of the server's highest rate, evenly spaced, and the same of `reference` at
 * that rate: both include the overhead of the load and the machine.
 */
export async function latencyRow(
  name: string,
  { port, request }: Contender,
  reference: { readonly name: string; readonly port: number },
  { connections, seconds, rounds }: { connections: number; seconds: number; rounds: number },
): Promise<Figure> {
  const slowest: number[] = []
  const slowestOfReference: number[] = []
  for (let repeat = 0; repeat < rounds; repeat += 1) {
    const load = { connections, seconds, request }
    const perSecond = (SHARE * (await runLoad({ ...load, port }))) / seconds
    slowest.push(quantile(await runPaced({ ...load, port, perSecond }), 0.99))
    slowestOfReference.push(quantile(await runPaced({ ...load, port: reference.port, perSecond }), 0.99))
  }
  return {
    name,
    metric: `p99 at ${100 * SHARE} %, ms`,
    ours: round(median(slowest), 1),
    reference: round(median(slowestOfReference), 1),
    referenceName: reference.name,
  }
}

/** Memory of each of a thousand streams that wait for their engine, in KiB. Only Linux reports it. */
export async function memoryRow({ port, pid, request }: Contender): Promise<Figure> {
  await closeStreams(await openStreams(port, request, STREAMS))
  await sleep(1000)
  const before = memoryMib(pid, 'VmRSS') ?? NaN
  const sockets = await openStreams(port, request, STREAMS)
  const held = (((memoryMib(pid, 'VmRSS') ?? NaN) - before) * 1024) / STREAMS
  await closeStreams(sockets)
  return { name: `${STREAMS} open streams`, metric: 'KiB each', ours: round(held, 1) }
}

/** Opens streams; resolves when each has started. */
function openStreams(port: number, request: Buffer, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(request)
      const [head] = await once(socket, 'data')
      if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(`a stream did not start: ${String(head)}`)
      return socket
    }),
  )
}

async function closeStreams(sockets: readonly Socket[]): Promise<void> {
  const closed = sockets.map((socket) => once(socket.destroy(), 'close'))
  await Promise.all(closed)
}
