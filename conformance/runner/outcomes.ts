// What a case throws to end itself. The runner turns each of these into an outcome; anything else that is thrown is
// the suite's own fault.
import type { Exchange, SentRequest } from '../../harness/http/probe.ts'
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

/** No answer came: the connection broke or could not be made, time ran out, or what came was not HTTP. */
export class TransportError extends Error {
  readonly request: SentRequest
  /** Nobody was there at all: time ran out, or no connection could be made. */
  readonly isSilence: boolean

  constructor(
    reason: string,
    request: SentRequest,
    more: { readonly cause?: unknown; readonly isSilence?: boolean } = {},
  ) {
    super(reason, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'TransportError'
    this.request = request
    this.isSilence = more.isSilence ?? false
  }
}
