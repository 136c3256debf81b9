// Authentication: who gets in, and what happens before anybody does (AUTH-1 to AUTH-8).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import { header, json } from '../../../harness/http/exchange.ts'
import { type Verifier, refused, showBody, status } from '../../../harness/verify/verify.ts'
import { at } from '../../../harness/verify/json-value.ts'
import {
  CHAT_PATH,
  type Endpoint,
  MODELS_PATH,
  chat,
  chatRequest,
  endpoints,
  keyAccepted,
  modelList,
  modelPath,
  modelRecord,
  requiredEndpoints,
} from '../requests/endpoints.ts'
import { headerFormCases } from './header-forms.ts'
import { madeUpKey, madeUpWord } from '../requests/fake.ts'
import { mechanismCases } from './mechanisms.ts'
import { wrongKeyCases } from './wrong-keys.ts'

/** AUTH-1, "nothing else happens", as far as an answer shows it: nothing of a completion, a list or a stream. */
const nothingElse: Verifier = (exchange) => {
  const type = header(exchange, 'content-type') ?? ''
  if (/^text\/event-stream/i.test(type)) return { expected: 'no event stream', actual: type }
  for (const member of ['choices', 'data'])
    if (Array.isArray(at(json(exchange), member)))
      return { expected: `no ${member} beside the refusal`, actual: showBody(exchange) }
  return undefined
}

/** The record of a model is no endpoint of every service: without it there is nothing to judge. */
async function requireOffered(t: CaseContext, endpoint: Endpoint): Promise<void> {
  if (endpoint !== modelRecord) return
  const { status: code } = (await t.send(endpoint.request(t))).response
  if (code === 404 || code === 405 || code === 501)
    t.notApplicable(`${endpoint.title} is not offered: it is answered with ${code}`)
}

const withoutValidKey: readonly Case[] = endpoints.flatMap((endpoint) => [
  defineCase({
    id: `auth.${endpoint.slug}-without-a-key`,
    requirement: 'AUTH-1',
    title: `${endpoint.title} without a key`,
    async run(t) {
      await requireOffered(t, endpoint)
      const exchange = await t.send({ ...endpoint.request(t), authorization: null })
      t.expect(exchange, status(401), nothingElse)
    },
  }),
  defineCase({
    id: `auth.${endpoint.slug}-with-an-unknown-key`,
    requirement: 'AUTH-1',
    title: `${endpoint.title} with a key that nobody has`,
    async run(t) {
      await requireOffered(t, endpoint)
      const authorization = `Bearer ${madeUpKey(t.seed, endpoint.slug)}`
      const exchange = await t.send({ ...endpoint.request(t), authorization })
      t.expect(exchange, status(401), nothingElse)
    },
  }),
])

const missingHeader: readonly Case[] = requiredEndpoints.map((endpoint) =>
  defineCase({
    id: `auth.missing-header-${endpoint.slug}`,
    requirement: 'AUTH-3',
    title: `no Authorization header on ${endpoint.title}`,
    async run(t) {
      const exchange = await t.send({ ...endpoint.request(t), authorization: null })
      t.expect(exchange, refused(401, { type: 'authentication_error', code: 'missing_api_key' }))
    },
  }),
)

const oneHeader: readonly Case[] = endpoints.map((endpoint) =>
  defineCase({
    id: `auth.one-header-${endpoint.slug}`,
    requirement: 'AUTH-5',
    title: `the one header on ${endpoint.title}`,
    async run(t) {
      const exchange = await t.send(endpoint.request(t))
      t.expect(exchange, keyAccepted('the key'))
      const code = exchange.response.status
      if (code >= 500) t.inconclusive(`status ${code} does not show whether the key was accepted`)
    },
  }),
)

interface Attempt {
  readonly slug: string
  readonly title: string
  /** The endpoint that it is an attempt on, where it is one. */
  readonly on?: Endpoint
  request(t: CaseContext): RequestSpec
}

/** AUTH-7: requests that would fail for a reason of their own. */
const attempts: readonly Attempt[] = [
  {
    slug: 'bad-json',
    on: chat,
    title: 'a body that is no JSON',
    request: () => ({ path: CHAT_PATH, body: '{"model":' }),
  },
  { slug: 'empty-body', on: chat, title: 'an empty body', request: () => ({ path: CHAT_PATH, body: '' }) },
  {
    slug: 'missing-fields',
    on: chat,
    title: 'a body without fields',
    request: () => ({ path: CHAT_PATH, body: '{}' }),
  },
  {
    slug: 'wrong-value',
    on: chat,
    title: 'a value of the wrong type',
    request: ({ target }) => chatRequest(target.model, { messages: 'Say OK.' }),
  },
  {
    slug: 'wrong-content-type',
    on: chat,
    title: 'a body that is called plain text',
    request: ({ target }) => ({ ...chatRequest(target.model), headers: { 'content-type': 'text/plain' } }),
  },
  {
    slug: 'unknown-model',
    on: chat,
    title: 'an unknown model',
    request: ({ seed }) => chatRequest(madeUpWord(seed, 'unknown model')),
  },
  {
    slug: 'unknown-record',
    on: modelRecord,
    title: 'the record of an unknown model',
    request: ({ seed }) => ({ path: modelPath(madeUpWord(seed, 'unknown model')) }),
  },
  {
    slug: 'unknown-path',
    title: 'an unknown path',
    request: ({ seed }) => ({ path: `/v1/${madeUpWord(seed, 'unknown path')}` }),
  },
  {
    slug: 'unknown-path-post',
    title: 'a POST to an unknown path',
    request: ({ seed }) => ({ path: `/v1/${madeUpWord(seed, 'unknown path')}`, body: '{}' }),
  },
  { slug: 'get-chat', on: chat, title: 'a GET of the chat endpoint', request: () => ({ path: CHAT_PATH }) },
  {
    slug: 'delete-chat',
    on: chat,
    title: 'a DELETE of the chat endpoint',
    request: () => ({ method: 'DELETE', path: CHAT_PATH }),
  },
  {
    slug: 'post-models',
    on: modelList,
    title: 'a POST to the model list',
    request: () => ({ path: MODELS_PATH, body: '{}' }),
  },
]

/** Where an endpoint does not ask for a key as AUTH-1 says, its order of checks is not the fault. */
async function requireClosed(t: CaseContext, endpoint: Endpoint): Promise<void> {
  const { status: code } = (await t.send({ ...endpoint.request(t), authorization: null })).response
  if (code !== 401)
    t.inconclusive(`${endpoint.title} answers ${code} to a good request without a key (AUTH-1)`)
}

const beforeEverything: readonly Case[] = attempts.map(({ slug, title, on, request }) =>
  defineCase({
    id: `auth.before-${slug}`,
    requirement: 'AUTH-7',
    title: `${title}, without a key`,
    async run(t) {
      const exchange = await t.send({ ...request(t), authorization: null })
      if (on !== undefined && exchange.response.status !== 401) await requireClosed(t, on)
      t.expect(exchange, status(401))
    },
  }),
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
