// What a 429 says, and when it asks the client to come back.
import { type Exchange, header } from '../../../harness/http/exchange.ts'
import { type Verifier, refused } from '../../../harness/verify/verify.ts'
import { show } from '../../../harness/verify/json-value.ts'

/** Status, type and code of a request over the limit (LIMIT-1). */
export const refusalForm = refused(429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' })

/** The seconds that an answer asks to wait; undefined where it says no positive number. */
export function retryAfter(exchange: Exchange): number | undefined {
  const value = header(exchange, 'retry-after') ?? ''
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0
  return seconds > 0 ? seconds : undefined
}

/** LIMIT-2. */
export const positiveSeconds: Verifier = (exchange) => {
  if (retryAfter(exchange) !== undefined) return undefined
  return {
    expected: 'Retry-After, a positive number of seconds',
    actual: show(header(exchange, 'retry-after')),
  }
}

/** The request was over the limit. */
export function isRefused({ response }: Exchange): boolean {
  return response.status === 429
}
