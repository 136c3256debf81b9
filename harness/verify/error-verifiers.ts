// Rules for every failed request (ERR-1, ERR-2, ERR-3, ERR-7).
import { errorTypes } from '../../spec/protocol/error.ts'
import { type Exchange, json } from '../http/exchange.ts'
import type { Verifier } from './verify.ts'
import { at, isRecord, show } from '../json-value.ts'

const typeOf = new Map<number, string>(Object.entries(errorTypes).map(([code, type]) => [Number(code), type]))

/** Returns whether the status is an error and the answer may have a body. */
export function failed({ request, response }: Exchange): boolean {
  return response.status >= 400 && request.method !== 'HEAD'
}

/** The status is 400 or above. */
export const errorStatus: Verifier = ({ response }) =>
  response.status >= 400 ? undefined : { expected: 'an error status', actual: `status ${response.status}` }

/** If the status is in the table, the type is that of the status (ERR-2). */
export const typeOfStatus: Verifier = (exchange) => {
  const due = typeOf.get(exchange.response.status)
  const type = at(json(exchange), 'error', 'type')
  if (due === undefined || type === due) return undefined
  return { expected: `error.type ${show(due)} with status ${exchange.response.status}`, actual: show(type) }
}

/** The message contains words and is not a printed object (ERR-3). */
export const messageForPeople: Verifier = (exchange) => {
  const message = at(json(exchange), 'error', 'message')
  const isText =
    typeof message === 'string' &&
    /\p{L}/u.test(message) &&
    !/^(\[object \w+\]|undefined|null)$/.test(message)
  return isText ? undefined : { expected: 'error.message, text for a person', actual: show(message) }
}

/** The status is one of the table (ERR-7). */
export const statusOfTable: Verifier = ({ response }) => {
  if (typeOf.has(response.status)) return undefined
  return { expected: `status ${[...typeOf.keys()].join(', ')}`, actual: `status ${response.status}` }
}

/** An answer that calls itself an error, whatever its status. */
export function saysError(exchange: Exchange): boolean {
  const body = json(exchange)
  return isRecord(at(body, 'error')) && at(body, 'choices') === undefined
}
