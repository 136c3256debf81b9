// Errors: one envelope (ERR-1), one type per status (ERR-2), text for people (ERR-3) that tells no secret (ERR-4),
// on every path and method (ERR-5), the statuses of the table (ERR-7), the field at fault (ERR-8). Each rule is
// tried on failures of its own, and its observer holds it against every failure of the run.
import { type Case, type CaseContext, type Observer, defineCase, defineObserver } from '../../runner/case.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { errorEnvelope } from '../../../harness/verify/verify.ts'
import { at } from '../../../harness/verify/json-value.ts'
import { CHAT_PATH, MODELS_PATH, chatRequest } from '../requests/endpoints.ts'
import {
  errorStatus,
  failed,
  messageForPeople,
  saysError,
  statusOfTable,
  typeOfStatus,
} from '../../../harness/verify/error-verifiers.ts'
import { fieldCases } from './field-at-fault.ts'
import { leakCases, leakObserver } from './leaks.ts'
import { madeUpKey, madeUpWord } from '../requests/fake.ts'

interface Failure {
  readonly slug: string
  readonly title: string
  request(t: CaseContext): RequestSpec
}

/** Failures that every service can be brought to. */
const failures: readonly Failure[] = [
  {
    slug: 'bad-json',
    title: 'a body that is no JSON',
    request: () => ({ path: CHAT_PATH, body: '{"model":' }),
  },
  {
    slug: 'missing-messages',
    title: 'a body without messages',
    request: ({ target }) => ({ path: CHAT_PATH, body: JSON.stringify({ model: target.model }) }),
  },
  {
    slug: 'no-key',
    title: 'no key',
    request: () => ({ path: MODELS_PATH, authorization: null }),
  },
  {
    slug: 'wrong-key',
    title: 'a wrong key',
    request: ({ seed }) => ({ path: MODELS_PATH, authorization: `Bearer ${madeUpKey(seed, 'wrong key')}` }),
  },
  {
    slug: 'unknown-model',
    title: 'an unknown model',
    request: ({ seed }) => chatRequest(madeUpWord(seed, 'unknown model')),
  },
]

/** Sends a request that must fail; where it does not, that is for another row to judge. */
async function fail(t: CaseContext, request: RequestSpec): Promise<Exchange> {
  const exchange = await t.send(request)
  const { status } = exchange.response
  if (status < 400 && !saysError(exchange)) t.notApplicable(`the request did not fail: status ${status}`)
  return exchange
}

/** Leaves an answer without the envelope to ERR-1. */
function requireEnvelope(t: CaseContext, exchange: Exchange, member: 'type' | 'message'): void {
  if (typeof at(json(exchange), 'error', member) !== 'string')
    t.notApplicable(`the answer has no error.${member}: that is for ERR-1 to judge`)
}

const ofEachFailure: readonly Case[] = failures.flatMap(({ slug, title, request }) => [
  defineCase({
    id: `errors.envelope-${slug}`,
    requirement: 'ERR-1',
    title: `the envelope: ${title}`,
    run: async (t) => t.expect(await fail(t, request(t)), errorStatus, errorEnvelope()),
  }),
  defineCase({
    id: `errors.type-${slug}`,
    requirement: 'ERR-2',
    title: `the type of the status: ${title}`,
    async run(t) {
      const exchange = await fail(t, request(t))
      requireEnvelope(t, exchange, 'type')
      t.expect(exchange, typeOfStatus)
    },
  }),
  defineCase({
    id: `errors.message-${slug}`,
    requirement: 'ERR-3',
    title: `text for people: ${title}`,
    async run(t) {
      const exchange = await fail(t, request(t))
      requireEnvelope(t, exchange, 'message')
      t.expect(exchange, messageForPeople)
    },
  }),
])

/** ERR-5: paths and methods that the specification does not know. Nothing that a model could be deleted by. */
const strays: readonly Failure[] = [
  {
    slug: 'unknown-path',
    title: 'GET of an unknown path',
    request: ({ seed }) => ({ path: `/v1/${madeUpWord(seed, 'path')}` }),
  },
  {
    slug: 'unknown-path-post',
    title: 'POST to an unknown path',
    request: ({ seed }) => ({ path: `/v1/${madeUpWord(seed, 'path')}`, body: '{}' }),
  },
  {
    slug: 'unknown-path-delete',
    title: 'DELETE of an unknown path',
    request: ({ seed }) => ({ method: 'DELETE', path: `/v1/${madeUpWord(seed, 'path')}` }),
  },
  {
    slug: 'unknown-path-below',
    title: 'an unknown path below a known one',
    request: ({ seed }) => ({ path: `${CHAT_PATH}/${madeUpWord(seed, 'path')}/x`, body: '{}' }),
  },
  { slug: 'get-chat', title: 'GET of the chat endpoint', request: () => ({ path: CHAT_PATH }) },
  {
    slug: 'put-chat',
    title: 'PUT to the chat endpoint',
    request: ({ target }) => ({ ...chatRequest(target.model), method: 'PUT' }),
  },
  {
    slug: 'delete-chat',
    title: 'DELETE of the chat endpoint',
    request: () => ({ method: 'DELETE', path: CHAT_PATH }),
  },
  {
    slug: 'post-models',
    title: 'POST to the model list',
    request: () => ({ path: MODELS_PATH, body: '{}' }),
  },
  {
    slug: 'patch-models',
    title: 'PATCH of the model list',
    request: () => ({ method: 'PATCH', path: MODELS_PATH, body: '{}' }),
  },
]

const stray: readonly Case[] = strays.flatMap(({ slug, title, request }) => [
  defineCase({
    id: `errors.${slug}`,
    requirement: 'ERR-5',
    title,
    run: async (t) => t.expect(await t.send(request(t)), errorStatus, errorEnvelope(), typeOfStatus),
  }),
  defineCase({
    id: `errors.status-${slug}`,
    requirement: 'ERR-7',
    title: `a status of the table: ${title}`,
    run: async (t) => t.expect(await fail(t, request(t)), statusOfTable),
  }),
])

export const cases: readonly Case[] = [...ofEachFailure, ...leakCases, ...stray, ...fieldCases]

export const observers: readonly Observer[] = [
  defineObserver({
    id: 'errors.every-envelope',
    requirement: 'ERR-1',
    title: 'the envelope of every failed request',
    applies: (exchange) => failed(exchange) || saysError(exchange),
    verifiers: [errorStatus, errorEnvelope()],
  }),
  defineObserver({
    id: 'errors.every-type',
    requirement: 'ERR-2',
    title: 'the type of every failed request',
    applies: (exchange) => failed(exchange) && typeof at(json(exchange), 'error', 'type') === 'string',
    verifiers: [typeOfStatus],
  }),
  defineObserver({
    id: 'errors.every-message',
    requirement: 'ERR-3',
    title: 'the message of every failed request',
    applies: (exchange) => failed(exchange) && typeof at(json(exchange), 'error', 'message') === 'string',
    verifiers: [messageForPeople],
  }),
  leakObserver,
  defineObserver({
    id: 'errors.every-status',
    requirement: 'ERR-7',
    title: 'the status of every failed request',
    applies: ({ response }) => response.status >= 400,
    verifiers: [statusOfTable],
  }),
]
