// Verifiers of a 429 and of the wait that it requests.
import { type Exchange, header } from '../../../../../harness/http/exchange.ts'
import { type Verifier, refused } from '../../../../../harness/verify/verify.ts'
import type { RequestLimit } from '../../../../../harness/target-facts.ts'
import { show } from '../../../../../harness/json-value.ts'

/** Status, type and code of a request over the limit (LIMIT-1). */
export const refusalForm = refused(429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' })

/** The seconds of Retry-After; undefined if it is not a positive number. */
export function retryAfter(exchange: Exchange): number | undefined {
  const value = header(exchange, 'retry-after') ?? ''
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0
  return seconds > 0 ? seconds : undefined
}

/**
 * The wait that an answer requests in seconds, including zero or a date (LIMIT-3); undefined if it requests neither.
 */
export function askedWait(
  exchange: Exchange,
  nowMs: number = exchange.startedAtMs ?? Date.now(),
): number | undefined {
  const value = header(exchange, 'retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  const date = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - nowMs) / 1000)
}

/** LIMIT-2: the header is present. LIMIT-7 judges its value. */
export const hasRetryAfter: Verifier = (exchange) => {
  const value = header(exchange, 'retry-after') ?? ''
  return value === '' ? { expected: 'a Retry-After header', actual: show(value) } : undefined
}

/** LIMIT-7. */
export const positiveSeconds: Verifier = (exchange) => {
  if (retryAfter(exchange) !== undefined) return undefined
  return {
    expected: 'Retry-After, a positive number of seconds',
    actual: show(header(exchange, 'retry-after')),
  }
}

export const isRefused = ({ response }: Exchange): boolean => response.status === 429

export function reportedRequests(exchange: Exchange): string | undefined {
  const value = header(exchange, 'x-ratelimit-limit-requests') ?? ''
  return /^[1-9]\d{0,8}$/.test(value) ? value : undefined
}

/**
 * The reason why a key that was made with a limit, and does not show it, judges nothing: the service may not know the
 * limit.
 */
export function limitIgnored(limit: RequestLimit | undefined): string {
  const asked = limit === undefined ? '' : ` ${limit.requests}/${limit.windowSeconds}`
  return `the key command ignores --limit${asked}, or the service does not say that the key has it`
}
