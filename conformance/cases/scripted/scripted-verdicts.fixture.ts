// The verdicts of the judge's runner on a scripted service, for tests of cases.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Outcome } from '../../runner/outcomes.ts'
import type { CheckResult } from '../../runner/check-result.ts'

export interface Verdict {
  readonly id: string
  readonly requirement: RequirementId
  readonly outcome: Outcome
  readonly reason: string
}

export function verdictsOf(results: readonly CheckResult[]): readonly Verdict[] {
  return results.map(({ id, requirement, outcome, reason = '' }) => ({ id, requirement, outcome, reason }))
}

/** The verdicts that are not a pass, in the form `id: outcome`, for the messages of tests. */
export function notPassed(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.flatMap(({ id, outcome, reason }) =>
    outcome === 'pass' ? [] : [`${id}: ${outcome}, ${reason}`],
  )
}

/** The ids of the checks that found their row not to hold. */
export function failed(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
}

/** The rows that some check found not to hold, each once, in their order. */
export function redRows(verdicts: readonly Verdict[]): readonly RequirementId[] {
  const rows = verdicts.filter(({ outcome }) => outcome === 'fail').map(({ requirement }) => requirement)
  return [...new Set(rows)].toSorted()
}
