// `--objective judge`: attacks the judge itself. Each run of the judge meets a hostile service, gateway or recording of its own,
// made by the seed of the run; run N of a seed is run 0 of the seed plus N, which repeats it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { once } from 'node:events'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redactor } from '../../../../harness/redact.ts'
import { startKeyedServer } from '../../../../harness/reference-server.ts'
import { listedSubjects } from '../../../subjects/listed.ts'
import type { FuzzOptions } from '../fuzz-flags.ts'
import { chancesOf } from './chances.ts'
import { startHostileProxy } from './hostile-proxy.ts'
import { type GoodExchange, goodExchanges, writeRecording } from './hostile-recordings.ts'
import { type JudgeEnd, type JudgeRun, problemsOf, runJudge } from './judge-process.ts'

/** The bound that each judge announces, in minutes; a check that has begun by then may take its own time limit, in milliseconds. */
const MAX_MINUTES = 0.5
const CASE_TIMEOUT_MS = 60_000

/** The time of a run with its start and its end on a busy machine, in milliseconds. */
const BOUND_MS = MAX_MINUTES * 60_000 + CASE_TIMEOUT_MS + 60_000

/** The run of a gateway announces no bound: a judge that takes this long is assumed to hang. */
const GATEWAY_BOUND_MS = 600_000

/** The time limit of an answer for the judge, in seconds. */
const TIMEOUT_SECONDS = 2

/** `through`: the capture of the judge stands between a gateway and a hostile service. */
const KINDS = ['server', 'server', 'server', 'gateway', 'through', 'recording', 'recording'] as const
type Kind = (typeof KINDS)[number]

const MOST_EXAMPLES = 3

/** The rows of a selection; each run takes some of them. */
const ROWS = 6

interface GoodService {
  readonly origin: string
  readonly key: string
  readonly exchanges: readonly GoodExchange[]
}

export interface JudgeViolation {
  readonly what: string
  readonly count: number
  /** The command that repeats it, and the folder with what the judge wrote. */
  readonly examples: readonly { readonly repeat: string; readonly folder: string }[]
}

export type JudgeFuzzReport = Awaited<ReturnType<typeof fuzzJudge>>

interface JudgeFuzz {
  readonly options: Pick<FuzzOptions, 'seed' | 'seconds' | 'requests' | 'connections' | 'memoryPeakMib'>
  readonly redactor: Redactor
  readonly signal: AbortSignal
  readonly onProgress: (requests: number, seconds: number) => void
}

/** Runs judges until the time is over, one on each core. Throws the reason of the signal if it is aborted. */
export async function fuzzJudge({ options, redactor, signal, onProgress }: JudgeFuzz) {
  const { seed, seconds, requests: most = Infinity, memoryPeakMib = 1024 } = options
  const side = Math.min(options.connections, availableParallelism())
  const found = new Map<string, { count: number; examples: JudgeViolation['examples'][number][] }>()
  const ended = { server: 0, gateway: 0, through: 0, recording: 0 }
  const exits = new Map<string, number>()
  const ways = new Map<string, number>()
  let [runs, requests, hostile, peakMib, slowestMs] = [0, 0, 0, 0, 0]
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000
  await using reference = await startKeyedServer(signal, redactor.add, {
    settings: { RATE_LIMIT_REQUESTS: '100000000' },
  })
  const { secret: key } = await reference.keyMaker.create()
  const origin = reference.baseUrl
  const good: GoodService = { origin, key, exchanges: await goodExchanges(origin, key, 'svc-0.1-echo') }

  async function one(own: number): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-judge-'))
    const prepared = await prepare(own, good, folder)
    const run: JudgeRun = { ...prepared, folder, memoryMib: memoryPeakMib, signal }
    let end: JudgeEnd
    try {
      end = await runJudge(run)
    } finally {
      await prepared.close()
    }
    signal.throwIfAborted()
    ended[prepared.kind] += 1
    requests += prepared.counts.requests
    hostile += prepared.counts.hostile
    for (const [name, count] of prepared.ways) ways.set(name, (ways.get(name) ?? 0) + count)
    const exit = String(end.exitCode)
    exits.set(exit, (exits.get(exit) ?? 0) + 1)
    peakMib = Math.max(peakMib, end.peakMib ?? 0)
    slowestMs = Math.max(slowestMs, end.ms)
    const problems = new Set(problemsOf(end, run))
    for (const what of problems) {
      const known = found.get(what) ?? { count: 0, examples: [] }
      known.count += 1
      if (known.examples.length < MOST_EXAMPLES) known.examples.push({ repeat: repeatOf(own), folder })
      found.set(what, known)
    }
    if (problems.size === 0) rmSync(folder, { recursive: true, force: true })
    else writeFileSync(join(folder, 'stderr.txt'), `${prepared.args.join(' ')}\n${redactor.text(end.stderr)}`)
    onProgress(requests, elapsed())
  }

  await Promise.all(
    Array.from({ length: side }, async () => {
      while (runs < most && elapsed() < seconds) await one(seed + runs++)
    }),
  )
  return {
    seed,
    objective: 'judge' as const,
    seconds: Math.round(elapsed()),
    runs,
    kinds: ended,
    /** The requests of all judges, and those that were answered in a hostile way. */
    requests,
    hostile,
    ways: Object.fromEntries(ways),
    exits: Object.fromEntries(exits),
    /** The most memory of a judge, and the longest run. */
    peakMib: Math.round(peakMib),
    slowestMs: Math.round(slowestMs),
    violations: Array.from(found, ([what, { count, examples }]): JudgeViolation => ({
      what,
      count,
      examples,
    })),
  }
}

