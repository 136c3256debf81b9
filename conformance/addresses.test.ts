// A service is judged in the same way under any address, and by any header for its key.
import http from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../fixtures/faulty-gateways/gateway.ts'
import { goodHabits } from '../fixtures/faulty-gateways/habits.ts'
import { freePort } from '../fixtures/services/free-port.ts'
import { listening } from '../harness/http-server.fixture.ts'
import { createRedactor } from '../harness/secrets/redact.ts'
import { startServerWithKey } from '../harness/reference-server.fixture.ts'
import { deploy } from './deployment.fixture.ts'
import { startCaptureProxy } from './exchanges/capture/capture-proxy.ts'
import { judgeGateway } from './subjects/gateway/judge.ts'
import { judgeThrough } from './subjects/gateway/judge-through.ts'
import { startUpstream } from './subjects/gateway/scripted-upstream.ts'
import { server as judgeOfServers } from './subjects/server/subject.ts'
import { type ConformanceOptions, type Report, runConformance } from './run-conformance.ts'

/** Rows of every kind of request: plain and streamed, by the library, without a key, to odd paths and outside of `/v1`. */
const ONLY = 'AUTH-*,CHAT-1,CHAT-9,ERR-1,KEY-6,KEY-9,MODEL-*,SDK-*,STREAM-2,VERS-1,WIRE-1'

let server: Awaited<ReturnType<typeof startServerWithKey>>
let direct: Report
beforeAll(async () => {
  server = await startServerWithKey()
  direct = await judged(server.baseUrl)
})
afterAll(() => server[Symbol.asyncDispose]())

/** Judges the reference server at an address. */
function judged(baseUrl: string, options: ConformanceOptions = {}): Promise<Report> {
  const credentials = { CONFORMANCE_API_KEY: server.key }
  return runConformance({ baseUrl, credentials, only: ONLY, quick: true, ...options })
}

const outcomes = ({ checks }: Report): Readonly<Record<string, string>> =>
  Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome]))

/** The outcomes of the checks of some rows, each once. */
const outcomesOf = ({ checks }: Report, rows: readonly string[]): readonly string[] => [
  ...new Set(checks.filter(({ requirement }) => rows.includes(requirement)).map(({ outcome }) => outcome)),
]

/** The checks that end otherwise than at the reference server itself, without those of these rows. */
const changed = (report: Report, without: readonly string[] = []): readonly string[] =>
  report.checks
    .filter(
      ({ id, outcome, requirement }) => outcomes(direct)[id] !== outcome && !without.includes(requirement),
    )
    .map(({ id, outcome }) => `${id}: ${outcome}`)

const addressesOf = ({ target }: Report): readonly unknown[] =>
  target.facts.filter(({ name }) => name === 'address').map(({ value }) => value)

describe.each(['/v1', '/api/v3', '/v1beta/openai', '/v4', '/openai/v1'])('an API under %s', (path) => {
  async function expectSame(slash: string): Promise<void> {
    const { origin, targets } = await deploy(server.baseUrl, { path })
    const report = await judged(origin + path + slash)
    expect(changed(report)).toEqual([])
    expect(report.exitCode).toBe(direct.exitCode)
    expect(addressesOf(report)).toEqual([`${origin}${path}/models`, `${origin}${path}/chat/completions`])
    expect(targets.filter((target) => target.startsWith('/v1/v1'))).toEqual([])
  }
  test('is judged as it is', () => expectSame(''))
  test.each(['/', '//'])('is judged as it is, with %j at its end', { tags: 'slow' }, expectSame)
})

test.each(['', '/', '/openai', '/openai/'])('an address without a version, %j, gets `/v1`', async (given) => {
  const path = `${given.replace(/\/$/, '')}/v1`
  const { origin } = await deploy(server.baseUrl, { path })
  const report = await judged(origin + given)
  expect(changed(report)).toEqual([])
  expect(addressesOf(report)).toEqual([`${origin}${path}/models`, `${origin}${path}/chat/completions`])
})

test.each(['', '/', '/llm', '/llm/'])(
  'an address without a version at which the API answers, %j, is used as it is',
  async (given) => {
    const path = given.replace(/\/$/, '')
    const { origin } = await deploy(server.baseUrl, { path })
    const report = await judged(origin + given)
    // Nothing is outside of the version of an API that has none.
    expect(changed(report, ['VERS-1'])).toEqual([])
    expect(outcomesOf(report, ['VERS-1'])).toEqual(['not-applicable'])
    expect(addressesOf(report)).toEqual([`${origin}${path}/models`, `${origin}${path}/chat/completions`])
  },
)

const NAME = '/openai/deployments/name'
const query = 'api-version=2024-10-21&x=a%2Fb'

