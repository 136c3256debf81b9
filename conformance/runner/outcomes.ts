// What a case throws to end itself. The runner turns each of these into an outcome; anything else that is thrown is
// the suite's own fault.
import type { RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'
import type { Mismatch } from '../../harness/verify/verify.ts'

/** The requirement does not hold; `exchange` is the evidence. */
export class CheckFailure extends Error {
  readonly mismatch: Mismatch
  readonly exchange: Exchange | undefined

  constructor(mismatch: Mismatch, exchange?: Exchange) {
    super(`expected ${mismatch.expected}, got ${mismatch.actual}`)
    this.name = 'CheckFailure'
    this.mismatch = mismatch
    this.exchange = exchange
  }
}

/** The target does not offer what the row is about. */
export class NotApplicable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotApplicable'
  }
}

/** The row could not be judged; `variable` is the environment variable that would let it be judged. */
export class Inconclusive extends Error {
  readonly variable: string | undefined

  constructor(reason: string, variable?: string) {
    super(reason)
    this.name = 'Inconclusive'
    this.variable = variable
  }
}

/** The target kept refusing: its limit, or the quota of the key, left the row unjudged. */
export class Refused extends Inconclusive {}

// The rows that bound time and broken connections. A late answer or a broken connection says nothing about other rows.

/** Whether a row demands that no connection breaks. */
export function boundsConnection(row: RequirementId | undefined): boolean {
  return row === 'CHAT-9' || row === 'KEY-7'
}

/** Whether a row demands what this error took away: the answer itself, or an answer in time. */
export function bounds(row: RequirementId | undefined, { isLate }: TransportError): boolean {
  return isLate ? row === 'CHAT-9' : boundsConnection(row)
}

/** Whether a row demands that an answer comes to its end: a stream has an end of its own. */
export function boundsEnd(row: RequirementId): boolean {
  return boundsConnection(row) || row === 'STREAM-2'
}
