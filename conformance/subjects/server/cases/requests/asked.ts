// Reads a chat request from its bytes, so that any answer can be compared with its request.
import { memoizePer } from '../../../../../harness/memoize.ts'
import { type Exchange, header, json } from '../../../../../harness/http/exchange.ts'
import { at, isRecord, listAt, parseJson } from '../../../../../harness/json-value.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { chatCompletionRequest } from '../../../../../spec/schemas/request.ts'
import { readAnswer } from '../../../../exchanges/read-answer.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import type { ZodError } from 'zod'
import { CHAT_PATH } from './endpoints.ts'

/** The JSON object in a chat request; undefined for any other request. */
export const askedOf = memoizePer(({ request }: Exchange): Readonly<Record<string, unknown>> | undefined => {
  if (request.method !== 'POST' || request.path !== CHAT_PATH) return undefined
  const body = parseJson(new TextDecoder().decode(request.body))
  return isRecord(body) ? body : undefined
})

/** Whether a chat request is valid in all of its members: a service may do anything with another one. */
export const isValidRequest = memoizePer(
  (exchange: Exchange): boolean => chatCompletionRequest.safeParse(askedOf(exchange)).success,
)

/** Whether a chat request is valid but for members that the specification does not know, as vendors add them. */
export const isAnswerable = memoizePer((exchange: Exchange): boolean => {
  const read = chatCompletionRequest.safeParse(askedOf(exchange))
  return read.success || areUnknownMembers(read.error)
})

/** In each place where the request differs from the schema, one of the forms of the schema has only unknown members. */
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

/** Whether an answer is a completion, or a stream that came to its end. */
export function isWholeAnswer(exchange: Exchange): boolean {
  const { end } = exchange.response
  return isCompletion(exchange) || (isStreamed(exchange) && (end === 'complete' || end === 'left-open'))
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
