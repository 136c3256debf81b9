// The entries that are stale: old, or followed by newer versions.
import { compareVersions } from '../results/record.ts'

/** A number of days after which an entry is stale. */
const STALE_DAYS = 365
/** The number of newer versions that make an entry stale. */
const STALE_VERSIONS = 2

/** The reason why an entry is stale, or undefined. `versions` are all judged versions of its implementation. */
export function staleReason(
  { version, date }: { readonly version: string; readonly date: string },
  versions: readonly string[],
  today: string,
): string | undefined {
  const newer = new Set(versions.filter((other) => compareVersions(other, version) > 0)).size
  if (newer >= STALE_VERSIONS) return `${newer} newer versions were judged`
  const days = (Date.parse(today) - Date.parse(date)) / 86_400_000
  return days > STALE_DAYS ? `judged more than a year before ${today}` : undefined
}
