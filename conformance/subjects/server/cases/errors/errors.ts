// Errors: one envelope (ERR-1), one type per status (ERR-2), text for people (ERR-3) without secrets (ERR-4), on every
// path and method (ERR-5), the statuses of the table (ERR-7), the field at fault (ERR-8). Cases try each rule on
// failures of its own; an observer verifies it on every failure of the run.
import { type Case, type CaseContext, check, checkEach, type Variants } from '../../case.ts'
import { observe, type Observer } from '../../../../contract/observer.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { type Verifier, errorEnvelope } from '../../../../../harness/verify/verify.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { errorTypes } from '../../../../../spec/protocol/error.ts'
import { CHAT_PATH, chatRequest } from '../requests/endpoints.ts'
import { type RequestTable, failures, strays } from '../requests/failing.ts'
import {
  errorStatus,
  failed,
  messageForPeople,
  saysError,
  statusOfTable,
  typeOfStatus,
} from '../../../../../harness/verify/error-verifiers.ts'
import { leakCases, leakObservers } from './leaks.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { PROMPT, post, validBody } from '../requests/chat-calls.ts'

/** Sends a request that must fail; if it succeeds, another row judges that. */
async function fail(t: CaseContext, request: RequestSpec): Promise<Exchange> {
  const exchange = await t.send(request)
  const { status } = exchange.response
  if (status < 400 && !saysError(exchange)) t.notApplicable(`the request did not fail: status ${status}`)
  return exchange
}

/** Sends a request that fails, for rows about a member of the error; an answer without it is left to ERR-1. */
async function failWith(t: CaseContext, request: RequestSpec, member: 'type' | 'message'): Promise<Exchange> {
  const exchange = await fail(t, request)
  if (typeof at(json(exchange), 'error', member) !== 'string')
    t.notApplicable(`the answer has no error.${member}: that is for ERR-1 to judge`)
  return exchange
}

const ofEachFailure: readonly Case[] = Object.entries<RequestTable[string]>(failures).flatMap(
  ([slug, [title, request]]) => [
    check(`errors.envelope-${slug}`, 'ERR-1', `the envelope: ${title}`).run(async (t) =>
      t.expect(await fail(t, request(t)), errorStatus, errorEnvelope),
    ),
    check(`errors.type-${slug}`, 'ERR-2', `the type of the status: ${title}`).run(async (t) =>
      t.expect(await failWith(t, request(t), 'type'), typeOfStatus),
    ),
    check(`errors.message-${slug}`, 'ERR-3', `text for people: ${title}`).run(async (t) =>
      t.expect(await failWith(t, request(t), 'message'), messageForPeople),
    ),
  ],
)

/** Whether `GET /v1/chat/completions` is the list of stored completions, and no wrong method. */
function isStoredList(exchange: Exchange): boolean {
  const { request, response } = exchange
  const isList = Array.isArray(at(json(exchange), 'data'))
  return request.method === 'GET' && request.path === CHAT_PATH && response.status === 200 && isList
}

const ofEachStray: readonly Case[] = Object.entries<RequestTable[string]>(strays).flatMap(
  ([slug, [title, request]]) => [
    check(`errors.${slug}`, 'ERR-5', title).run(async (t) => {
      const exchange = await t.send(request(t))
      if (isStoredList(exchange)) t.notApplicable('the target lists stored completions, which WIRE-33 judges')
      t.expect(exchange, errorStatus, errorEnvelope, typeOfStatus)
    }),
    check(`errors.status-${slug}`, 'ERR-7', `a status of the table: ${title}`).run(async (t) =>
      t.expect(await fail(t, request(t)), statusOfTable),
    ),
  ],
)

const isListed = (status: number): boolean => status < 400 || Object.hasOwn(errorTypes, status)

function typeAt(exchange: Exchange): string | undefined {
  const type = at(json(exchange), 'error', 'type')
  return typeof type === 'string' ? type : undefined
}

/** Remembers the type of each status, and where it was seen first. */
function oneTypeForEachStatus(): Verifier {
  const seen = new Map<number, { readonly type: string; readonly request: string }>()
  return (exchange) => {
    const type = typeAt(exchange)
    const { status } = exchange.response
    if (type === undefined) return undefined
    const first = seen.get(status)
    if (first === undefined) {
      const { method, path } = exchange.request
      seen.set(status, { type, request: `${method} ${path}` })
    } else if (first.type !== type)
      return {
        expected: `the type ${show(first.type)} for every ${status}, as for ${first.request}`,
        actual: show(type),
      }
    return undefined
  }
}

