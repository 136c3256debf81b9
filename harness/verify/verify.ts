// Verifiers: each compares an exchange with one thing that a row fixes, and returns the expected and the actual value.
// They read bytes and plain JSON, and share no code with the server.
import { at, show } from '../json-value.ts'
import type { TargetFacts } from '../target-facts.ts'
import { type Exchange, header, json, text } from '../http/exchange.ts'

/** The expected and the actual value, each as a short text for a reader. */
export interface Mismatch {
  readonly expected: string
  readonly actual: string
}

/** Verifies one expectation of an exchange; undefined if it holds. */
export type Verifier = (exchange: Exchange, target: TargetFacts) => Mismatch | undefined

/** A body as a report shows it: JSON or text, cut if it is long. */
export function showBody(exchange: Exchange): string {
  const { length } = exchange.response.body
  if (length === 0) return 'an empty body'
  const parsed = json(exchange)
  return parsed === undefined ? `${length} bytes: ${show(text(exchange) ?? 'not UTF-8')}` : show(parsed)
}

export function status(...codes: readonly number[]): Verifier {
  return (exchange) => {
    if (codes.includes(exchange.response.status)) return undefined
    return { expected: `status ${codes.join(' or ')}`, actual: showStatus(exchange, codes) }
  }
}

/** The status and the body of an answer with a wrong status. A refusal in place of a 400 is called a refusal. */
export function showStatus(exchange: Exchange, due: readonly number[]): string {
  const got = exchange.response.status
  const isRefused = due.includes(400) && got >= 400 && got < 500
  return `${isRefused ? 'refused, but with' : 'status'} ${got}, ${showBody(exchange)}`
}

/** The status is 200, the only status of a success (CHAT-7). */
export const statusOk: Verifier = status(200)

/** The type and code of a refusal; judged in profile `service` only. */
export interface Refusal {
  readonly type?: string
  /** One code, or several accepted ones. */
  readonly code?: string | readonly string[]
}

/**
 * The request is refused with one of these statuses. Profile `service` also judges the given type and code; profile
 * `wire` judges only that the body has an `error` object with a `message`.
 */
export function refused(statuses: number | readonly number[], refusal: Refusal = {}): Verifier {
  const codes = [refusal.code ?? []].flat()
  return (exchange, target) => {
    const wrongStatus = status(...[statuses].flat())(exchange, target)
    if (wrongStatus !== undefined) return wrongStatus
    // The answer to a HEAD request has no body (ERR-1).
    if (exchange.request.method === 'HEAD') return undefined
    const error = at(json(exchange), 'error')
    if (target.profile === 'wire') {
      if (typeof at(error, 'message') === 'string') return undefined
      return { expected: 'an error object with a message', actual: showBody(exchange) }
    }
    const type = at(error, 'type')
    if (refusal.type !== undefined && type !== refusal.type)
      return { expected: `error.type ${show(refusal.type)}`, actual: show(type) }
    const code = at(error, 'code')
    if (codes.length > 0 && !codes.some((allowed) => allowed === code))
      return { expected: `error.code ${codes.map(show).join(' or ')}`, actual: show(code) }
    return undefined
  }
}

export function contentType(pattern: RegExp): Verifier {
  return (exchange) => {
    const actual = header(exchange, 'content-type')
    if (actual !== undefined && pattern.test(actual)) return undefined
    return { expected: `content-type matching ${pattern}`, actual: show(actual) }
  }
}

/** The content type is `application/json`, with or without parameters (WIRE-5). */
export const jsonContentType: Verifier = contentType(/^application\/json\s*(;|$)/i)

/** Verifies one expectation of a parsed body. */
export type BodyPredicate = (body: unknown) => Mismatch | undefined

/** The body is JSON and fulfils these predicates, in order. */
export function jsonBody(...predicates: readonly BodyPredicate[]): Verifier {
  return (exchange) => {
    const body = json(exchange)
    if (body === undefined) return { expected: 'a JSON body', actual: showBody(exchange) }
    for (const predicate of predicates) {
      const mismatch = predicate(body)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
}

/** The member at a path, for example `error.code`, is as expected. */
export function bodyMember(path: string, expected: string, holds: (value: unknown) => boolean) {
  return (body: unknown) => {
    const value = at(body, ...path.split('.'))
    return holds(value) ? undefined : { expected: `${path}, ${expected}`, actual: show(value) }
  }
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** The expectation of `completeAnswer`. */
export const ANSWER_ENDS = 'an answer that ends'

/** The answer came to its end as HTTP frames it, and was not cut by the server or by a bound. */
export const completeAnswer: Verifier = (exchange) => {
  const { end, body, broken } = exchange.response
  if (end === 'complete' || end === 'left-open' || end === 'hung-up') return undefined
  const how = end === 'broken' ? 'the connection broke' : end === 'timeout' ? 'time ran out' : 'too much came'
  return {
    expected: ANSWER_ENDS,
    actual: `${how} after ${body.length} bytes${broken === undefined ? '' : `: ${broken}`}`,
  }
}

/** The body is an error envelope: `error` with `message`, `type` and `code`, all three strings (ERR-1). */
export const errorEnvelope: Verifier = jsonBody(
  ...['error.message', 'error.type', 'error.code'].map((path) => bodyMember(path, 'a string', isString)),
)
