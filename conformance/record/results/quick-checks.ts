// The public record as the measure of quick runs: which checks find what real servers break, and the rows that a quick run
// would miss on them.
import { readFileSync, readdirSync } from 'node:fs'
import { isFailure } from './outcomes.ts'
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import { type Entry, entrySchema } from './result-entry.ts'

const SERVERS = new URL(`../../../results/${CATALOGUE_VERSION}/server/`, import.meta.url)

/** The entries of servers other than the reference server, in profile `wire`. */
export function recordedServers(): readonly Entry[] {
  return readdirSync(SERVERS)
    .filter((name) => name !== 'touchstone')
    .flatMap((name) =>
      readdirSync(new URL(`${name}/`, SERVERS))
        .filter((file) => file.endsWith('-wire.json'))
        .map((file) =>
          entrySchema.parse(JSON.parse(readFileSync(new URL(`${name}/${file}`, SERVERS), 'utf8'))),
        ),
    )
}

/** The number of these servers on which a check failed or warned. */
export function failuresOf(id: string, entries: readonly Entry[]): number {
  return entries.filter(({ checks }) => isFailure(checks[id] ?? 'pass')).length
}

/** The rows of each server that break, and none of whose quick checks shows that. */
export function missedRows(
  entries: readonly Entry[],
  rowOf: (id: string) => string | undefined,
  isQuick: (id: string) => boolean,
): readonly string[] {
  return entries.flatMap(({ name, version, checks }) => {
    const failed = Object.keys(checks).filter((id) => isFailure(checks[id] ?? 'pass'))
    const broken = Map.groupBy(failed, rowOf)
    broken.delete(undefined)
    return [...broken].filter(([, ids]) => !ids.some(isQuick)).map(([row]) => `${name}@${version} ${row}`)
  })
}
