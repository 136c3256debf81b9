// The judge runs while parts of a cluster are killed again and again. It is green if the documentation promises that, and
// it never reports a broken requirement.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectGreen, judge, type Verdict } from './judge.fixture.ts'
import { type Cluster, startCluster } from './start-cluster.ts'
import type { Instance } from './start-instance.ts'

/** How long a killed part stays down, and then stays up, in milliseconds. */
const DOWN_MS = 500
const UP_MS = 1000

/** The sections that do not depend on the state of limits. */
const ALL_BUT_LIMITS =
  'auth.*,chat.*,errors.*,invalid-bodies.*,keys.*,models.*,sdk.*,stream.*,tools.*,versioning.*,wire.*'

interface Killable {
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

describe('the judge', { tags: ['slow', 'postgresql', 'redis-server', 'nginx'] }, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ instances: 2 })
  })
  afterAll(() => cluster?.stop())

  const redis = (): Killable => ({ kill: cluster.redis.kill, start: cluster.redis.restart })

  /** Judges by an address, whose dashboard makes the keys too. */
  function judgeAt(baseUrl: string, ...more: readonly string[]): Promise<Verdict> {
    const operator = { ...cluster.operator, DASHBOARD_URL: baseUrl }
    return judge({ baseUrl, operator, flags: ['--runs', '5', ...more] })
  }

  function instances(): readonly [Instance, Instance] {
    const [one, other] = cluster.instances
    if (one === undefined || other === undefined) throw new Error('there are not two instances')
    return [one, other]
  }

  /** Kills and restarts a part until the verdict is ready; the part runs at the end. */
  async function whileKilled(what: string, part: Killable, judging: Promise<Verdict>): Promise<Verdict> {
    const ended = new AbortController()
    const over = judging.catch(() => undefined).finally(() => ended.abort())
    let kills = 0
    while (!ended.signal.aborted) {
      await part.kill()
      kills += 1
      await sleep(DOWN_MS)
      await part.start()
      await sleep(UP_MS, undefined, { signal: ended.signal }).catch(() => undefined)
    }
    await over
    const verdict = await judging
    print(`${what} killed ${kills} times`, verdict)
    // A judgement that ends before the second kill would prove nothing.
    expect(kills).toBeGreaterThan(1)
    return verdict
  }

  function print(when: string, { judged, applicable, broken, seconds }: Verdict): void {
    process.stdout.write(
      `${when}: ${judged} of ${applicable} MUST judged, ${broken} broken, in ${seconds} s\n`,
    )
  }

  test('is green through the first instance while the second is killed, rotation and limits included', async () => {
    const [one, other] = instances()
    expectGreen(await whileKilled('the other instance', other, judgeAt(one.url)))
  })

  test('is green through the second instance while the first is killed, rotation and limits included', async () => {
    const [one, other] = instances()
    expectGreen(await whileKilled('the other instance', one, judgeAt(other.url)))
  })

  test('is green through the balancer while Redis is killed, except for limits, which restart', async () => {
    expectGreen(await whileKilled('Redis', redis(), judgeAt(cluster.url, '--only', ALL_BUT_LIMITS)))
  })

  test('is green on the limits of one instance while Redis is down', async () => {
    const [one] = instances()
    await cluster.redis.kill()
    const verdict = await judgeAt(one.url, '--only', 'limits.*')
    await cluster.redis.restart()
    print('Redis down', verdict)
    expectGreen(verdict)
  })

  test('waits out each 503 while PostgreSQL is killed, and finds no broken requirement', async () => {
    const verdict = await whileKilled(
      'PostgreSQL',
      cluster.postgres,
      // The database is down most of the time, so one check of each requirement takes as long as a full run otherwise.
      judgeAt(cluster.url, '--quick', '--allow-incomplete'),
    )
    // A check is not judged if its six attempts all met the database down.
    expectGreen(verdict)
    expect(verdict.broken).toBe(0)
    expect(verdict.judged).toBeGreaterThan(0.9 * verdict.applicable)
  })
})
