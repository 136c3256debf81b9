// The rows of clients that a recording shows: each check looks at the calls that were joined from its exchanges.
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import { type CheckEnd, type CheckResult, endOf, headOf, judgeEnd } from '../../../contract/result.ts'
import { NotApplicable } from '../../../contract/outcome.ts'
import { attemptsOf, exchangesOf } from '../evidence.ts'
import type { Check } from '../scenario.ts'
import { everywhere } from '../catalogue.ts'
import { atMostFive } from '../verify/course.ts'
import { notRetried } from '../verify/requests.ts'
import { positiveSeconds } from '../verify/retry-rule.ts'
import { firstWaits, replyHeader, waitsAreDue, waitsVary } from '../verify/waits.ts'
import type { RecordedCall } from './join-calls.ts'

/** A check of each call; `applies` says whether the call shows the row. */
interface CallCheck extends Pick<Check, 'id' | 'requirement' | 'title'> {
  applies(call: RecordedCall): boolean
  verify(call: RecordedCall): void
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

const isPositive = (value: string | undefined): boolean => positiveSeconds(value) !== undefined

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

const checks: readonly CallCheck[] = [
  ...requests,
  check('retry.every-other-status', 'RETRY-1', 'no retry of another status than 429, 500 and 503')
    .of((call) => ![0, 200, 400, 401, 404, 429, 500, 503].includes(statusOf(call)))
    .verify(notRetried),
  check('retry.every-refusal', 'RETRY-2', 'no retry of a 400, 401 or 404')
    .of((call) => [400, 401, 404].includes(statusOf(call)))
    .verify(notRetried),
  check('retry.every-retry-after', 'RETRY-3', 'the wait after every 429 with `Retry-After`')
    .of(waitsAfter((status, after) => status === 429 && isPositive(after)))
    .verify(waitsAreDue),
  check('retry.every-back-off', 'RETRY-4', 'the wait after every 500 and 503')
    .of(waitsAfter((status, after) => status === 500 || (status === 503 && after === undefined)))
    .verify(waitsAreDue),
  check(
    'retry.every-unreadable-retry-after',
    'RETRY-10',
    'the wait after every 429 without a readable `Retry-After`',
  )
    .of(waitsAfter((status, after) => status === 429 && !isPositive(after)))
    .verify(waitsAreDue),
  check('retry.every-call', 'RETRY-6', 'at most five attempts of every call')
    .of(isRetried)
    .verify(atMostFive),
]

/** Its waits can be compared with those of other calls: a wait that `Retry-After` names needs no jitter. */
const isComparable = (call: RecordedCall): boolean =>
  waitsAfter((status) => status === 429 || status >= 500)(call) &&
  call.attempts.slice(0, 1).every((first) => !isPositive(replyHeader(first, 'retry-after')))

/** The most calls whose waits are compared with each other. */
const MOST_COMPARED = 1000

const JITTER = {
  id: 'retry.every-jitter',
  requirement: 'RETRY-11',
  title: 'the first waits of all calls',
} as const

/** The checks, for lists and baselines. */
export const callChecks: readonly Pick<Check, 'id' | 'requirement' | 'title'>[] = [...checks, JITTER]

/** Judges calls one after the other. The first call that fails a check is its evidence. */
export function judgeCalls(matches: (check: Pick<Check, 'id' | 'requirement'>) => boolean, strict: boolean) {
  const findings: { readonly check: CallCheck; isUsed?: boolean; end?: CheckEnd; call?: RecordedCall }[] =
    checks.filter(matches).map((check) => ({ check }))
  const waits: number[] = []
  return {
    see(call: RecordedCall): void {
      if (isComparable(call) && waits.length < MOST_COMPARED) waits.push(...firstWaits(call))
      for (const finding of findings) {
        if (finding.end !== undefined || !finding.check.applies(call)) continue
        const end = endOf(() => finding.check.verify(call))
        if (!('thrown' in end)) finding.isUsed = true
        else if (!(end.thrown instanceof NotApplicable)) Object.assign(finding, { end, call })
      }
    },
    results(): readonly CheckResult[] {
      const each = findings.map(({ check, isUsed, end, call }): CheckResult => {
        const seen = isUsed ? {} : { thrown: new NotApplicable('the recording has no such call') }
        return resultOf(check, end ?? seen, call, strict)
      })
      return matches(JITTER)
        ? [
            ...each,
            resultOf(
              JITTER,
              endOf(() => waitsVary(waits)),
              undefined,
              strict,
            ),
          ]
        : each
    },
  }
}

function resultOf(
  check: Pick<Check, 'id' | 'requirement' | 'title'>,
  end: CheckEnd,
  call: RecordedCall | undefined,
  strict: boolean,
): CheckResult {
  const head = headOf(check)
  const evidence =
    call === undefined
      ? { exchanges: [] }
      : { exchanges: exchangesOf(call), attempts: attemptsOf(call), place: call.place }
  return { ...head, durationMs: 0, ...evidence, ...judgeEnd(end, head, { strict }) }
}
