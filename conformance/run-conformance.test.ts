// The judge as a function: the same report as the command line's, nothing printed, and an end when it is aborted.
import { expect, test, vi } from 'vitest'
import { KEY, refusal, startService } from './cli/cli.fixture.ts'
import { sendJson, startTestServer } from '../harness/http-server.fixture.ts'
import { reportSchema } from './contract/report.ts'
import { type ConformanceOptions, runConformance } from './run-conformance.ts'

const credentials = { CONFORMANCE_API_KEY: KEY }

test('a run resolves to its report, and prints nothing', async () => {
  await using service = await startService('invalid_api_key')
  const written = vi.spyOn(process.stdout, 'write')
  const complained = vi.spyOn(process.stderr, 'write')
  const begun: string[] = []
  const report = await runConformance({
    baseUrl: `${service.baseUrl}/v1/`,
    credentials,
    only: 'auth.missing-header-models',
    seed: 7,
    onBegin: ({ model }, seed) => begun.push(`${model} ${seed}`),
  })
  expect(reportSchema.parse(report)).toMatchObject({
    target: { baseUrl: service.baseUrl, profile: 'service', model: 'm-1' },
    exitCode: 1,
    checks: [{ id: 'auth.missing-header-models', outcome: 'fail' }],
  })
  expect(begun).toEqual(['m-1 7'])
  expect([written, complained].flatMap(({ mock }) => mock.calls)).toEqual([])
  expect(JSON.stringify(report)).not.toContain(KEY.slice(7, 15))
  vi.restoreAllMocks()
})

test.each<[ConformanceOptions, string]>([
  [{ baseUrl: 'example.org' }, 'baseUrl: expected an http or https address'],
  [{ runs: 0 }, 'runs: expected a whole number'],
  [{ timeoutMs: 1.5 }, 'timeoutMs: expected'],
  [{ seed: -1 }, 'seed: expected'],
  [{ concurrency: 65 }, 'concurrency: expected'],
  [{ requestsPerSecond: 0 }, 'requestsPerSecond: expected'],
  [{ only: 'nothing.*' }, 'no check matches'],
  [{ catalogue: '1' }, "catalogue: no set of checks '1': expected 2026-12"],
  [{ require: ['wings'] }, "require: no capability 'wings'"],
  [{ headers: { host: 'elsewhere' } }, "host is the judge's own"],
  [{ baseUrl: 'http://127.0.0.1:9', credentials }, 'cannot be judged: the connection was refused'],
  [{ baseUrl: 'http://127.0.0.1:9', credentials: {} }, 'set CONFORMANCE_API_KEY'],
])('%j is refused with a UsageError', async (options, message) => {
  await expect(runConformance(options)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(message),
  })
})

test('an aborted run resolves to what was judged, and before the target is reached it is rejected', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  await using service = await startService('missing_api_key', () => {
    controller.abort(reason)
    return 'silent'
  })
  const options = { baseUrl: service.baseUrl, credentials, only: 'auth.missing-header-models,CHAT-1' }
  const report = await runConformance({ ...options, concurrency: 1, signal: controller.signal })
  expect(report).toMatchObject({ interrupted: true, exitCode: 3 })
  expect(report.checks[0]).toMatchObject({ outcome: 'pass' })
  for (const check of report.checks.slice(1))
    expect(check).toMatchObject({ outcome: 'inconclusive', reason: 'interrupted' })
  await expect(runConformance({ ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('what the target counts as tokens is added up, streamed and plain', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
  let answers = 0
  await using service = await startTestServer((request, response) => {
    if (request.url === '/v1/models') return sendJson(response, 200, { data: [{ id: 'm-1' }] })
    answers += 1
    if (!request.text.includes('"stream":true')) return sendJson(response, 200, { choices: [], usage })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`)
  })
  for (const only of ['CHAT-1', 'STREAM-1']) {
    const { requests, tokens } = await runConformance({
      baseUrl: service.baseUrl,
      profile: 'wire',
      only,
      runs: 1,
    })
    // A request without an answer costs no tokens: the first request of a run asks for the models.
    expect(tokens?.prompt).toBeLessThanOrEqual(5 * (requests - 1))
    expect(tokens).toEqual({ prompt: 5 * answers, completion: 2 * answers })
    expect(answers).toBeGreaterThan(0)
    answers = 0
    expect(requests).toBeGreaterThan(1)
  }
})

test('a capability that is declared and refused fails, and is named', async () => {
  await using service = await startTestServer((request, response) => {
    if (request.url === '/v1/models') return sendJson(response, 200, { data: [{ id: 'm-1' }] })
    if (!request.text.includes('"n":')) return sendJson(response, 200, {})
    const error = { ...refusal('unsupported_parameter').error, param: 'n' }
    return sendJson(response, 400, { error })
  })
  const options = { baseUrl: service.baseUrl, profile: 'wire', only: 'WIRE-6' } as const
  // A run that judged nothing is not green. Its answers cannot be read, so the row still applies.
  expect(await runConformance(options)).toMatchObject({ exitCode: 3, coverage: { applicable: 1, judged: 0 } })
  const declared = await runConformance({ ...options, require: ['n', 'stop'] })
  expect(declared).toMatchObject({ exitCode: 1, missingCapabilities: ['n'] })
})
