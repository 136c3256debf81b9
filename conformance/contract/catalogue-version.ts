// Versions of the catalogue: a run can be pinned to one, so that a check that comes later never turns a gate red
// overnight.
import { CATALOGUE_VERSION } from '../../spec/catalogue/requirements.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** The newest version. */
export const LATEST = Number(CATALOGUE_VERSION)

/** Reads a version; the default is the newest. Throws `UsageError` for an unknown version. */
export function catalogueVersion(value: string | undefined, name: string): number {
  if (value === undefined) return LATEST
  const version = Number(value)
  if (/^[1-9]\d*$/.test(value) && version <= LATEST) return version
  const known = LATEST === 1 ? 'there is version 1 only' : `there are versions 1 to ${LATEST}`
  throw new UsageError(`${name}: no catalogue '${value}': ${known}`)
}