/** Failures of the service itself, if the target takes fault requests as the reference server does. */
const requested: readonly Case[] = [500, 503].map((status) =>
  check(`errors.type-requested-${status}`, 'ERR-2', `the type of a ${status} by request`).run(async (t) => {
    const messages = [{ role: 'user', content: `#fault status=${status}` }]
    const request = { ...chatRequest(t.target.model, { messages }), obey: false }
    const exchange = await failWith(t, request, 'type')
    if (exchange.response.status !== status)
      t.notApplicable(`the status is ${exchange.response.status}, not the requested one`)
    t.expect(exchange, typeOfStatus)
  }),
)

/**
 * Invalid requests by slug. A refusal must state one of the names of the field at fault: `messages[0].role` may be
 * reported as `role` alone. `undefined` leaves a member out.
 */
const faults: Variants<[names: readonly string[], members: Members]> = {
  'missing-model': ['no model', ['model'], { model: undefined }],
  'missing-messages': ['no messages', ['messages'], { messages: undefined }],
  'messages-of-wrong-type': ['a string for messages', ['messages'], { messages: PROMPT }],
  'missing-role': ['a message without a role', ['role', 'messages'], { messages: [{ content: PROMPT }] }],
  'missing-content': ['a message without content', ['content', 'messages'], { messages: [{ role: 'user' }] }],
  'stream-of-wrong-type': ['a string for stream', ['stream'], { stream: 'maybe' }],
  'temperature-out-of-range': ['a temperature of 99', ['temperature'], { temperature: 99 }],
  'n-out-of-range': ['an n of 0', ['n'], { n: 0 }],
}

/** The field is named: in `param` as one step of a path, or in the message as a word of its own. */
function namesAtFault(fields: readonly string[]): Verifier {
  return (exchange) => {
    const error = at(json(exchange), 'error')
    const [param, message] = [at(error, 'param'), at(error, 'message')]
    const word = new RegExp(`(?<![A-Za-z0-9_])(?:${fields.join('|')})(?![A-Za-z0-9_])`)
    if ([param, message].some((text) => typeof text === 'string' && word.test(text))) return undefined
    return {
      expected: `${show(fields[0])} in error.param or error.message`,
      actual: `param ${show(param)}, message ${show(message)}`,
    }
  }
}

export const cases: readonly Case[] = [
  ...ofEachFailure,
  ...requested,
  ...leakCases,
  ...ofEachStray,
  ...checkEach('errors.field-*', 'ERR-8', 'the field at fault is named: *', faults).run(
    async (t, fields, members) => {
      const exchange = await post(t, { ...validBody(t), ...members })
      const { status } = exchange.response
      if (status !== 400) t.notApplicable(`the request was answered with ${status} and not with a 400`)
      t.expect(exchange, namesAtFault(fields))
    },
  ),
]

export const observers: readonly Observer[] = [
  observe('errors.every-envelope', 'ERR-1', 'the envelope of every failed request')
    .on((exchange) => failed(exchange) || saysError(exchange))
    .verify(errorStatus, errorEnvelope),
  observe('errors.every-type', 'ERR-2', 'the type of every failed request')
    .on((exchange) => failed(exchange) && typeof at(json(exchange), 'error', 'type') === 'string')
    .verify(typeOfStatus),
  observe('errors.every-unlisted-type', 'ERR-2', 'one type for each status outside the table')
    .on((exchange) => !isListed(exchange.response.status) && typeAt(exchange) !== undefined)
    .compare(oneTypeForEachStatus),
  observe('errors.every-message', 'ERR-3', 'the message of every failed request')
    .on((exchange) => failed(exchange) && typeof at(json(exchange), 'error', 'message') === 'string')
    .verify(messageForPeople),
  ...leakObservers,
  observe('errors.every-status', 'ERR-7', 'the status of every failed request')
    .with({ ofHead: true })
    .on(({ response }) => response.status >= 400)
    .verify(statusOfTable),
]
