// `--objective judge`: attacks the judge itself. Each run of the judge meets a hostile service, gateway or recording of its own,
// made by the seed of the run.
import { freePort } from '../../../../harness/http/free-port.ts'
import { startKeyedServer } from '../../../../harness/reference-server.ts'
import { listedSubjects } from '../../../subjects/listed.ts'
import { chancesOf } from './chances.ts'
import { type JudgeFuzz, NOTHING_SENT, fuzzRuns } from './fuzz-runs.ts'
import { startHostileProxy } from './hostile-proxy.ts'
import { type GoodExchange, goodExchanges, writeRecording } from './hostile-recordings.ts'

/** The bound that each judge announces, in minutes; a check that has begun by then may take its own time limit, in milliseconds. */
const MAX_MINUTES = 0.5
const CASE_TIMEOUT_MS = 60_000

/** The time of a run with its start and its end on a busy machine, in milliseconds. */
const BOUND_MS = MAX_MINUTES * 60_000 + CASE_TIMEOUT_MS + 60_000

/** The run of a gateway announces no bound: a judge that takes this long is assumed to hang. */
const GATEWAY_BOUND_MS = 600_000

/** The most memory of a judge. */
const MEMORY_MIB = 1024

/** The time limit of an answer for the judge, in seconds. */
const TIMEOUT_SECONDS = 2

/** `through`: the capture of the judge stands between a gateway and a hostile service. */
const KINDS = ['server', 'server', 'server', 'gateway', 'through', 'recording', 'recording'] as const
type TargetKind = (typeof KINDS)[number]

/** The rows of a selection; each run takes some of them. */
const ROWS = 6

interface GoodService {
  readonly origin: string
  readonly key: string
  readonly exchanges: readonly GoodExchange[]
}

/** Runs judges against hostile targets. */
export async function fuzzJudge(fuzz: JudgeFuzz) {
  await using reference = await startKeyedServer(fuzz.signal, fuzz.redactor.add, {
    settings: { RATE_LIMIT_REQUESTS: '100000000' },
  })
  const { secret: key } = await reference.keyMaker.create()
  const origin = reference.baseUrl
  const good: GoodService = { origin, key, exchanges: await goodExchanges(origin, key, 'svc-0.1-echo') }
  return fuzzRuns('judge', fuzz, async (seed, folder) => ({
    memoryMib: MEMORY_MIB,
    ...(await prepare(seed, good, folder)),
  }))
}

/** Prepares the target of a run, and the command line of the judge. */
async function prepare(seed: number, good: GoodService, folder: string) {
  const chances = chancesOf('run', seed)
  const kind: TargetKind = KINDS[chances.below(KINDS.length)] ?? 'server'
  const env = { CONFORMANCE_API_KEY: good.key }
  const common = ['--seed', String(seed)]
  if (kind === 'recording') {
    const file = writeRecording(folder, seed, good.exchanges)
    const profile = ['--profile', chances.pick(['wire', 'service'])]
    return { ...NOTHING_SENT, kind, env, args: ['recorded', file, ...profile, ...common], boundMs: BOUND_MS }
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
