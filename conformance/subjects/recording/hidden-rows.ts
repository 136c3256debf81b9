// Rows that no recording shows, each with the reason.
import type { Check } from '../../contract/check.ts'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'

const REASONS: Readonly<Partial<Record<RequirementId, string>>> = {
  'CALL-4': 'a recording does not show what the program was asked to send',
  'CALL-5': 'attempts of a recording are recognised by their equal bodies',
  'RETRY-5': 'a recording does not show whether the program goes on',
  'RETRY-7': 'a recording does not show whether the program still waits',
  'RETRY-8': 'a recording does not show what the program would do with another message',
  'RETRY-9': 'a recording does not show which requests belong to one program',
}

/** The checks that stand for rows of which none of these checks reads a recording. */
export function hiddenChecks(
  rows: readonly { readonly id: RequirementId }[],
  checks: readonly Pick<Check, 'requirement'>[],
): readonly (Check & { readonly reason: string })[] {
  const shown = new Set(checks.map(({ requirement }) => requirement))
  return rows
    .filter(({ id }) => !shown.has(id))
    .map(({ id }) => ({
      id: `recorded.${id.toLowerCase()}`,
      requirement: id,
      title: 'not shown by a recording',
      reason: REASONS[id] ?? 'a recording does not show it: a request is needed that the judge chooses',
    }))
}
