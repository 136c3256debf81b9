// A wrong address or key is reported in one line with advice, before anything is judged.
import type http from 'node:http'
import { expect, test } from 'vitest'
import { runConformance } from '../run-conformance.ts'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import { startService } from '../subjects/server/cases/scripted/start-service.fixture.ts'
import { isModelList } from '../../fixtures/faulty/calls.ts'
import { editJson } from '../../fixtures/faulty/edits.ts'
import { asList } from '../../fixtures/faulty/json-types.ts'

const KEY = `svc_sk_${'x'.repeat(43)}`
const html = '<!DOCTYPE html><title>Sign in</title>'

async function complaint(baseUrl: string, key: string): Promise<string> {
  const credentials = { CONFORMANCE_API_KEY: key }
  const error: unknown = await runConformance({ baseUrl, credentials, profile: 'wire' }).catch(
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ name: 'UsageError' })
  const { message } = error as Error
  expect(message.split('\n')).toHaveLength(1)
  return message
}

test.each<[string, (response: http.ServerResponse) => unknown, RegExp]>([
  [
    'a redirect',
    (response) => response.writeHead(308, { location: 'https://api.example.com/v1/models' }).end(),
    /redirected \(308\).*https:\/\/api\.example\.com/,
  ],
  [
    'a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html),
    /an HTML page \(200\)/,
  ],
  [
    'a page that says nothing of its type',
    (response) => response.writeHead(404).end(html),
    /an HTML page \(404\)/,
  ],
  [
    'a path without an API',
    (response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('not found'),
    /no API under/,
  ],
  ['no list of models', (response) => sendJson(response, 200, {}), /name one with --model/],
])('%s is reported', async (_, answer, said) => {
  await using server = await startTestServer((__, response) => answer(response))
  expect(await complaint(server.baseUrl, KEY)).toMatch(said)
})

test.each<[string, RegExp]>([
  [`"${KEY}"`, /is in quotes/],
  [`Bearer${KEY}`, /begins with "Bearer"/],
  ['svc_sk_unknown', /not a valid key/],
])('a key that is refused, %s, is described by its form and not shown', async (key, said) => {
  await using service = await startService()
  const message = await complaint(service.baseUrl, key)
  expect(message).toMatch(said)
  expect(message).not.toContain(KEY.slice(7))
})

test('a plain port that is taken for TLS, and the other way round', async () => {
  await using server = await startTestServer((_, response) => sendJson(response, 200, {}))
  expect(await complaint(server.baseUrl.replace('http:', 'https:'), KEY)).toMatch(
    /does not speak TLS.*http:\/\//,
  )
})

test('the first model that chats is judged: one that embeds is passed over', async () => {
  const embedding = { id: 'text-embedding', object: 'model', created: 1, owned_by: 'tests' }
  await using service = await startService(() =>
    editJson(
      (_, call) => isModelList(call),
      (list) => ({ ...list, data: [embedding, ...asList(list['data'])] }),
    ),
  )
  const report = await runConformance({
    baseUrl: service.baseUrl,
    credentials: { CONFORMANCE_API_KEY: service.key },
    profile: 'wire',
    only: 'chat.success-is-200,WIRE-1',
    seed: 1,
  })
  expect(report.target.model).toBe('svc-0.1-echo')
  expect(report.totals.fail).toBe(0)
})
