// The service under load is found at its address, with its key in its header.
import { expect, test } from 'vitest'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { measureLatency } from './measure-latency.ts'
import { keysOf } from './open-target.ts'
import { readOptions } from './loadtest-options.ts'

const CHUNK = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' }
const STREAM = [
  { ...CHUNK, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] },
  { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]

test('streams are measured under a path without a version, with a query and a header for the key', async () => {
  await using server = await startTestServer((request, response) => {
    const [path, query] = (request.url ?? '').split('?')
    if (query !== 'api-version=1') return sendJson(response, 404, {})
    if (request.headers['api-key'] !== 'k' || request.headers.authorization !== undefined)
      return sendJson(response, 401, {})
    if (path === '/llm/models') return sendJson(response, 200, { data: [{ id: 'm' }] })
    if (path !== '/llm/chat/completions') return sendJson(response, 404, {})
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of STREAM) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    return response.end('data: [DONE]\n\n')
  })
  const address = `${server.baseUrl}/llm?api-version=1`
  const flags = [
    '--auth-header',
    'api-key',
    '--seconds',
    '1',
    '--rate',
    '3',
    '--arrivals',
    'constant',
    '--without-usage',
  ]
  const measured = await measureLatency({
    options: readOptions(['latency', '--base-url', address, ...flags]),
    env: { LOADTEST_KEYS: 'k' },
    redactor: createRedactor(),
    signal: AbortSignal.timeout(60_000),
  })
  expect(measured).toMatchObject({
    verdict: { target: `${server.baseUrl}/llm/?api-version=1`, model: 'm', completed: 3, failed: 0 },
  })
})

test('takes the key of the judge if it has no keys of its own', () => {
  expect(keysOf({ CONFORMANCE_API_KEY: 'k' })).toEqual(['k'])
  expect(keysOf({ CONFORMANCE_API_KEY: 'k', LOADTEST_KEYS: '' })).toEqual(['k'])
  expect(keysOf({ CONFORMANCE_API_KEY: 'k', LOADTEST_KEYS: 'a, b' })).toEqual(['a', 'b'])
  expect(keysOf({})).toEqual([])
})