const repeatOf = (seed: number): string =>
  `npm run fuzz -- --objective judge --seed ${seed} --requests 1 --connections 1`

/** Prepares the target of a run, and the command line of the judge. */
async function prepare(seed: number, good: GoodService, folder: string) {
  const chances = chancesOf('run', seed)
  const kind: Kind = KINDS[chances.below(KINDS.length)] ?? 'server'
  const nothing = { counts: { requests: 0, hostile: 0 }, ways: new Map<string, number>(), async close() {} }
  const env = { CONFORMANCE_API_KEY: good.key }
  const common = ['--seed', String(seed)]
  if (kind === 'recording') {
    const file = writeRecording(folder, seed, good.exchanges)
    const profile = ['--profile', chances.pick(['wire', 'service'])]
    return { ...nothing, kind, env, args: ['recorded', file, ...profile, ...common], boundMs: BOUND_MS }
  }
  const bounded = [...common, '--timeout', String(TIMEOUT_SECONDS)]
  if (kind === 'gateway') {
    const port = await freePort()
    const upstreamKey = 'svc_sk_upstream_of_a_hostile_gateway'
    const origin = `http://127.0.0.1:${port}`
    const proxy = await startHostileProxy({ seed, origin, key: upstreamKey, isGateway: true })
    return {
      kind,
      ...proxy,
      ways: proxy.kinds,
      env: { ...env, CONFORMANCE_UPSTREAM_KEY: upstreamKey },
      args: ['gateway', '--base-url', proxy.baseUrl, '--listen', String(port), '--quick', ...bounded],
      boundMs: GATEWAY_BOUND_MS,
    }
  }
  const proxy = await startHostileProxy({ seed, origin: good.origin })
  const rows = listedSubjects[0].rows('wire').map(({ id }) => id)
  const some = Array.from({ length: ROWS }, () => rows[chances.below(rows.length)]).join()
  if (kind === 'through') {
    const port = await freePort()
    const gateway = await startHostileProxy({ seed, origin: `http://127.0.0.1:${port}`, isGood: true })
    const sides = ['--base-url', gateway.baseUrl, '--upstream', proxy.baseUrl, '--listen', String(port)]
    return {
      kind,
      ...proxy,
      ways: proxy.kinds,
      env,
      args: ['gateway', ...sides, '--model', 'svc-0.1-echo', '--quick', '--only', some, ...bounded],
      boundMs: GATEWAY_BOUND_MS,
      async close() {
        await Promise.all([gateway.close(), proxy.close()])
      },
    }
  }
  const isQuick = chances.happens(0.3)
  const which = isQuick ? ['--quick'] : ['--only', some, '--runs', '2']
  const target = ['--base-url', proxy.baseUrl, '--model', 'svc-0.1-echo', '--profile', 'wire']
  const bounds = [
    '--max-minutes',
    String(MAX_MINUTES),
    '--warm-up',
    String(2 * TIMEOUT_SECONDS),
    '--patience',
    '5',
  ]
  return {
    kind,
    ...proxy,
    ways: proxy.kinds,
    env,
    args: [...target, ...which, ...bounds, ...bounded],
    boundMs: BOUND_MS,
  }
}

/** A port of which the judge makes the one of its upstream. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
