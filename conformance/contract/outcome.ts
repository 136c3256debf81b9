// The outcomes of a check, and the errors that end a check with one of them. The runner treats any other error as a fault
// of the suite.
import { type RequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'
import type { Mismatch } from '../../harness/verify/verify.ts'

/** Worst first. */
export const OUTCOMES = ['error', 'fail', 'inconclusive', 'warn', 'pass', 'not-applicable'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Returns the worst of these outcomes, or `not-applicable` for an empty list. */
export function worst(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'not-applicable'
}

/** The requirement does not hold; `exchange` is the evidence. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly mismatch: Mismatch
  readonly exchange: Exchange | undefined

  constructor(mismatch: Mismatch, exchange?: Exchange) {
    super(`expected ${mismatch.expected}, got ${mismatch.actual}`)
    this.mismatch = mismatch
    this.exchange = exchange
  }
}

/** Ends a check: the requirement does not hold. */
export function fail(expected: string, actual: string): never {
  throw new CheckFailure({ expected, actual })
}

/** The target does not offer the capability that the row is about. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** The row could not be judged; `variable` is the environment variable that would allow it. */
export class Inconclusive extends Error {
  readonly variable: string | undefined

  constructor(reason: string, variable?: string) {
    super(reason)
    this.name = 'Inconclusive'
    this.variable = variable
  }
}

/** The row was not judged because the target kept refusing: a rate limit, or the quota of the key. */
export class Refused extends Inconclusive {}

/** The row was not judged because the target stopped answering below HTTP. */
export class Unreachable extends Inconclusive {}

const isBrokenBy = (
  row: RequirementId | undefined,
  ...faults: ReturnType<typeof requirement>['brokenBy'] & {}
): boolean => row !== undefined && requirement(row).brokenBy?.some((fault) => faults.includes(fault)) === true

/** Returns whether a row requires that no connection breaks. */
export function boundsConnection(row: RequirementId | undefined): boolean {
  return isBrokenBy(row, 'connection')
}

/** Returns whether this error breaks the row: it requires an answer, an answer in time, or one that is HTTP. */
export function bounds(row: RequirementId | undefined, { isLate, received }: TransportError): boolean {
  // If the head came, it has a framing that HTTP does not allow.
  return isBrokenBy(
    row,
    'answer',
    isLate ? 'time' : 'connection',
    ...(received === undefined ? [] : ['framing' as const]),
  )
}

/**
 * Returns whether a row requires that an answer is complete. A stream has an end of its own, and its message one in HTTP; a
 * body that cannot be decoded has none.
 */
export function boundsEnd(row: RequirementId): boolean {
  return isBrokenBy(row, 'connection', 'end')
}
