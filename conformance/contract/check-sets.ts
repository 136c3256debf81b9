// Dated sets of checks: a run can be pinned to one, so that a check that comes later never turns a gate red overnight. The
// checks that came after a set run, and are not scored.
import { UsageError } from '../../harness/cli/usage-error.ts'
import set202612 from './sets/2026-12.json' with { type: 'json' }

/** The checks of each subject that a set scores, by their ids. */
type ScoredChecks = Readonly<Record<'server' | 'client' | 'gateway', readonly string[]>>

/** The sets by their date. A published one is never edited. */
const SETS: Readonly<Record<string, ScoredChecks>> = { '2026-12': set202612 }

/** The dates of the sets. */
export const SET_DATES = Object.keys(SETS)

/** A dated set, and the checks that decide the verdict of a run that is pinned to it. */
export interface CheckSet {
  readonly date: string
  readonly scored: ReadonlySet<string>
}

/** The checks of all sets. A check that is in none is new: a run that was recorded before it has no outcome of it. */
export const PUBLISHED: ReadonlySet<string> = new Set(SET_DATES.flatMap((date) => [...scoredIn(date)]))

/** Returns the set of a date; undefined without one: then all checks decide. Throws `UsageError` for an unknown date. */
export function checkSet(date: string | undefined, name: string): CheckSet | undefined {
  if (date === undefined) return undefined
  if (SET_DATES.includes(date)) return { date, scored: scoredIn(date) }
  throw new UsageError(`${name}: no set of checks '${date}': expected ${SET_DATES.join(', ')}`)
}

function scoredIn(date: string): ReadonlySet<string> {
  return new Set(Object.values(SETS[date] ?? {}).flat())
}
