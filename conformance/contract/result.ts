// Turns the end of a check, of a server or of a client, into its result: the outcome, the reason and the evidence.
import { type Level, type RequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import type { CaseTrace } from '../subjects/server/run/context.ts'
import { type Exchange, type SentRequest, isCut } from '../../harness/http/exchange.ts'
import {
  CheckFailure,
  Inconclusive,
  NotApplicable,
  type Outcome,
  Refused,
  bounds,
  boundsEnd,
} from './outcome.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { Mismatch } from '../../harness/verify/verify.ts'
import type { ReportCheck } from './report.ts'

/** The data of a check that are known before it is run. */
export interface CheckHead {
  /** A stable slug, `section.what-is-tried`; the same for pass and fail. */
  readonly id: string
  readonly requirement: RequirementId
  readonly level: Level
  /** The attempt, in a few words. */
  readonly title: string
}

/** Returns the head of a check; its level is that of its row unless the check has a lower one. */
export function headOf(check: Omit<CheckHead, 'level'> & { readonly level?: Level | undefined }): CheckHead {
  const { id, requirement: row, title, level = requirement(row).level } = check
  return { id, requirement: row, level, title }
}

/** How one check ended, with its evidence. */
export interface CheckResult extends CheckHead {
  readonly outcome: Outcome
  readonly mismatch?: Mismatch
  /** The reason of every outcome but `pass`. */
  readonly reason?: string
  /** The environment variable that would allow it to be judged. */
  readonly variable?: string
  readonly durationMs: number
  /** The attempts of a client, in the order of their arrival. */
  readonly attempts?: readonly AttemptTime[]
  /** The number of requests sent, and the tokens that the target counted for them. */
  readonly requests?: number
  readonly tokens?: number
  /** The latest exchanges; on a failure the evidence is the last one. */
  readonly exchanges: readonly Exchange[]
  /** Both sides of an exchange that crossed a gateway, and the side at fault. */
  readonly hops?: readonly HopExchange[]
  readonly attribution?: Attribution
  readonly unanswered?: SentRequest
  /** The target did not answer at all. */
  readonly isSilence?: boolean
  /** The target refused the requests: a rate limit, or the quota of the key. */
  readonly isRefused?: boolean
  /** The check whose exchange is the evidence of an observer. */
  readonly observedIn?: string
  readonly place?: string
}

/** One side of an exchange that crossed a gateway. */
export interface HopExchange {
  readonly hop: 'client' | 'upstream'
  readonly request: SentRequest
  readonly exchange: Exchange | undefined
}

/** The side at fault for a check that failed through a gateway. */
export type Attribution = NonNullable<ReportCheck['attribution']>

export type AttemptTime = NonNullable<ReportCheck['attempts']>[number]

/** The members of a result that the end of a check decides. */
export type Judged = Pick<CheckResult, 'outcome'> &
  Partial<
    Pick<
      CheckResult,
      'mismatch' | 'reason' | 'variable' | 'exchanges' | 'unanswered' | 'isSilence' | 'isRefused'
    >
  >

/** How a check ended: an empty object if it returned, else what it threw. */
export interface CheckEnd {
  readonly thrown?: unknown
}

export function endOf(check: () => void): CheckEnd {
  try {
    check()
    return {}
  } catch (thrown) {
    return { thrown }
  }
}

export interface JudgeOptions {
  /** A SHOULD that does not hold fails. */
  readonly strict: boolean
  /** Capabilities whose refusal fails the rows that need them. */
  readonly require?: readonly string[]
}

/**
 * Turns the end of a check into its outcome. `trace` is what a case that sends requests left behind; observers and
 * checks of clients read exchanges that exist already, and have none.
 */
export function judgeEnd(
  ended: CheckEnd,
  {
    level,
    requirement: row,
    sendsNothing = false,
  }: Pick<CheckHead, 'level' | 'requirement'> & { readonly sendsNothing?: boolean | undefined },
  { strict, require = [] }: JudgeOptions,
  trace?: CaseTrace,
): Judged {
  const { thrown } = ended
  const doesNotHold = (mismatch: Mismatch, evidence: Partial<Judged> = {}): Judged => ({
    ...notHolding(level, mismatch, strict),
    ...evidence,
  })
  if (!('thrown' in ended)) {
    if (trace?.requests === 0 && !sendsNothing)
      return { outcome: 'error', reason: 'the check sent no request' }
    if (trace?.assertions === 0) return { outcome: 'error', reason: 'the check evaluated no assertion' }
    return { outcome: 'pass' }
  }
  if (thrown instanceof CheckFailure) {
    const { exchange, mismatch } = thrown
    if (exchange === undefined) return doesNotHold(mismatch)
    if (isCut(exchange) && !boundsEnd(row))
      return {
        outcome: 'inconclusive',
        reason: `the answer was cut (${exchange.response.end}), also when asked again`,
      }
    const others = trace?.exchanges.filter((other) => other !== exchange) ?? []
    return doesNotHold(mismatch, { exchanges: [...others, exchange] })
  }
  if (thrown instanceof TransportError) {
    const { request: unanswered, isSilence } = thrown
    if (bounds(row, thrown))
      return doesNotHold({ expected: 'an answer', actual: thrown.message }, { unanswered, isSilence })
    const reason = `no answer, also when asked again: ${thrown.message}`
    return { outcome: 'inconclusive', reason, unanswered, isSilence }
  }
  if (thrown instanceof NotApplicable) {
    const missing = require.filter((capability) => trace?.refused.has(capability))
    if (missing.length === 0) return { outcome: 'not-applicable', reason: thrown.message }
    const expected = `${missing.join(', ')}, which --require names`
    return { outcome: 'fail', mismatch: { expected, actual: thrown.message }, reason: thrown.message }
  }
  if (thrown instanceof Inconclusive) {
    const variable = thrown.variable === undefined ? {} : { variable: thrown.variable }
    // The time of a case may end while it still waits for an answer.
    const isSilence = trace?.isSilent === true && trace.exchanges.length === 0
    const isRefused = thrown instanceof Refused
    return { outcome: 'inconclusive', reason: thrown.message, ...variable, isSilence, isRefused }
  }
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { outcome: 'error', reason }
}

/** A row that does not hold: no effect for a MAY, a warning for a SHOULD unless `strict`. */
function notHolding(level: Level, mismatch: Mismatch, strict: boolean): Judged {
  const reason = `expected ${mismatch.expected}, got ${mismatch.actual}`
  if (level === 'MAY') return { outcome: 'not-applicable', reason: `optional, and not so here: ${reason}` }
  return { outcome: level === 'SHOULD' && !strict ? 'warn' : 'fail', mismatch, reason }
}

export function notRun(head: CheckHead, reason: string): CheckResult {
  return { ...head, outcome: 'inconclusive', reason, durationMs: 0, exchanges: [] }
}
