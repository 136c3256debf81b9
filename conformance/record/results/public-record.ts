// The files of the public record: `results/CATALOGUE/KIND/NAME/` has `VERSION-PROFILE.json` for each entry and `causes.json`.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ZodTypeAny, z } from 'zod'
import { readGivenJson } from '../../../harness/bounds/read-file.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type Entry, entrySchema, implementationSchema, kinds } from './result-entry.ts'

export const RECORD = fileURLToPath(new URL('../../../results', import.meta.url))

export const CAUSES = 'causes.json'

/** One implementation, with all of its entries of one catalogue: the newest version first. */
export type Recorded = ReturnType<typeof readFolder>

/** The key of an entry in `causes.json`, and the name of its file without its ending. */
export const entryKey = ({ version, profile }: Pick<Entry, 'version' | 'profile'>): string =>
  `${version}-${profile}`

/** The name of the file of its bundle, beside it. */
export const bundleName = (entry: Pick<Entry, 'version' | 'profile'>): string => `${entryKey(entry)}.zip`

export function folderOf({ catalogue, kind, name }: Pick<Entry, 'catalogue' | 'kind' | 'name'>): string {
  return join(catalogue, kind, name)
}

/** Reads the whole public record, in the order of catalogue, kind and name. Throws if a file is not valid: `check` says why. */
export function readRecord(record = RECORD): readonly Recorded[] {
  return foldersIn(record)
    .filter((catalogue) => /^\d+$/.test(catalogue))
    .toSorted((a, b) => Number(a) - Number(b))
    .flatMap((catalogue) =>
      kinds.flatMap((kind) =>
        foldersIn(join(record, catalogue, kind)).map((name) => readFolder(record, { catalogue, kind, name })),
      ),
    )
}

/** Reads the files of one implementation, if it has any. Throws if one is not valid. */
export function findFolder(
  record: string,
  of: Pick<Entry, 'catalogue' | 'kind' | 'name'>,
): Recorded | undefined {
  return existsSync(join(record, folderOf(of), CAUSES)) ? readFolder(record, of) : undefined
}

function readFolder(record: string, of: Pick<Entry, 'catalogue' | 'kind' | 'name'>) {
  const folder = join(record, folderOf(of))
  const files = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== CAUSES)
  const entries = files.map((file) => readValid(join(folder, file), entrySchema))
  return {
    ...of,
    implementation: readValid(join(folder, CAUSES), implementationSchema),
    entries: entries.toSorted((a, b) => compareVersions(b.version, a.version)),
  }
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

const collator = new Intl.Collator('en', { numeric: true })

/** Compares two versions, the older first: by their leading numbers, then a pre-release before its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)]
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.stage - b.stage || collator.compare(a.rest, b.rest) || (one < other ? -1 : Number(one > other))
}

/** The leading numbers, and the rest: before (-1), at (0) or after (1) the release. */
function partsOf(version: string) {
  const [, leading = '', rest = ''] = /^[A-Za-z]*(\d+(?:\.\d+)*)?(.*)$/.exec(version) ?? []
  const numbers = leading === '' ? [] : leading.split('.').map(Number)
  if (rest === '') return { numbers, stage: 0, rest }
  return { numbers, stage: /^\+|^[._-]?(post|r|p)\d/.test(rest) ? 1 : -1, rest }
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isDirectory())
    .map(({ name }) => name)
    .toSorted()
}

/** The largest file of the record that is read without its check, in bytes. */
const MOST_BYTES = 1024 * 1024

/** Reads a file of the record. Throws `UsageError` if it is not valid. */
export function readValid<Schema extends ZodTypeAny>(file: string, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(readGivenJson(file, file, MOST_BYTES))
  if (parsed.success) return parsed.data
  throw new UsageError(`${file}: it is not valid; \`npm run results -- check\` says why`)
}
