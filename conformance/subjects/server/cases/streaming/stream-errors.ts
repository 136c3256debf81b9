// Refusals of streamed requests (STREAM-10), and errors of streams that have begun (ERR-6).
import { type Case, type CaseContext, check, checkEach, type Variants } from '../../case.ts'
import { observe, type Observer } from '../../../../contract/observer.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { type Verifier, showBody, status } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, parseJson, show } from '../../../../../harness/json-value.ts'
import { messagesOf, post, validBody } from '../requests/chat-calls.ts'
import { exhaustLimit } from '../requests/limited-key.ts'
import { fakeKey, fakeWord } from '../requests/failing.ts'

import { failureOf, isEventStream } from '../requests/asked.ts'

/** A plain JSON answer with an `error` object, not an event stream. */
export const plainError: Verifier = (exchange) => {
  if (isEventStream(exchange)) return { expected: 'a plain JSON answer', actual: 'an event stream' }
  if (isRecord(json(exchange))) return undefined
  return { expected: 'a plain JSON answer', actual: showBody(exchange) }
}

/** The statuses that a service can know before the first token. */
export const KNOWN_EARLY: ReadonlySet<number> = new Set([400, 401, 404, 429])

/** The members and the key of an invalid request, beside `stream`. */
type Invalid = { members?: object; authorization?: string | null }

const earlyErrors: Variants<[request: (t: CaseContext) => Invalid]> = {
  'error-400': ['no messages', () => ({ members: { messages: undefined } })],
  'error-401-without-key': ['no key', () => ({ authorization: null })],
  'error-401-wrong-key': [
    'an unknown key',
    (t) => ({ authorization: `Bearer ${fakeKey(t.seed, 'stream')}` }),
  ],
  'error-404': ['an unknown model', (t) => ({ members: { model: fakeWord(t.seed, 'stream') } })],
}

/** The request is refused plain, and streamed in the same way. */
async function refusedAlike(t: CaseContext, { members = {}, ...request }: Invalid): Promise<void> {
  const plain = await post(t, { ...validBody(t), ...members }, request)
  if (!KNOWN_EARLY.has(plain.response.status))
    t.notApplicable(`the plain request is answered with ${plain.response.status}`)
  const streamed = await post(t, { ...validBody(t), ...members, stream: true }, request)
  t.expect(streamed, status(plain.response.status), plainError)
}

/**
 * A stream that fails after its first deltas, if the target takes fault requests, as the reference server does. Another
 * model answers the prompt as any other.
 */
const requestedErrors: readonly Case[] = [
  check('stream.error-requested', 'ERR-6', 'a stream that fails by request').run(async (t) => {
    const request = {
      ...validBody(t),
      messages: messagesOf('#fault error=1\nSay: one two three.'),
      stream: true,
    }
    const exchange = await post(t, request)
    if (!hasError(exchange)) t.notApplicable('the target takes no fault requests')
    t.expect(exchange, errorEndsStream)
  }),
]

export const errorCases: readonly Case[] = [
  ...requestedErrors,
  ...checkEach('stream.*', 'STREAM-10', '*, with `stream: true`', earlyErrors).run((t, request) =>
    refusedAlike(t, request(t)),
  ),
  check('stream.error-429', 'STREAM-10', 'over the limit, with `stream: true`')
    .with({ exclusive: true })
    .run(async (t) => {
      const request = { model: t.target.model, messages: messagesOf('Hi.'), ...(await t.target.brief(1)) }
      const [refusal] = await exhaustLimit(t, async (key) => {
        const exchange = await post(
          t,
          { ...request, stream: true },
          { authorization: `Bearer ${key}`, obey: false },
        )
        return isOverLimit(exchange) ? exchange : undefined
      })
      if (refusal !== undefined) t.expect(refusal, status(429), plainError)
    }),
]

function isOverLimit(exchange: Exchange): boolean {
  const [error] = readStream(exchange).errors
  return exchange.response.status === 429 || at(error, 'error', 'type') === 'rate_limit_error'
}

/** The error of a stream is one record that holds the envelope, and the last one but a `[DONE]`. */
export const errorEndsStream: Verifier = (exchange, target) => {
  const { errors, events, doneCount } = readStream(exchange)
  const [error] = errors
  const members = target.profile === 'wire' ? ['message'] : ['message', 'type', 'code']
  const missing = members.find((member) => typeof at(error, 'error', member) !== 'string')
  if (missing !== undefined)
    return {
      expected: `a record {"error"} with ${missing}, a string`,
      actual: show(error ?? failureOf(readStream(exchange))),
    }
  const last = events.at(doneCount > 0 ? -2 : -1)?.data
  if (errors.length > 1 || last === undefined || at(parseJson(last), 'error') === undefined)
    return {
      expected: 'one error record, the last one',
      actual: `${errors.length} of them, at last ${show(last)}`,
    }
  return undefined
}

/** A stream that failed did not come to its end, which `[DONE]` marks. */
const noDoneAfterError: Verifier = (exchange) =>
  readStream(exchange).doneCount === 0
    ? undefined
    : { expected: 'an end without [DONE] after the error', actual: '[DONE]' }

function hasError(exchange: Exchange): boolean {
  return isEventStream(exchange) && failureOf(readStream(exchange)) !== undefined
}

/** An error after the stream has begun; STREAM-13 judges a stream that is an error from its first record. */
const failsMidway = (exchange: Exchange): boolean =>
  hasError(exchange) && readStream(exchange).chunks.length > 0

export const errorObservers: readonly Observer[] = [
  observe('stream.error-record', 'ERR-6', 'every stream that carried an error')
    .on(failsMidway)
    .verify(errorEndsStream),
  observe('stream.error-without-done', 'ERR-6', 'the end of every stream that carried an error')
    .with({ level: 'SHOULD' })
    .on(failsMidway)
    .verify(noDoneAfterError),
]
