// What a case throws to end itself. The runner turns each of these into an outcome; anything else that is thrown is
// the suite's own fault.
import type { Exchange } from '../../harness/http/exchange.ts'
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
