// Parts of a cluster are killed under traffic. Limits are exceeded only as far as the documentation says, revoked keys are
// refused, every complete answer is well-formed, and every part recovers by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, startCluster } from './start-cluster.ts'
import { fireReport, type Outage } from './fire-report.fixture.ts'
import { isReady } from './start-instance.ts'
import { ask, type Client, type Exchange, startClient } from './traffic.fixture.ts'

/** How long a killed part stays down, in milliseconds. */
const DOWN_MS = 1500

/** The maximum time to recover after a kill: ten times the time on an idle machine. */
const RECOVERY_MS = 40_000

/** How long after the kill of an instance a client may notice that its connection was cut, in milliseconds. */
const CUT_MS = 5000

/** The limit of one key. Its window is longer than the test. */
const LIMIT = 25
const INSTANCES = 2

describe('a cluster under fire', { tags: ['slow', 'postgresql', 'redis-server', 'nginx'] }, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ instances: INSTANCES, restartMs: DOWN_MS, env: { FAULTS: 'on' } })
  })
  afterAll(() => cluster?.stop())

  async function makeKey(limit: string): Promise<{ id: string; secret: string }> {
    return JSON.parse(await cluster.keys('create', '--limit', limit))
  }

  /** Starts a stream with a long pause on each instance; resolves when all have started. */
  async function startStreams(secret: string): Promise<{ readonly ended: Promise<readonly Exchange[]> }> {
    const streams = cluster.instances.map(({ url }) => {
      const { promise: begun, resolve: onBegin } = Promise.withResolvers<void>()
      const ended = ask({ url, secret: () => secret, stream: true, stallMs: 3000, onBegin })
      return { begun: Promise.race([begun, ended]), ended }
    })
    await Promise.all(streams.map(({ begun }) => begun))
    return { ended: Promise.all(streams.map(({ ended }) => ended)) }
  }

  /** Kills a part, and waits until the cluster has recovered. */
  async function outage(
    what: string,
    kill: () => Promise<void>,
    during: () => Promise<unknown>,
  ): Promise<Outage> {
    const from = performance.now()
    await kill()
    await during()
    await expect.poll(isWhole, { timeout: RECOVERY_MS, interval: 50 }).toBe(true)
    return { what, from, to: performance.now() }
  }

  /** Whether every instance is ready and shares its limits. */
  async function isWhole(): Promise<boolean> {
    const answers = await Promise.all(
      cluster.instances.map(async ({ url }) => {
        const answer = await fetch(`${url}/readyz`).catch(() => undefined)
        return answer?.status === 200 && (await answer.text()).includes('"shared"')
      }),
    )
    return answers.every(Boolean) && (await isReady(cluster.url))
  }

  test('limits, revocation, envelopes and recovery hold', { timeout: 300_000 }, async () => {
    const free = await makeKey('1000000/600')
    const limited = await makeKey(`${LIMIT}/600`)
    const revoked = await makeKey('1000000/600')
    let rotated = await makeKey('1000000/600')
    const start = (secret: () => string, stream: boolean): Client =>
      startClient({ url: cluster.url, secret, stream })
    const clients = {
      plain: [start(() => free.secret, false)],
      streamed: [1, 2, 3, 4].map(() => start(() => free.secret, true)),
      limited: [start(() => limited.secret, false), start(() => limited.secret, true)],
      revoked: [start(() => revoked.secret, false), start(() => revoked.secret, true)],
      rotated: [start(() => rotated.secret, false), start(() => rotated.secret, true)],
    }
    const all = (): Exchange[] => Object.values(clients).flatMap(exchangesOf)
    const admitted = (): number => exchangesOf(clients.limited).filter(({ status }) => status === 200).length
    /** Waits for the answers of the current requests of the limited clients. */
    const limitedTurn = () => Promise.all(clients.limited.map((client) => client.turn()))
    const refused = (): number => exchangesOf(clients.limited).filter(({ status }) => status === 429).length

    // A key is replaced while it is in use. It is revoked while streams of it are in flight on each instance.
    const old = rotated
    rotated = await makeKey('1000000/600')
    await Promise.all(clients.rotated.map((client) => client.turn()))
    const duringRevocation = await startStreams(old.secret)
    await cluster.keys('revoke', old.id)
    const refusedAtOnce = await Promise.all(
      cluster.instances.map(({ url }) => ask({ url, secret: () => old.secret, stream: false })),
    )
    await duringRevocation.ended
    await expect.poll(refused, { timeout: RECOVERY_MS }).toBeGreaterThan(0)
    await limitedTurn()
    const admittedBy: Record<string, number> = { 'before any kill': admitted() }

    const outages: Outage[] = []
    let revokedAt = Infinity
    const [instance] = cluster.instances
    outages.push(
      await outage(
        'instance',
        async () => instance?.kill(),
        async () => {
          await cluster.keys('revoke', revoked.id)
          revokedAt = performance.now()
        },
      ),
    )
    admittedBy['instance killed'] = admitted()
    const duringOutages = [await startStreams(free.secret)]
    // While Redis is down, and again after it has recovered: a burst above the limit of all instances together.
    const burst: Exchange[] = []
    const sendBurst = async (): Promise<void> => {
      const asking = Array.from({ length: (INSTANCES + 2) * LIMIT }, () =>
        ask({ url: cluster.url, secret: () => limited.secret, stream: false }),
      )
      burst.push(...(await Promise.all(asking)))
    }
    outages.push(await outage('Redis', cluster.redis.kill, () => Promise.all([sendBurst(), sleep(DOWN_MS)])))
    await sendBurst()
    await limitedTurn()
    const admittedInBurst = burst.filter(({ status }) => status === 200).length
    admittedBy['Redis killed and back'] = admitted() + admittedInBurst
    duringOutages.push(await startStreams(free.secret))
    outages.push(await outage('PostgreSQL', cluster.postgres.kill, () => sleep(DOWN_MS)))
    await sleep(1000)
    admittedBy['PostgreSQL killed and back'] = admitted() + admittedInBurst
    const afterwards = await Promise.all(
      [free, revoked, rotated, limited].map(({ secret }) =>
        ask({ url: cluster.url, secret: () => secret, stream: true }),
      ),
    )
    await Promise.all(Object.values(clients).flatMap((group) => group.map((client) => client.stop())))
    const groups = Object.entries(clients).map(([name, group]) => [name, exchangesOf(group)] as const)
    const counted = { ...Object.fromEntries(groups), burst }
    process.stdout.write(
      fireReport({ exchanges: counted, admittedBy, limit: LIMIT, outages, downMs: DOWN_MS }),
    )

    const exchanges = [...all(), ...burst]
    expect(exchanges.filter(({ outcome }) => outcome === 'broken')).toEqual([])

    // A rotation loses no request before the first kill, and streams in flight are finished.
    const [ofInstance, , ofDatabase] = outages
    const kept = exchangesOf([...clients.rotated, ...clients.plain, ...clients.streamed])
    const early = kept.filter(({ endedAt }) => endedAt < (ofInstance?.from ?? 0))
    expect(early.length).toBeGreaterThan(20)
    expect(early.filter(({ status }) => status !== 200)).toEqual([])
    for (const streams of [duringRevocation, ...duringOutages])
      expect((await streams.ended).map(({ status, detail }) => ({ status, detail }))).toEqual(
        cluster.instances.map(() => ({ status: 200, detail: '' })),
      )
    expect(refusedAtOnce.map(({ status }) => status)).toEqual(Array(INSTANCES).fill(401))
    expect(kept.map(({ status }) => status)).not.toContain(401)
    expect(kept.map(({ status }) => status)).not.toContain(429)

    // Counts within the one window: one in Redis, which was lost, one in each instance while Redis was down, one after.
    expect(admittedBy['before any kill']).toBe(LIMIT)
    expect(admittedBy['instance killed']).toBe(LIMIT)
    expect(admittedBy['Redis killed and back']).toBeLessThanOrEqual((INSTANCES + 2) * LIMIT)
    expect(admittedBy['PostgreSQL killed and back']).toBe(admittedBy['Redis killed and back'])

    const late = exchangesOf(clients.revoked).filter(({ startedAt }) => startedAt > revokedAt)
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([401, 503]))

    const cut = exchanges.filter(({ outcome }) => outcome === 'cut')
    expect(cut.filter((exchange) => !overlaps(exchange, ofInstance, CUT_MS))).toEqual([])
    const unavailable = exchanges.filter(({ status }) => status === 503)
    expect(
      unavailable.filter((exchange) => ![ofInstance, ofDatabase].some((one) => overlaps(exchange, one))),
    ).toEqual([])
    expect(exchanges.map(({ status }) => status)).not.toContain(500)
    expect(afterwards.map(({ status }) => status)).toEqual([200, 401, 200, 429])
  })
})

function exchangesOf(clients: readonly Client[]): Exchange[] {
  return clients.flatMap((client) => client.exchanges)
}

/** Whether a request was in flight during the outage, and ended in its first `ms`. */
function overlaps({ startedAt, endedAt }: Exchange, outage: Outage | undefined, ms = Infinity): boolean {
  return (
    outage !== undefined && endedAt >= outage.from && startedAt <= outage.to && endedAt - outage.from <= ms
  )
}
