// node deploy/measure-cluster.ts: measures the cost of requests in each part of a cluster, for sizing: processor time and memory,
// which are nearly the same on a busy machine, not rates. Linux only.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { inTurns } from '../harness/waiting.ts'
import { type Cluster, startCluster } from './start-cluster.ts'

/** Warm-up requests before the measurement. */
const WARM = 2000
const REQUESTS = 4000
/** Concurrent requests. */
const CONNECTIONS = 32
/** Concurrent open streams, and their duration, in milliseconds: long enough for all of them to start. */
const HELD = 500
const HOLD_MS = 8000

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10
const KIB_PER_MIB = 1024

/** 80 tokens of the echo model: in a stream, 20 deltas. */
const TEXT = '0123456789'.repeat(8)

const loads: readonly { readonly what: string; readonly content: string; readonly stream: boolean }[] = [
  { what: 'a plain answer', content: TEXT, stream: false },
  { what: 'a stream of 20 deltas', content: TEXT, stream: true },
]

// One instance: its figures are those of one core.
const cluster = await startCluster({ instances: 1, env: { FAULTS: 'on', LOG_LEVEL: 'info' } })
try {
  await measure(cluster)
} finally {
  await cluster.stop()
}

async function measure({ instances: [instance], url, postgres, redis, keys }: Cluster): Promise<void> {
  const pid = instance?.pid() ?? 0
  const { secret } = JSON.parse(await keys('create', '--limit', '1000000/60'))
  const parts: Readonly<Record<string, () => readonly number[]>> = {
    instance: () => [pid],
    nginx: () => processesOf('nginx'),
    PostgreSQL: () => processesOf('postgres'),
    Redis: () => processesOf('redis-server'),
  }
  const spent = (): readonly number[] => Object.values(parts).map((pids) => processorMs(pids()))

  const memory = [memoryMiB(pid)]
  const costs: string[][] = []
  for (const { what, content, stream } of loads) {
    const load = { url, secret, content, stream, atOnce: CONNECTIONS }
    await offer({ ...load, count: WARM })
    const before = spent()
    await offer({ ...load, count: REQUESTS })
    const after = spent()
    costs.push([what, ...after.map((ms, part) => ((ms - (before[part] ?? 0)) / REQUESTS).toFixed(2))])
  }
  memory.push(memoryMiB(pid))
  const content = `#fault stall=${HOLD_MS} at=2\n${TEXT}`
  const held = offer({ url, secret, content, stream: true, atOnce: HELD, count: HELD })
  await sleep(HOLD_MS / 2)
  memory.push(memoryMiB(pid))
  const database = await postgres.command('psql', [
    '--no-align',
    '--tuples-only',
    '--dbname=postgres',
    "--command=SELECT count(*) FROM pg_stat_activity WHERE datname = 'service'",
  ])
  const client = new Redis(redis.url)
  // The connection of this client is not counted.
  const shared =
    String(await client.client('LIST'))
      .trim()
      .split('\n').length - 1
  client.disconnect()
  await held

  print([['processor time per request, in ms', ...Object.keys(parts)], ...costs])
  print([
    ['memory of an instance, in MiB', 'at its start', 'after the load', `with ${HELD} streams open`],
    ['', ...memory.map((value) => value.toFixed(0))],
  ])
  print([
    ['connections of an instance', 'PostgreSQL', 'Redis'],
    [`${CONNECTIONS} to ${HELD} requests at once`, database.trim(), String(shared)],
  ])
}

interface Load {
  readonly url: string
  readonly secret: string
  readonly content: string
  readonly stream: boolean
  readonly count: number
  readonly atOnce: number
}

/** Sends `count` requests, `atOnce` at a time. Throws at the first answer that is not a 200. */
async function offer({ url, secret, content, stream, count, atOnce }: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const body = JSON.stringify({ model: 'svc-0.1-echo', messages: [{ role: 'user', content }], stream })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  await inTurns(Array.from({ length: count }), atOnce, async () => {
    const outgoing = request(`${url}/v1/chat/completions`, { agent, method: 'POST', headers })
    outgoing.end(body)
    const [answer] = await once(outgoing, 'response')
    if (answer.statusCode !== 200) throw new Error(`the answer was ${answer.statusCode}`)
    await once(answer.resume(), 'end')
  })
  agent.destroy()
}

/** The descendant processes of this one with this name. */
function processesOf(name: string): readonly number[] {
  const rows = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const childrenOf = (parent: string): readonly string[][] =>
    rows.filter(([, ppid]) => ppid === parent).flatMap((row) => [row].concat(childrenOf(row[0] ?? '')))
  return childrenOf(String(process.pid))
    .filter(([, , command]) => command === name)
    .map(([pid]) => Number(pid))
}

/** The processor time of processes and of their children that have ended, in milliseconds. */
function processorMs(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Behind the name, which may hold spaces: utime, stime and both of ended children are the 12th to the 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  })
  return ticks.reduce((sum, one) => sum + one, 0) * MS_PER_TICK
}

function memoryMiB(pid: number): number {
  const [, kib = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / KIB_PER_MIB
}

/** Prints a table in Markdown. */
function print([head = [], ...rows]: readonly (readonly string[])[]): void {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
