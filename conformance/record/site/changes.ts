// The differences between two entries of one catalogue and profile, check by check. Other entries are never compared.
import { isFailure } from '../results/checks-of.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { CHECKS } from './check-index.ts'
import type { Judged } from './record.ts'

/** A check that has another outcome in the second entry; undefined if one of them does not have the check. */
export type Change = ReturnType<typeof changesBetween>[number]

/** The kinds of changes, in the order of a page. */
export const TURNS = ['broke', 'fixed', 'other'] as const
export type Turn = (typeof TURNS)[number]

/** The changed checks in reading order. Throws if the entries are of different catalogues, kinds or profiles. */
export function changesBetween(before: Judged, after: Judged) {
  if (before.board !== after.board)
    throw new Error(`${before.board} and ${after.board} must not be compared as one`)
  return [...CHECKS.values()].flatMap(({ id: check, requirement }) => {
    const [was, is] = [before.entry.checks[check], after.entry.checks[check]]
    return was === is ? [] : [{ check, requirement, before: was, after: is }]
  })
}

/** Whether a change is from pass to fail, from fail to pass, or another one. A warning is a SHOULD that fails. */
export function turnOf({ before, after }: Pick<Change, 'before' | 'after'>): Turn {
  const fails = (outcome: Outcome | undefined): boolean => outcome !== undefined && isFailure(outcome)
  if (before === 'pass' && fails(after)) return 'broke'
  return fails(before) && after === 'pass' ? 'fixed' : 'other'
}
