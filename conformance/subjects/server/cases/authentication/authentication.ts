// Authentication: which credentials are accepted, and that they are checked before anything else (AUTH-1 to AUTH-8).
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { header, json } from '../../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Verifier, refused, showBody, status } from '../../../../../harness/verify/verify.ts'
import { at } from '../../../../../harness/verify/json-value.ts'
import {
  CHAT_PATH,
  type Endpoint,
  chat,
  chatRequest,
  endpoints,
  keyAccepted,
  modelList,
  modelPath,
  modelRecord,
} from '../requests/endpoints.ts'
import { failures, strays, fakeKey, fakeWord } from '../requests/failing.ts'
import { requireKeyed } from './every-endpoint.ts'
import { headerFormCases } from './header-forms.ts'
import { mechanismCases } from './mechanisms.ts'
import { wrongKeyCases } from './wrong-keys.ts'

/** AUTH-1, "nothing else happens": the answer contains no part of a completion, a list or a stream. */
const nothingElse: Verifier = (exchange) => {
  const type = header(exchange, 'content-type') ?? ''
  if (/^text\/event-stream/i.test(type)) return { expected: 'no event stream', actual: type }
  for (const member of ['choices', 'data'])
    if (Array.isArray(at(json(exchange), member)))
      return { expected: `no ${member} beside the refusal`, actual: showBody(exchange) }
  return undefined
}

/** A service may lack the records of models: then there is nothing to judge. */
async function requireOffered(t: CaseContext, endpoint: Endpoint): Promise<void> {
  if (endpoint !== modelRecord) return
  const { status: code } = (await t.send(endpoint.request(t))).response
  if (code === 404 || code === 405 || code === 501)
    t.notApplicable(`${endpoint.title} is not offered: it is answered with ${code}`)
}

async function expectClosed(t: CaseContext, endpoint: Endpoint, authorization: string | null): Promise<void> {
  await requireOffered(t, endpoint)
  t.expect(await t.send({ ...endpoint.request(t), authorization }), status(401), nothingElse)
}

const withoutValidKey: readonly Case[] = endpoints.flatMap((endpoint) => [
  check(`auth.${endpoint.slug}-without-a-key`, 'AUTH-1', `${endpoint.title} without a key`).run((t) =>
    expectClosed(t, endpoint, null),
  ),
  check(`auth.${endpoint.slug}-with-an-unknown-key`, 'AUTH-1', `${endpoint.title} with an unknown key`).run(
    (t) => expectClosed(t, endpoint, `Bearer ${fakeKey(t.seed, endpoint.slug)}`),
  ),
])

const missingHeader: readonly Case[] = endpoints.map((endpoint) =>
  check(`auth.missing-header-${endpoint.slug}`, 'AUTH-3', `no Authorization header on ${endpoint.title}`).run(
    async (t) => {
      const exchange = await t.send({ ...endpoint.request(t), authorization: null })
      await requireKeyed(t, endpoint, exchange)
      t.expect(exchange, refused(401, { type: 'authentication_error', code: 'missing_api_key' }))
    },
  ),
)

const oneHeader: readonly Case[] = endpoints.map((endpoint) =>
  check(`auth.one-header-${endpoint.slug}`, 'AUTH-5', `the one header on ${endpoint.title}`).run(
    async (t) => {
      const exchange = await t.send(endpoint.request(t))
      t.expect(exchange, keyAccepted('the key'))
      const code = exchange.response.status
      if (code >= 500) t.inconclusive(`status ${code} does not show whether the key was accepted`)
    },
  ),
)

/** AUTH-7: requests that would fail for another reason too, each with the endpoint that it addresses. */
const attempts: Variants<[request: (t: CaseContext) => RequestSpec, on?: Endpoint]> = {
  'bad-json': [...failures['bad-json'], chat],
  'empty-body': ['an empty body', () => ({ path: CHAT_PATH, body: '' }), chat],
  'missing-fields': ['a body without fields', () => ({ path: CHAT_PATH, body: '{}' }), chat],
  'wrong-value': [
    'a value of the wrong type',
    ({ target }) => chatRequest(target.model, { messages: 'Say OK.' }),
    chat,
  ],
  'wrong-content-type': [
    'a JSON body with the content type text/plain',
    ({ target }) => ({ ...chatRequest(target.model), headers: { 'content-type': 'text/plain' } }),
    chat,
  ],
  'unknown-model': [...failures['unknown-model'], chat],
  'unknown-record': [
    'the record of an unknown model',
    ({ seed }) => ({ path: modelPath(fakeWord(seed, 'unknown model')) }),
    modelRecord,
  ],
  'unknown-path': strays['unknown-path'],
  'unknown-path-post': strays['unknown-path-post'],
  'get-chat': [...strays['get-chat'], chat],
  'delete-chat': [...strays['delete-chat'], chat],
  'post-models': [...strays['post-models'], modelList],
}

/** If an endpoint does not require a key at all, the order of its checks is not at fault. */
async function requireClosed(t: CaseContext, endpoint: Endpoint): Promise<void> {
  const { status: code } = (await t.send({ ...endpoint.request(t), authorization: null })).response
  if (code !== 401)
    t.inconclusive(`${endpoint.title} answers ${code} to a valid request without a key (AUTH-1)`)
}

const beforeEverything = checkEach('auth.before-*', 'AUTH-7', '*, without a key', attempts).run(
  async (t, request, on) => {
    const exchange = await t.send({ ...request(t), authorization: null })
    if (on !== undefined && exchange.response.status !== 401) await requireClosed(t, on)
    t.expect(exchange, status(401))
  },
)

export const cases: readonly Case[] = [
  ...withoutValidKey,
  ...headerFormCases,
  ...missingHeader,
  ...wrongKeyCases,
  ...oneHeader,
  ...mechanismCases,
  ...beforeEverything,
]
