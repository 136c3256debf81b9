// Turns the end of a check, whatever it judges, into its result: the outcome, the reason and the evidence.
import type { Level } from '../../spec/catalogue/section.ts'
import { type Check, type CheckHead, headOf } from './check.ts'
import { type Exchange, type SentRequest, isCut, shortened } from '../../harness/http/exchange.ts'
import {
  CheckFailure,
  Inconclusive,
  NotApplicable,
  OUTCOMES,
  type Outcome,
  bounds,
  boundsEnd,
} from './outcome.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { ANSWER_ENDS, type Mismatch } from '../../harness/verify/verify.ts'
import type { ReportCheck } from './report.ts'

/** The most that is kept of one answer, in bytes: twice what a report shows of it, so that a secret is not cut in two. */
export const EVIDENCE_BYTES = 128 * 1024

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
  Partial<Pick<CheckResult, 'mismatch' | 'reason' | 'variable' | 'exchanges' | 'unanswered'>>

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

/** The requests and assertions of a case that acts. */
export interface CheckTrace {
  readonly requests: number
  readonly assertions: number
  /** The latest exchanges, oldest first. */
  readonly exchanges: readonly Exchange[]
  /** Capabilities that the case asked about and that the target refuses. */
  readonly refused: ReadonlySet<string>
}

/** The reason of checks that were not finished because the run was ended early. */
export const INTERRUPTED = 'interrupted'

export interface JudgeOptions {
  /** A SHOULD that does not hold fails. */
  readonly strict: boolean
  /** Capabilities whose refusal fails the rows that need them. */
  readonly require?: readonly string[]
  /** The profile whose levels apply; left out: `service`. */
  readonly profile?: Profile
}

/**
 * Turns the end of a check into its outcome. A check of evidence has no trace: it sends nothing.
 */
export function judgeEnd(
  ended: CheckEnd,
  {
    level,
    requirement: row,
    sendsNothing = false,
  }: Pick<CheckHead, 'level' | 'requirement'> & { readonly sendsNothing?: boolean | undefined },
  { strict, require = [] }: JudgeOptions,
  trace?: CheckTrace,
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
    const { end, broken = 'too much came' } = exchange.response
    // A bound of the judge is not a fault of the target, unless more came than the request allows.
    if (end === 'too-large' && (!boundsEnd(row) || mismatch.expected === ANSWER_ENDS))
      return { outcome: 'inconclusive', reason: `the answer was not read to its end: ${broken}` }
    if (isCut(exchange) && !boundsEnd(row))
      return {
        outcome: 'inconclusive',
        reason: `the answer was cut (${exchange.response.end}), also when asked again`,
      }
    const others = trace?.exchanges.filter((other) => other !== exchange) ?? []
    return doesNotHold(mismatch, { exchanges: [...others, exchange] })
  }
  if (thrown instanceof TransportError) {
    const { request: unanswered, received } = thrown
    const shown =
      received === undefined ? { unanswered } : { exchanges: [...(trace?.exchanges ?? []), received] }
    if (bounds(row, thrown)) return doesNotHold({ expected: 'an answer', actual: thrown.message }, shown)
    // The bytes that came are named: that is not silence.
    const kind = received === undefined ? 'no answer' : 'no answer that can be read'
    const reason = `${kind}, also when asked again: ${thrown.message}`
    return { outcome: 'inconclusive', reason, ...shown }
  }
  if (thrown instanceof NotApplicable) {
    const missing = require.filter((capability) => trace?.refused.has(capability))
    if (missing.length === 0) return { outcome: 'not-applicable', reason: thrown.message }
    const expected = `${missing.join(', ')}, which --require names`
    return { outcome: 'fail', mismatch: { expected, actual: thrown.message }, reason: thrown.message }
  }
  if (thrown instanceof Inconclusive) {
    const variable = thrown.variable === undefined ? {} : { variable: thrown.variable }
    return { outcome: 'inconclusive', reason: thrown.message, ...variable }
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

/** The result of a check that ended, and later threw an error that nothing caught: its earlier outcome no longer counts. */
export function withError(result: CheckResult, thrown: unknown): CheckResult {
  const { mismatch: _, variable: __, unanswered: ___, attribution: ____, ...rest } = result
  return { ...rest, ...judgeEnd({ thrown }, result, { strict: false }) }
}

export function notRun(head: CheckHead, reason: string): CheckResult {
  return { ...head, outcome: 'inconclusive', reason, durationMs: 0, exchanges: [] }
}

/** The result of a check that does not apply to the target, or to its answers. */
export function notApplicable({ id, requirement, title, level }: CheckHead, reason: string): CheckResult {
  return {
    id,
    requirement,
    level,
    title,
    outcome: 'not-applicable',
    reason,
    durationMs: 0,
    exchanges: [],
  }
}

/**
 * The results of checks of evidence. A check may be judged on several pieces of evidence: the worst end counts, and the
 * first of equally bad ones is the evidence. The level of the row does not change which end is worse, so a SHOULD that does
 * not hold outweighs one that could not be judged.
 */
export function createResults({ strict, profile }: Pick<JudgeOptions, 'strict' | 'profile'>) {
  const kept = new Map<string, { readonly rank: number; readonly result: CheckResult }>()
  const [FAILED, PASSED] = [OUTCOMES.indexOf('fail'), OUTCOMES.indexOf('pass')]
  const resultOf = (head: CheckHead, end: CheckEnd, evidence: Partial<CheckResult> = {}): CheckResult => {
    const result = { ...head, durationMs: 0, exchanges: [], ...evidence, ...judgeEnd(end, head, { strict }) }
    return { ...result, exchanges: result.exchanges.map((exchange) => shortened(exchange, EVIDENCE_BYTES)) }
  }
  return {
    /** Adds how a check ended on a piece of evidence, which is read only if it is kept. */
    add(check: Check, end: CheckEnd, evidence: () => Partial<CheckResult> = () => ({})): void {
      const known = kept.get(check.id)?.rank ?? Infinity
      if (!('thrown' in end) && known <= PASSED) return
      const head = headOf(check, profile)
      const rank = OUTCOMES.indexOf(judgeEnd(end, { ...head, level: 'MUST' }, { strict }).outcome)
      if (rank < known) kept.set(check.id, { rank, result: resultOf(head, end, evidence()) })
    },
    /** Returns whether a check has failed: more evidence changes nothing. */
    hasFailed: ({ id }: Check): boolean => (kept.get(id)?.rank ?? Infinity) <= FAILED,
    /** Returns the result of a check; `unseen` is its end if no evidence showed it. */
    of: (check: Check, unseen: CheckEnd): CheckResult =>
      kept.get(check.id)?.result ?? resultOf(headOf(check, profile), unseen),
  }
}
