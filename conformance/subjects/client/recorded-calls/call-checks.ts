// The rows of clients that a recording shows: each check looks at the calls that were joined from its exchanges.
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import { type CheckEnd, type CheckResult, createResults, endOf } from '../../../contract/result.ts'
import type { Check, EvidenceCheck } from '../../../contract/check.ts'
import { NotApplicable } from '../../../contract/outcome.ts'
import { attemptsOf, exchangesOf } from '../scenario-evidence.ts'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'
import { everywhere } from '../catalogue.ts'
import { atMostFive } from '../verify/call-course.ts'
import { notRetried } from '../verify/request-rules.ts'
import { mustBeObeyed } from '../verify/due-wait.ts'
import { firstWaits, replyHeader, waitsAreDue, waitsVary } from '../verify/actual-waits.ts'
import { type RecordedCall, createCallJoiner } from './join-calls.ts'

/** A check of each call; `applies` says whether the call shows the row. */
interface CallCheck extends EvidenceCheck<[call: RecordedCall]> {
  applies(call: RecordedCall): boolean
}

/** Defines a check of the calls of a kind. */
function check(id: string, requirement: RequirementId, title: string) {
  return {
    of: (applies: CallCheck['applies']) => ({
      verify: (verify: CallCheck['verify']): CallCheck => ({ id, requirement, title, applies, verify }),
    }),
  }
}

const statusOf = ({ attempts }: RecordedCall): number => attempts[0]?.reply?.status ?? 0
const isRetried = ({ attempts }: RecordedCall): boolean => attempts.length > 1

/** A call whose waits follow answers that are all of one kind. */
const waitsAfter =
  (matches: (status: number, retryAfter: string | undefined) => boolean) =>
  (call: RecordedCall): boolean =>
    isRetried(call) &&
    call.attempts
      .slice(0, -1)
      .every((attempt) => matches(attempt.reply?.status ?? 0, replyHeader(attempt, 'retry-after')))

/** Checks of every scenario that need no program: its output is not recorded. */
const requests: readonly CallCheck[] = everywhere
  .filter(({ id }) => id !== 'call.key-in-output')
  .map(({ id, requirement, title, verify }) => ({
    id,
    requirement,
    title,
    applies: (call) => call.key !== '' || requirement !== 'CALL-2',
    verify: (call) => verify(call, () => call),
  }))

const ownChecks: readonly CallCheck[] = [
  check('retry.every-other-status', 'RETRY-1', 'no retry of another status than 429, 500 and 503')
    .of((call) => ![0, 200, 400, 401, 404, 429, 500, 503].includes(statusOf(call)))
    .verify(notRetried),
  check('retry.every-refusal', 'RETRY-2', 'no retry of a 400, 401 or 404')
    .of((call) => [400, 401, 404].includes(statusOf(call)))
    .verify(notRetried),
  check('retry.every-retry-after', 'RETRY-3', 'the wait after every 429 with `Retry-After`')
    .of(waitsAfter((status, after) => status === 429 && mustBeObeyed(after)))
    .verify(waitsAreDue),
  check('retry.every-back-off', 'RETRY-4', 'the wait after every 500 and 503')
    .of(waitsAfter((status, after) => status === 500 || (status === 503 && after === undefined)))
    .verify(waitsAreDue),
  check(
    'retry.every-unreadable-retry-after',
    'RETRY-10',
    'the wait after every 429 without a readable `Retry-After`',
  )
    .of(waitsAfter((status, after) => status === 429 && !mustBeObeyed(after)))
    .verify(waitsAreDue),
  check('retry.every-call', 'RETRY-6', 'at most five attempts of every call')
    .of(isRetried)
    .verify(atMostFive),
]

const checks: readonly CallCheck[] = [...requests, ...ownChecks]

/** Its waits can be compared with those of other calls: a wait that `Retry-After` may name needs no jitter. */
const isComparable = (call: RecordedCall): boolean =>
  waitsAfter((status) => status === 429 || status >= 500)(call) &&
  call.attempts.slice(0, 1).every((first) => replyHeader(first, 'retry-after') === undefined)

/** The most calls whose waits are compared with each other. */
const MOST_COMPARED = 1000

const JITTER = {
  id: 'retry.every-jitter',
  requirement: 'RETRY-11',
  title: 'the first waits of all calls',
} as const

/** The calls of a recording as evidence of a client. */
export const recordedCalls = {
  /** The checks of recorded calls alone, for lists. */
  own: [...ownChecks, JITTER] as readonly Check[],
  /** Every check, for baselines. */
  checks: [...checks, JITTER] as readonly Check[],
  /** Joins the exchanges of a recording to calls, and judges each call. The first call that fails a check is its evidence. */
  judge(matches: (check: Check) => boolean, strict: boolean) {
    const judged = checks.filter(matches)
    const results = createResults({ strict })
    const joiner = createCallJoiner()
    const waits: number[] = []

    function see(call: RecordedCall): void {
      if (isComparable(call) && waits.length < MOST_COMPARED) waits.push(...firstWaits(call))
      for (const check of judged) {
        if (results.hasFailed(check) || !check.applies(call)) continue
        const end = endOf(() => check.verify(call))
        if (!(end.thrown instanceof NotApplicable)) results.add(check, end, () => evidenceOf(end, call))
      }
    }
    return {
      /** Adds the next exchange, with its place in the recording. */
      add: (exchange: RecordedExchange, place: string): void => joiner.add(exchange, place).forEach(see),
      results(): readonly CheckResult[] {
        joiner.end().forEach(see)
        const thrown = new NotApplicable('the recording has no such call')
        if (matches(JITTER))
          results.add(
            JITTER,
            endOf(() => waitsVary(waits)),
          )
        return [...judged, JITTER].filter(matches).map((check) => results.of(check, { thrown }))
      },
    }
  },
}

function evidenceOf(end: CheckEnd, call: RecordedCall): Partial<CheckResult> {
  if (!('thrown' in end)) return {}
  return { exchanges: exchangesOf(call), attempts: attemptsOf(call), place: call.place }
}
