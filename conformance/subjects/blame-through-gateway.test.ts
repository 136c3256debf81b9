// A service behind a gateway: each failure is attributed to the side that causes it.
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGateway } from '../../fixtures/faulty-gateways/gateway.ts'
import { gateways } from '../../fixtures/faulty-gateways/gateways.ts'
import { goodHabits } from '../../fixtures/faulty-gateways/habits.ts'
import { faults } from '../../fixtures/faulty/fault-table.ts'
import { freePort } from '../../fixtures/services/free-port.ts'
import { listening } from '../../harness/http-server.fixture.ts'
import { memoize } from '../../harness/memoize.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { startServerWithKey } from '../../harness/reference-server.fixture.ts'
import { fullCatalogue } from './server/catalogue.ts'
import { select } from './server/selection.ts'
import { server as judgeOfServers } from './server/subject.ts'
import { type FaultyServers, startFaultyServers } from '../lab/mutants/faulty-servers.ts'
import { killTable } from '../lab/mutants/kill-table.ts'
import { startCaptureProxy } from '../exchanges/capture/capture-proxy.ts'
import type { Report } from '../contract/report.ts'
import { judgeThrough } from './gateway/judge-through.ts'

/** Faults that a quick check of the format catches, whatever traffic there is besides it: some of each kind. */
const { cases } = select(fullCatalogue(), { profile: 'wire', quick: true })
const quick = new Set(cases.map(({ id }) => id))
const catching = (id: string): readonly string[] =>
  (killTable.servers[id] ?? []).filter((check) => quick.has(check))
/** Whether deltas come as they are produced is measured in time, and not through two proxies. */
const caught = faults.filter(
  ({ id, flags, requirement }) =>
    flags === undefined && requirement !== 'STREAM-11' && catching(id).length > 0,
)
const SAMPLE = 12
const sample = caught.filter((_, index) => index % Math.floor(caught.length / SAMPLE) === 0)

let server: Awaited<ReturnType<typeof startServerWithKey>>
let faulty: FaultyServers
beforeAll(async () => {
  server = await startServerWithKey()
  faulty = await startFaultyServers(
    sample.map(({ id }) => id),
    server.baseUrl,
    server.key,
    new AbortController().signal,
  )
})
afterAll(async () => {
  await faulty.stop()
  await server[Symbol.asyncDispose]()
})

async function through(baseUrl: string, listen: number, upstreamUrl: string, only?: string): Promise<Report> {
  return judgeThrough(
    {
      baseUrl,
      listen,
      upstreamUrl,
      model: 'svc-0.1-echo',
      credentials: { CONFORMANCE_API_KEY: server.key },
      quick: true,
      only,
      seed: 1,
    },
    judgeOfServers,
    createRedactor(),
  )
}

const attributions = ({ checks }: Report) =>
  checks
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
    .map(({ id, attribution }) => `${id}: ${attribution}`)

describe('behind a transparent proxy every fault is that of the upstream', { timeout: 120_000 }, () => {
  async function blamed({ id, alone, requirement }: (typeof sample)[number]): Promise<void> {
    const port = await freePort()
    const proxy = await startCaptureProxy(`http://127.0.0.1:${port}`, 0, () => undefined)
    try {
      // Such a fault shows in calls that are in flight together, which those of other checks are only by chance.
      const only = alone ? requirement : undefined
      const failed = attributions(await through(proxy.origin, port, faulty.urls.get(id) ?? '', only))
      expect(catching(id).filter((check) => failed.includes(`${check}: upstream`))).not.toEqual([])
      // A fault of calls in flight together may not show again: then neither side is blamed.
      const right = requirement === 'SDK-2' ? /: (?:upstream|undefined)$/ : /: upstream$/
      for (const one of failed) expect(one).toMatch(right)
    } finally {
      await proxy.end()
    }
  }
  test.each(sample.slice(0, 1))('$id', blamed)
  test.each(sample.slice(1))('$id', { tags: 'slow' }, blamed)
})

describe('before a good service every fault is that of the gateway', { timeout: 120_000 }, () => {
  async function judged(habits = goodHabits): Promise<Report> {
    const port = await freePort()
    const handle = createGateway(habits)
    const upstream = { url: `http://127.0.0.1:${port}`, key: server.key, model: 'svc-0.1-echo' }
    await using gateway = await listening(
      createServer((request, response) => void handle(request, response, upstream)),
    )
    return await through(gateway.baseUrl, port, server.baseUrl)
  }
  /** The failures of the good gateway itself, which refuses by its own words. */
  const good = memoize(async () => new Set(attributions(await judged())))
  async function blamed(id: string): Promise<void> {
    const report = await judged(gateways.find((gateway) => gateway.id === id)?.habits)
    const failed = attributions(report)
    expect(failed.length).toBeGreaterThan(0)
    const known = await good()
    const own = failed.filter((one) => !known.has(one))
    expect(own.length).toBeGreaterThan(0)
    for (const one of own) expect(one).toMatch(/: gateway$/)
    const evidence = report.checks.find(({ attribution }) => attribution === 'gateway')
    expect(evidence?.exchanges.map(({ hop }) => hop)).toContain('client')
  }
  test.each([
    'first-choice-only',
    'one-call-index',
    'no-done',
    'finishes-with-stop',
    'drops-logprobs',
    'drops-usage',
  ])('%s', { tags: 'slow' }, blamed)
})
