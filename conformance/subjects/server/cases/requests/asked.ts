// Reads a chat request from its bytes, so that any answer can be compared with its request.
import { memoizePer } from '../../../../../harness/memoize.ts'
import { type Exchange, header, json } from '../../../../../harness/http/exchange.ts'
import { exactJson } from '../../../../../harness/json-text.ts'
import { at, isRecord, listAt, parseJson } from '../../../../../harness/json-value.ts'
import { type StreamReading, readStream } from '../../../../../harness/http/event-stream.ts'
import { parseChatCompletionRequest } from '../../../../../spec/schemas/parse-request.ts'
import { chatCompletionRequest } from '../../../../../spec/schemas/request.ts'
import { readAnswer } from '../../../../exchanges/read-answer.ts'
import type { Observer } from '../../../../contract/observer.ts'
import { namesField } from '../../../../contract/capabilities.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import type { ZodError } from 'zod'
import { CHAT_PATH } from './endpoints.ts'

/** The JSON object in a chat request; undefined for any other request. */
export const askedOf = memoizePer(({ request }: Exchange): Readonly<Record<string, unknown>> | undefined => {
  if (request.method !== 'POST' || request.path !== CHAT_PATH) return undefined
  const body = parseJson(new TextDecoder().decode(request.body))
  return isRecord(body) ? body : undefined
})

/** The value of a chat request with exact numbers, as `exactJson` has them, for a request that has schemas. */
export const exactlyAsked = memoizePer((exchange: Exchange): unknown => {
  const asked = askedOf(exchange)
  return asked && (exactJson(new TextDecoder().decode(exchange.request.body)) ?? asked)
})

/** Whether a chat request is valid in all of its members: a service may do anything with another one. */
export const isValidRequest = memoizePer(
  (exchange: Exchange): boolean => 'request' in parseChatCompletionRequest(askedOf(exchange)),
)

/** Whether a chat request is valid but for members that the specification does not know, as vendors add them. */
export const isAnswerable = memoizePer((exchange: Exchange): boolean => {
  if (isValidRequest(exchange)) return true
  const read = chatCompletionRequest.safeParse(askedOf(exchange))
  return read.success || areUnknownMembers(read.error)
})

/**
 * An observer of the answers to valid requests alone: another row judges that an invalid one is accepted, and any answer to
 * it is right.
 */
export const ofValidRequests = (observer: Observer): Observer => ({
  ...observer,
  // Whether a request is valid costs most to find out.
  applies: (exchange) => observer.applies(exchange) && isAnswerable(exchange),
})

/** The request fits one form of the schema in each place, but for unknown members. */
function areUnknownMembers({ issues }: ZodError): boolean {
  return issues.every(
    (issue) =>
      issue.code === 'unrecognized_keys' ||
      (issue.code === 'invalid_union' && issue.unionErrors.some(areUnknownMembers)),
  )
}

/** The `n` of a chat request if it is valid; WIRE-10 judges any other. */
export function validN(exchange: Exchange): number | undefined {
  const n = askedOf(exchange)?.['n']
  return typeof n === 'number' && Number.isInteger(n) && n >= 1 && n <= 128 ? n : undefined
}

/** Whether a request demands a call. */
export function requiresCall(exchange: Exchange): boolean {
  const choice = askedOf(exchange)?.['tool_choice']
  return choice === 'required' || at(choice, 'type') === 'function'
}

export const choicesAsked = (exchange: Exchange): number => validN(exchange) ?? 1

/** Whether an exchange is a whole answer of status 200 to a plain chat request, whatever its body is. */
export function isPlain(exchange: Exchange): boolean {
  const { status, end } = exchange.response
  const asked = askedOf(exchange)
  return status === 200 && end === 'complete' && asked !== undefined && asked['stream'] !== true
}

/** Whether an exchange is such an answer, and a completion. */
export function isCompletion(exchange: Exchange): boolean {
  return isPlain(exchange) && readAnswer(exchange).kind === 'completion'
}

