// Versions of the catalogue, and dated sets of checks: a run can be pinned to either, so that a check that comes later never
// turns a gate red overnight. After a version, later checks are left out; after a set, they run and are not scored.
import { CATALOGUE_VERSION } from '../../spec/catalogue/requirements.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import set202612 from './sets/2026-12.json' with { type: 'json' }

/** The newest version. */
export const LATEST = Number(CATALOGUE_VERSION)

/** The checks of each subject that a set scores, by their ids. */
type ScoredChecks = Readonly<Record<'server' | 'client' | 'gateway', readonly string[]>>

/** The sets by their date. A published one is never edited. */
const SETS: Readonly<Record<string, ScoredChecks>> = { '2026-12': set202612 }

/** The checks of all sets. A check that is in none is new: a run that was recorded before it has no outcome of it. */
export const PUBLISHED: ReadonlySet<string> = new Set(
  Object.values(SETS).flatMap((set) => Object.values(set).flat()),
)

/** The dates of the sets. */
export const SET_DATES = Object.keys(SETS)

/** A version, or the newest one with the checks of a set. */
export interface PinnedCatalogue {
  /** Checks that came after it are left out. */
  readonly version: number
  /** The checks that decide the verdict; left out: all. */
  readonly set?: { readonly date: string; readonly scored: ReadonlySet<string> }
}

/** Reads a version or the date of a set; the default is the newest version. Throws `UsageError` for an unknown one. */
export function pinnedCatalogue(value: string | undefined, name: string): PinnedCatalogue {
  if (value === undefined) return { version: LATEST }
  const version = Number(value)
  if (/^[1-9]\d*$/.test(value) && version <= LATEST) return { version }
  const scored = Object.hasOwn(SETS, value) ? SETS[value] : undefined
  if (scored !== undefined)
    return { version: LATEST, set: { date: value, scored: new Set(Object.values(scored).flat()) } }
  const known = LATEST === 1 ? 'there is version 1' : `there are versions 1 to ${LATEST}`
  throw new UsageError(`${name}: no catalogue '${value}': ${known}, and the sets ${SET_DATES.join(', ')}`)
}
