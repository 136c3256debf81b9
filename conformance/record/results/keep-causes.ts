// The causes of a new entry: a failed check keeps the cause that it had before, as long as it fails in the same way.
import { failuresIn } from './outcomes.ts'
import type { Entry, Implementation } from './result-entry.ts'
import { compareVersions, entryKey } from './public-record.ts'

/** The name of a cause that is not found yet; `check` refuses it. */
export const NO_CAUSE = ''

export type KeptCauses = ReturnType<typeof keepCauses>

/**
 * Adds the failed checks of an entry to its implementation. A check keeps the cause that it had in this version, else in
 * the newest other version of the same profile, if it failed there with the same evidence; causes without an entry have
 * none to compare.
 */
export function keepCauses(implementation: Implementation, entry: Entry, others: readonly Entry[]) {
  const key = entryKey(entry)
  const before = keysBefore(implementation, entry).map((other) => ({
    causes: implementation.failed[other] ?? {},
    evidence: others.find((each) => entryKey(each) === other)?.evidence,
  }))
  const causeOf = (check: string): string => {
    const last = before.find(({ causes }) => (causes[check] ?? NO_CAUSE) !== NO_CAUSE)
    const isSame = last?.evidence === undefined || last.evidence[check] === entry.evidence?.[check]
    return (isSame ? last?.causes[check] : undefined) ?? NO_CAUSE
  }
  const failed = failuresIn(entry)
  const causes = Object.fromEntries(failed.map((id) => [id, causeOf(id)]))
  const all = Object.entries({ ...implementation.failed, [key]: causes })
  return {
    implementation: {
      ...implementation,
      failed: Object.fromEntries(all.toSorted(([a], [b]) => compareVersions(a, b))),
    },
    /** The failed checks without a cause, and those that kept one. */
    open: failed.filter((id) => causes[id] === NO_CAUSE),
    kept: failed.filter((id) => causes[id] !== NO_CAUSE),
  }
}

/** The versions of this profile that have causes: this one first, then the newest. */
function keysBefore({ failed }: Implementation, entry: Entry): readonly string[] {
  const key = entryKey(entry)
  const same = Object.keys(failed).filter((other) => other.endsWith(`-${entry.profile}`))
  return same.toSorted((a, b) => Number(b === key) - Number(a === key) || compareVersions(b, a))
}
