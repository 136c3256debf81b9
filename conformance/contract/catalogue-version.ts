// Versions of the catalogue: a run can be pinned to one, so that a check that comes later never turns a gate red
// overnight.
import { CATALOGUE_VERSION } from '../../spec/catalogue/requirements.ts'
import type { Case, Observer } from '../subjects/server/case.ts'
import type { Catalogue } from '../subjects/server/selection.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

const newest = Number(CATALOGUE_VERSION)

/** Reads a version; the default is the newest. Throws `UsageError` for an unknown version. */
export function catalogueVersion(value: string | undefined, name: string): number {
  if (value === undefined) return newest
  const version = Number(value)
  if (/^[1-9]\d*$/.test(value) && version <= newest) return version
  const known = newest === 1 ? 'there is version 1 only' : `there are versions 1 to ${newest}`
  throw new UsageError(`${name}: no catalogue '${value}': ${known}`)
}

/** A catalogue as it was at a version, and the ids of what has come since. */
export function asOf(all: Catalogue, version: number) {
  const isNew = ({ since = 1 }: Case | Observer): boolean => since > version
  const newer = [...all.cases, ...all.observers].filter(isNew).map(({ id }) => id)
  const cases = all.cases.filter((check) => !isNew(check))
  const observers = all.observers.filter((check) => !isNew(check))
  return { catalogue: { cases, observers }, newer }
}
