// What the end of a check means: its outcome, the reason, and the evidence that a report shows.
import type { Level, RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Outcome } from './case.ts'
import type { CaseTrace } from './context.ts'
import { type Exchange, type SentRequest, isCut } from '../../harness/http/exchange.ts'
import { CheckFailure, Inconclusive, NotApplicable, Refused, bounds, boundsEnd } from './outcomes.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { Mismatch } from '../../harness/verify/verify.ts'

/** How one check ended, with its evidence. */
export interface CheckResult {
  readonly id: string
  readonly requirement: RequirementId
  readonly level: Level
  readonly title: string
  readonly outcome: Outcome
  readonly mismatch?: Mismatch
  /** Why, on everything that is not a pass. */
  readonly reason?: string
  /** The environment variable that would let it be judged. */
  readonly variable?: string
  readonly durationMs: number
  /** Of a client: its attempts, in the order of their arrival. */
  readonly attempts?: readonly AttemptTime[]
  /** What it sent, and the tokens that the target counted for that. */
  readonly requests?: number
  readonly tokens?: number
  /** The latest exchanges; on a failure the evidence is the last one. */
  readonly exchanges: readonly Exchange[]
  /** The request that no answer came to. */
  readonly unanswered?: SentRequest
  /** Nobody was there to answer it at all. */
  readonly isSilence?: boolean
  /** The target refused to be asked: its limit, or the quota of the key. */
  readonly isRefused?: boolean
  /** The check whose exchange is the evidence of an observer. */
  readonly seenIn?: string
}

/** One attempt of a client, in milliseconds; null where nothing was answered, waited or due. */
export interface AttemptTime {
  /** From the first attempt to this one. */
  readonly atMs: number
  readonly status: number | null
  /** Between the last byte of the answer before and the arrival of this request. */
  readonly waitedMs: number | null
  /** The least that the retry rules ask for. */
  readonly dueMs: number | null
}

/** What a check's end decides of its result. */
export type Judged = Pick<CheckResult, 'outcome'> &
  Partial<
    Pick<
      CheckResult,
      'mismatch' | 'reason' | 'variable' | 'exchanges' | 'unanswered' | 'isSilence' | 'isRefused'
    >
  >

/** How a case ended: an empty object where it returned, else what it threw. */
export interface CaseEnd {
  readonly thrown?: unknown
}

export interface JudgeOptions {
  /** A SHOULD that does not hold fails. */
  readonly strict: boolean
  /** Capabilities whose refusal fails the rows that need them. */
  readonly require: readonly string[]
}

/** What the end of a case means for the requirement that it stands for. */
export function judgeEnd(
  ended: CaseEnd,
  trace: CaseTrace,
  { level, requirement: row }: Pick<CheckResult, 'level' | 'requirement'>,
  options: JudgeOptions,
): Judged {
  const { thrown } = ended
  const doesNotHold = (mismatch: Mismatch, more: Partial<Judged> = {}): Judged => ({
    ...notHolding(level, mismatch, options.strict),
    ...more,
  })
  if (!('thrown' in ended)) {
    if (trace.requests === 0) return { outcome: 'error', reason: 'the check sent no request' }
    if (trace.assertions === 0) return { outcome: 'error', reason: 'the check evaluated no assertion' }
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
    return doesNotHold(mismatch, {
      exchanges: [...trace.exchanges.filter((other) => other !== exchange), exchange],
    })
  }
  if (thrown instanceof TransportError) {
    const { request: unanswered, isSilence } = thrown
    if (bounds(row, thrown))
      return doesNotHold({ expected: 'an answer', actual: thrown.message }, { unanswered, isSilence })
    const reason = `no answer, also when asked again: ${thrown.message}`
    return { outcome: 'inconclusive', reason, unanswered, isSilence }
  }
  if (thrown instanceof NotApplicable) {
    const missing = options.require.filter((capability) => trace.refused.has(capability))
    if (missing.length === 0) return { outcome: 'not-applicable', reason: thrown.message }
    const expected = `${missing.join(', ')}, which --require names`
    return { outcome: 'fail', mismatch: { expected, actual: thrown.message }, reason: thrown.message }
  }
  if (thrown instanceof Inconclusive) {
    const variable = thrown.variable === undefined ? {} : { variable: thrown.variable }
    // The time of a case may end while it still waits for an answer.
    const isSilence = trace.isSilent && trace.exchanges.length === 0
    const isRefused = thrown instanceof Refused
    return { outcome: 'inconclusive', reason: thrown.message, ...variable, isSilence, isRefused }
  }
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { outcome: 'error', reason }
}

/** What it means that a row does not hold: nothing for a MAY, a warning for a SHOULD unless judged strictly. */
export function notHolding(level: Level, mismatch: Mismatch, strict: boolean): Judged {
  const reason = `expected ${mismatch.expected}, got ${mismatch.actual}`
  if (level === 'MAY') return { outcome: 'not-applicable', reason: `optional, and not so here: ${reason}` }
  return { outcome: level === 'SHOULD' && !strict ? 'warn' : 'fail', mismatch, reason }
}
