// The differences between two entries of one catalogue and profile, check by check. Other entries are never compared.
import { isFailure } from '../results/outcomes.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { CHECKS } from '../results/check-index.ts'
import type { Judged } from './boards.ts'

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

/** The steps between the entries of an implementation on one board, which are given with the newest first. */
export function stepsOf(entries: readonly Judged[]) {
  return entries.slice(0, -1).flatMap((after, at) => {
    const before = entries[at + 1]
    return before === undefined ? [] : [{ before, after }]
  })
}

/** Returns whether a check broke, was fixed, or changed in another way. A warning is a SHOULD that fails. */
export function turnOf({ before, after }: Pick<Change, 'before' | 'after'>): Turn {
  const fails = (outcome: Outcome | undefined): boolean => outcome !== undefined && isFailure(outcome)
  if (before === 'pass' && fails(after)) return 'broke'
  return fails(before) && after === 'pass' ? 'fixed' : 'other'
}
