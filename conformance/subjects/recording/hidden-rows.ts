// The checks that stand for the rows that no recording shows, each with the reason.
import type { Check } from '../../contract/check.ts'
import { type RequirementId, requirement } from '../../../spec/catalogue/requirements.ts'

/** The checks that stand for rows of which none of these checks reads a recording. */
export function hiddenChecks(
  rows: readonly { readonly id: RequirementId }[],
  checks: readonly Pick<Check, 'requirement'>[],
): readonly (Check & { readonly reason: string })[] {
  const shown = new Set(checks.map((check) => check.requirement))
  return rows
    .filter(({ id }) => !shown.has(id))
    .map(({ id }) => ({
      id: `recorded.${id.toLowerCase()}`,
      requirement: id,
      title: 'not shown by a recording',
      reason:
        requirement(id).notRecorded ??
        'a recording does not show it: a request is needed that the judge chooses',
    }))
}