/** Whether an exchange is an answer of status 200 to a streamed chat request, whole or cut, whatever its body is. */
export function isToStream(exchange: Exchange): boolean {
  return exchange.response.status === 200 && askedOf(exchange)?.['stream'] === true
}

/** Whether an exchange is such an answer, and a stream. */
export function isStreamed(exchange: Exchange): boolean {
  return isToStream(exchange) && readAnswer(exchange).kind === 'stream'
}

/** The error that a stream carries (ERR-6): the first record that is one. */
export function failureOf(stream: StreamReading): unknown {
  const named = stream.events.find(({ event }) => event === 'error')
  return at(stream.errors[0], 'error') ?? named?.data
}

/** Whether an answer is a completion, or a stream that came to its end without an error. */
export function isWholeAnswer(exchange: Exchange): boolean {
  if (!isStreamed(exchange)) return isCompletion(exchange)
  const { end } = exchange.response
  return (end === 'complete' || end === 'left-open') && failureOf(readStream(exchange)) === undefined
}

/** Whether an answer is neither a completion nor a stream, although its request is valid. */
export function isUnreadable(exchange: Exchange): boolean {
  const isWhole = ['complete', 'left-open'].includes(exchange.response.end)
  const isDue = (isPlain(exchange) || isToStream(exchange)) && isWhole && isAnswerable(exchange)
  return isDue && readAnswer(exchange).kind === 'unreadable'
}

/** An answer that a valid request gets can be read. */
export const readable: Verifier = (exchange) => {
  if (!isUnreadable(exchange)) return undefined
  const answer = readAnswer(exchange)
  const expected = isToStream(exchange) ? 'an event stream with chunks' : 'a completion with choices'
  return answer.kind === 'unreadable' ? { expected, actual: answer.reason } : undefined
}

/** Whether an answer calls itself an event stream. */
export function isEventStream(exchange: Exchange): boolean {
  return /^text\/event-stream\s*(;|$)/i.test(header(exchange, 'content-type') ?? '')
}

/** Whether an answer must be read as a stream, whatever its content type; STREAM-1 judges that. */
export function readsAsStream(exchange: Exchange): boolean {
  return isEventStream(exchange) || (json(exchange) === undefined && readStream(exchange).chunks.length > 0)
}

/** The texts of all choices of an answer, plain or streamed. */
export function textsOf(exchange: Exchange): readonly string[] {
  const contents = readsAsStream(exchange)
    ? readStream(exchange).choices.map(({ content }) => content)
    : listAt(json(exchange), 'choices').map((choice) => at(choice, 'message', 'content'))
  return contents.filter((content) => typeof content === 'string')
}

/** The usage of an answer, plain or streamed; undefined or null if it has none. */
export function usageOf(exchange: Exchange): unknown {
  return readsAsStream(exchange) ? readStream(exchange).usage : at(json(exchange), 'usage')
}

/** The bound on the tokens of an answer; undefined without one, with two, or with one that no service has to take. */
export function boundOf(exchange: Exchange): number | undefined {
  const { max_tokens, max_completion_tokens } = askedOf(exchange) ?? {}
  const [bound, other] = [max_tokens, max_completion_tokens].filter((value) => (value ?? null) !== null)
  return other === undefined && typeof bound === 'number' && Number.isInteger(bound) && bound > 0
    ? bound
    : undefined
}

/**
 * Whether the bound of a request may have cut its answer, whatever finish reason it says (WIRE-7 judges that): as many tokens
 * came as it allows, or, if they are not counted, as many bytes, since no token has less than one.
 */
export function mayBeCut(exchange: Exchange): boolean {
  const counted = at(usageOf(exchange), 'completion_tokens')
  const most = typeof counted === 'number' ? counted : exchange.response.body.length
  return most >= (boundOf(exchange) ?? Infinity)
}

/** Whether a refusal names a field of its request, so that the combination is not offered. */
export function isRefusedByName(exchange: Exchange): boolean {
  if (exchange.response.status !== 400) return false
  const fields = Object.keys(askedOf(exchange) ?? {}).filter((name) => name !== 'model')
  return fields.some((name) => namesField(exchange, name))
}
