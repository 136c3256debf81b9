// Compares the outcome of every check with the recorded one.
import type { Report } from '../contract/report.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { NotRecorded } from './replaying-transport.ts'

/** A check whose outcome is another one than the recorded. */
export interface Difference {
  readonly check: string
  readonly recorded: Outcome
  readonly now: Outcome
  readonly why: string
}

export interface Verification {
  readonly report: Report
  /** The number of checks with the recorded outcome. */
  readonly same: number
  readonly differences: readonly Difference[]
  /** Checks that send a request that is not in the bundle, with the first difference. */
  readonly notReplayable: readonly { readonly check: string; readonly why: string }[]
  /** Checks that this version has and the recorded run had not, and the other way round. */
  readonly notInBundle: readonly string[]
  readonly notInJudge: readonly string[]
  /** Checks that only the recorder could judge, because they need a second party. */
  readonly recorderOnly: readonly string[]
  /** Every recorded check has its outcome again. */
  readonly isConfirmed: boolean
}

/** A run that was judged again, and the requests that its bundle does not have. */
export interface Replayed {
  readonly report: Report
  readonly missing: readonly NotRecorded[]
}

/** Compares what was recorded with what is judged now. */
export function compared(recorded: Report, now: Report, missing: readonly NotRecorded[]): Verification {
  const before = new Map(recorded.checks.map((check) => [check.id, check]))
  const after = new Map(now.checks.map((check) => [check.id, check]))
  const missingOf = new Map(missing.toReversed().map(({ check, difference }) => [check, difference]))
  const both = recorded.checks.flatMap((check) => {
    const again = after.get(check.id)
    return again === undefined ? [] : [{ check, again }]
  })
  const isMissing = ({ check, again }: (typeof both)[number]): boolean =>
    missingOf.has(check.id) || again.reason?.startsWith('not in the bundle') === true
  const replayed = both.filter((one) => !isMissing(one))
  const differing = replayed.filter(({ check, again }) => check.outcome !== again.outcome)
  const notReplayable = both.filter(isMissing)
  const notInJudge = [...before.keys()].filter((id) => !after.has(id))
  return {
    report: now,
    isConfirmed: differing.length + notReplayable.length + notInJudge.length === 0,
    recorderOnly: [],
    same: replayed.length - differing.length,
    differences: differing.map(({ check, again }) => ({
      check: check.id,
      recorded: check.outcome,
      now: again.outcome,
      why: again.reason ?? `recorded: ${check.reason ?? 'no reason'}`,
    })),
    notReplayable: notReplayable.map(({ check, again }) => ({
      check: check.id,
      why: missingOf.get(check.id) ?? again.reason ?? '',
    })),
    notInBundle: [...after.keys()].filter((id) => !before.has(id)),
    notInJudge,
  }
}
