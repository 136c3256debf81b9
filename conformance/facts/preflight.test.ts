// A wrong address or key is reported in one line with advice, before anything is judged.
import type http from 'node:http'
import { expect, test } from 'vitest'
import { runConformance } from '../run-conformance.ts'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { at } from '../../harness/json-value.ts'
import { type MadeExchange, madeExchange } from '../../harness/exchange.fixture.ts'
import { preflight } from './preflight.ts'
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
  [
    'a plain request to a port of TLS',
    (response) => response.writeHead(400).end('The plain HTTP request was sent to HTTPS port'),
    /try https:\/\//,
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

const notFound: MadeExchange = {
  status: 404,
  body: { error: { message: 'Unknown URL.', code: 'unknown_url' } },
}
const unknownModel: MadeExchange = {
  status: 404,
  body: { error: { message: 'No.', code: 'model_not_found' } },
}
const list: MadeExchange = { body: { data: [{ id: 'listed' }] } }
const success: MadeExchange = { body: { choices: [] } }
const status = (code: number): MadeExchange => ({ status: code, body: 'no' })

/** The result of the preflight at a service, and its pauses; `chat` answers by the model of the request. */
async function reach(
  model: string | undefined,
  listing: () => MadeExchange,
  chat: (model: unknown) => MadeExchange,
) {
  const pauses: number[] = []
  const answer = ({ path, body }: RequestSpec): MadeExchange =>
    body === undefined ? listing() : { path, ...chat(at(JSON.parse(String(body)), 'model')) }
  const found = await preflight({
    baseUrl: 'http://h/v1',
    profile: 'wire',
    key: 'k',
    model,
    timeoutMs: 1_000,
    warmUpMs: 1_000,
    ask: async (request) => madeExchange({ path: request.path, ...answer(request) }),
    pause: async (ms) => void pauses.push(ms),
    onFound() {},
  }).catch((error: unknown) => error as Error)
  return { found, pauses }
}

const fault = (message: RegExp) => ({ name: 'UsageError', message: expect.stringMatching(message) })

test.each<[what: string, chat: (model: unknown) => MadeExchange]>([
  ['answers with 404', () => unknownModel],
  ['refuses, although it answers a listed one,', (model) => (model === 'listed' ? success : status(400))],
])('a given model that a service does not list and %s is unknown to it', async (_, chat) => {
  const { found } = await reach('no-such', () => list, chat)
  expect(found).toMatchObject(fault(/model no-such is unknown to the service, which lists listed \(POST/))
})

test.each<[what: string, chat: MadeExchange]>([
  ['is answered', success],
  ['is refused like a listed one', status(400)],
  ['fails', status(500)],
  ['is down', status(502)],
])('a given model that is not listed and %s is judged', async (_, chat) => {
  const { found } = await reach(
    'other',
    () => list,
    () => chat,
  )
  expect(found).toMatchObject({ model: 'other' })
})

test('a given model that is listed is judged without a request, also if the service would not find it', async () => {
  const { found } = await reach(
    'listed',
    () => list,
    () => unknownModel,
  )
  expect(found).toMatchObject({ model: 'listed', answered: undefined })
})

test.each<[model: string | undefined, chat: MadeExchange, said: RegExp]>([
  [undefined, notFound, /^there is no API under http:\/\/h\/v1 \(.*models: 404, .*completions: 404\)/],
  ['m', notFound, /^there is no API under/],
  [undefined, unknownModel, /name one with --model/],
  ['m', unknownModel, /the model m is unknown to the service, which lists no models/],
])('without a list, and with the model %j, %j shows what is wrong', async (model, chat, said) => {
  const { found } = await reach(
    model,
    () => notFound,
    () => chat,
  )
  expect(found).toMatchObject(fault(said))
})

test.each([undefined, 'm'])('a gateway that stays down is not judged, with the model %j', async (model) => {
  const { found, pauses } = await reach(
    model,
    () => status(502),
    () => status(502),
  )
  expect(found).toMatchObject(fault(/answered with 502: the gateway or the service behind it is down/))
  expect(pauses).toEqual([1_000, 2_000])
})

test('a gateway that is down for a moment is waited for', async () => {
  const answers = [status(503), status(503)]
  const { found, pauses } = await reach(
    undefined,
    () => answers.shift() ?? list,
    () => success,
  )
  expect(found).toMatchObject({ model: 'listed' })
  expect(pauses).toEqual([1_000, 2_000])
})

test('an address with an operation at its end is refused before anything is sent', async () => {
  expect(await complaint('http://127.0.0.1:9/v1/chat/completions', KEY)).toMatch(
    /remove \/chat\/completions$/,
  )
})