test.each([NAME, `${NAME}/`, `${NAME}/v1`, '/v1', ''])(
  'every request keeps the query of %j',
  async (given) => {
    const path = given === '' ? '/v1' : given.replace(/\/$/, '')
    const { origin, targets } = await deploy(server.baseUrl, { path, query })
    const report = await judged(`${origin}${given}?${query}`)
    const own = path === NAME ? ['VERS-1'] : []
    expect(changed(report, own)).toEqual([])
    expect(targets.filter((target) => !target.includes(`?${query}`))).toEqual([])
    const urls = report.checks.flatMap(({ exchanges }) => exchanges.map(({ request }) => request.url))
    expect(urls.length).toBeGreaterThan(20)
    expect(urls.filter((url) => !url.startsWith(origin) || !url.includes(`?${query}`))).toEqual([])
    const reproduce = report.checks.flatMap(({ reproduce: line }) => line ?? [])
    expect(reproduce.filter((line) => !line.includes(`?${query}`))).toEqual([])
  },
)

test('a service without a list of models needs the name of one', async () => {
  const { origin } = await deploy(server.baseUrl, { path: NAME, query, lists: false })
  const baseUrl = `${origin}${NAME}?${query}`
  const error: unknown = await judged(baseUrl).catch((thrown) => thrown)
  expect(error).toMatchObject({ name: 'UsageError' })
  expect((error as Error).message).toMatch(/^[^\n]*--model[^\n]*$/)
  const named = { model: 'svc-0.1-echo', only: 'CHAT-1,STREAM-2,WIRE-1' }
  const report = await judged(baseUrl, named)
  expect(addressesOf(report)[1]).toBe(`${origin}${NAME}/chat/completions?${query}`)
  expect(report).toMatchObject({ exitCode: 0, totals: { fail: 0 } })
})

describe('a key in a header of its own', () => {
  const OF_AUTHORIZATION = ['AUTH-2', 'AUTH-3', 'AUTH-6']

  test.each(['api-key', 'X-Api-Key'])(
    '%s is judged, except for the rows about Authorization',
    async (authHeader) => {
      const { origin } = await deploy(server.baseUrl, { path: '/v1', authHeader: authHeader.toLowerCase() })
      const report = await judged(origin, { authHeader })
      // This one sends the header in a wrong form too.
      expect(changed(report, OF_AUTHORIZATION)).toEqual(['auth.no-space-code: not-applicable'])
      expect(outcomesOf(report, OF_AUTHORIZATION)).toEqual(['not-applicable'])
      expect(report.checks.find(({ requirement }) => requirement === 'AUTH-2')?.reason).toContain(
        '--auth-header',
      )
      expect(JSON.stringify(report)).not.toContain(server.key)
      const lines = report.checks.flatMap(({ reproduce }) => reproduce ?? [])
      expect(lines.filter((line) => /Authorization/i.test(line))).toEqual([])
    },
  )

  test('that a service does not read is a key that it refuses', async () => {
    const error: unknown = await judged(server.baseUrl, { authHeader: 'api-key' }).catch((thrown) => thrown)
    expect((error as Error).message).toMatch(/refused with 401/)
  })
})

test('a service behind a gateway is judged at any address', async () => {
  const { origin, targets } = await deploy(server.baseUrl, { path: NAME, query })
  const port = await freePort()
  const gateway = await startCaptureProxy(`http://127.0.0.1:${port}`, 0, () => {})
  onTestFinished(gateway.end)
  const report = await judgeThrough(
    {
      baseUrl: gateway.origin,
      listen: port,
      upstreamUrl: `${origin}${NAME}?${query}`,
      credentials: { CONFORMANCE_API_KEY: server.key },
      only: 'CHAT-1,MODEL-1,SDK-1,STREAM-2,WIRE-1',
      quick: true,
    },
    judgeOfServers,
    createRedactor(),
  )
  expect(report).toMatchObject({ exitCode: 0, totals: { fail: 0 } })
  expect(targets.filter((target) => !target.startsWith(`${NAME}/`))).toEqual([])
})

async function judgesGatewayAt(path: string): Promise<void> {
  const upstream = await startUpstream(0)
  const handle = createGateway(goodHabits)
  const proxy = http.createServer((request, response) => {
    const { url = '' } = request
    if (!url.startsWith(`${path}/chat`) && !url.startsWith(`${path}/models`))
      return response.writeHead(404).end()
    request.url = `/v1${url.slice(path.length)}`
    return void handle(request, response, { url: upstream.origin, key: 'of-the-upstream' })
  })
  await using gateway = await listening(proxy)
  const report = await judgeGateway(
    {
      baseUrl: gateway.baseUrl + path,
      upstream,
      credentials: { CONFORMANCE_API_KEY: 'of-the-client', CONFORMANCE_UPSTREAM_KEY: 'of-the-upstream' },
      only: 'GATE-1,GATE-2',
      quick: true,
    },
    createRedactor(),
  )
  expect(report).toMatchObject({ exitCode: 0, totals: { fail: 0 } })
  expect(addressesOf(report)).toEqual([`${gateway.baseUrl}${path}/chat/completions`])
}
test('a gateway at a path of its own is judged as it is', () => judgesGatewayAt('/gateway/v4'))
test('a gateway at its root is judged as it is', { tags: 'slow' }, () => judgesGatewayAt(''))
