// What a chat request asked for, read from its bytes: so that an answer can be held against it, whoever sent it.
import { memoizePer } from '../../../harness/memoize.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { isRecord, parseJson } from '../../../harness/verify/json-value.ts'
import { CHAT_PATH } from './endpoints.ts'

/** The JSON object in a chat request; undefined where it is another request, or none. */
export const askedOf = memoizePer(({ request }: Exchange): Readonly<Record<string, unknown>> | undefined => {
  if (request.method !== 'POST' || request.path !== CHAT_PATH) return undefined
  const body = parseJson(new TextDecoder().decode(request.body))
  return isRecord(body) ? body : undefined
})

/** The `n` of a chat request, where it is one that a service has to serve; WIRE-10 judges any other. */
export function validN(exchange: Exchange): number | undefined {
  const n = askedOf(exchange)?.['n']
  return typeof n === 'number' && Number.isInteger(n) && n >= 1 && n <= 128 ? n : undefined
}

/** A chat request asked for so many choices. */
export function choicesAsked(exchange: Exchange): number {
  return validN(exchange) ?? 1
}

/** The whole answer of 200 to a plain chat request, as JSON. */
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

/** An answer of 200 to a chat request that was to be streamed, as far as it came. */
export function isStreamed(exchange: Exchange): boolean {
  return exchange.response.status === 200 && askedOf(exchange)?.['stream'] === true
}
