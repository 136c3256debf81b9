// Adds an entry to the public record: `VERSION-PROFILE.json`, and the places of its failed checks in `causes.json`.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, platform } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type FileProblem, checkEntry, inFile } from './check/check-entry.ts'
import { type Entry, type Implementation, entrySchema, implementationSchema } from './result-entry.ts'
import { type KeptCauses, keepCauses } from './keep-causes.ts'
import { type Added, type ReadReport, makeEntry } from './make-entry.ts'
import { parseStrictly } from './check/strict-json.ts'
import {
  CAUSES,
  type Recorded,
  bundleName,
  entryKey,
  findFolder,
  folderOf,
  jsonText,
} from './public-record.ts'

/** The texts about an implementation; a new one needs all of them. */
export type About = Partial<Pick<Implementation, 'title' | 'home' | 'description'>>

export interface AddOptions {
  readonly record: string
  readonly about: About
  readonly replace: boolean
  readonly now: Date
  /** The bundle that has the report: it is kept beside the entry. */
  readonly bundle?: Uint8Array | undefined
}

/** The written entry, or the problems for which it was not written, by file. */
export type Addition =
  | (KeptCauses & { readonly entry: Entry; readonly file: string; readonly causesFile: string })
  | { readonly problems: readonly FileProblem[] }

/** The machine of this process, which is assumed to be the one of the run. */
export const thisPlatform = (): Entry['platform'] => ({
  os: platform(),
  arch: arch(),
  cores: availableParallelism(),
  node: process.versions.node,
})

/**
 * Writes the entry and its causes. Throws `UsageError` if the report is not of a complete run, an entry of this version
 * exists and `replace` is not set, or a new implementation lacks its title.
 */
export function addEntry(report: ReadReport, added: Added, options: AddOptions): Addition {
  const { record, about, replace, now, bundle } = options
  const entry = makeEntry(report, added, bundle)
  const folder = join(record, folderOf(entry))
  const [file, causesFile] = [join(folder, `${entryKey(entry)}.json`), join(folder, CAUSES)]
  if (existsSync(file) && !replace) throw new UsageError(`${file} exists; --replace replaces it`)
  const before = findFolder(record, entry) ?? newFolder(about)
  const implementation = { ...before.implementation, ...about }
  const kept = keepCauses(implementation, entry, before.entries)
  const problems = [
    ...inFile(file, parseStrictly(jsonText(entry), entrySchema).problems),
    ...inFile(file, checkEntry(entry, now)),
    ...inFile(causesFile, parseStrictly(jsonText(kept.implementation), implementationSchema).problems),
  ]
  if (problems.length > 0) return { problems }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, jsonText(entry))
  const bundleFile = join(folder, bundleName(entry))
  if (bundle === undefined) rmSync(bundleFile, { force: true })
  else writeFileSync(bundleFile, bundle)
  writeFileSync(causesFile, jsonText(kept.implementation))
  return { ...kept, entry, file, causesFile }
}

function newFolder({ title, home, description }: About): Pick<Recorded, 'implementation' | 'entries'> {
  if (title === undefined || home === undefined || description === undefined)
    throw new UsageError('a new implementation: expected --title, --home and --description')
  return { implementation: { title, home, description, causes: {}, failed: {} }, entries: [] }
}
