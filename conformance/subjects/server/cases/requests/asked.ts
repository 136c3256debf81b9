// Reads a chat request from its bytes, so that any answer can be compared with its request.
import { memoizePer } from '../../../../../harness/memoize.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { isRecord, parseJson } from '../../../../../harness/verify/json-value.ts'
import { chatCompletionRequest } from '../../../../../spec/schemas/request.ts'
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

/** The `n` of a chat request if it is valid; WIRE-10 judges any other. */
export function validN(exchange: Exchange): number | undefined {
  const n = askedOf(exchange)?.['n']
  return typeof n === 'number' && Number.isInteger(n) && n >= 1 && n <= 128 ? n : undefined
}

export const choicesAsked = (exchange: Exchange): number => validN(exchange) ?? 1

/** Whether an exchange is a whole JSON answer of status 200 to a plain chat request. */
export function isCompletion(exchange: Exchange): boolean {
  const { status, end } = exchange.response
  return (
    status === 200 &&
    end === 'complete' &&
    askedOf(exchange) !== undefined &&
    askedOf(exchange)?.['stream'] !== true &&
    isRecord(json(exchange))
  )
}

/** Whether an exchange is an answer of status 200 to a streamed chat request, whole or cut. */
export function isStreamed(exchange: Exchange): boolean {
  return exchange.response.status === 200 && askedOf(exchange)?.['stream'] === true
}
