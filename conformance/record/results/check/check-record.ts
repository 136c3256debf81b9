// Checks a record: every file as such, every entry by its content, and all entries together.
import { lstatSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import {
  type FileProblem,
  type Problem,
  checkCauses,
  checkEntry,
  checkImplementation,
  inFile,
  problem,
} from './check-entry.ts'
import { type Entry, type Implementation, entrySchema, implementationSchema } from '../entry.ts'
import { MAX_CAUSES_BYTES, MAX_ENTRY_BYTES, readRecordFile } from './read-file.ts'
import { CAUSES, entryKey, folderOf } from '../record.ts'

/** The files and folders beside the catalogues. */
const OTHERS = new Set(['README.md', 'recipes', '.installed'])

interface Found {
  readonly file: string
  readonly entry: Entry
}

/** Every problem of the record, in the order of its files, whose paths start in the folder of the record. */
export function checkRecord(record: string, now: Date): readonly FileProblem[] {
  const { files, problems: stray } = filesOf(record)
  const problems: FileProblem[] = [...stray]
  const entries: Found[] = []
  const implementations = new Map<string, Implementation>()
  for (const file of files) {
    const add = (own: readonly Problem[]): void => void problems.push(...inFile(file, own))
    if (file.endsWith(`/${CAUSES}`)) {
      const read = readRecordFile(join(record, file), implementationSchema, MAX_CAUSES_BYTES)
      if ('problems' in read) add(read.problems)
      else implementations.set(file.slice(0, -CAUSES.length - 1), read.value)
      continue
    }
    const read = readRecordFile(join(record, file), entrySchema, MAX_ENTRY_BYTES)
    if ('problems' in read) {
      add(read.problems)
      continue
    }
    const own = `${folderOf(read.value)}/${entryKey(read.value)}.json`.replaceAll(sep, '/')
    if (own !== file) {
      add([problem('file', `the entry of ${own}`, 'the entry that the path says')])
      continue
    }
    add(checkEntry(read.value, now))
    entries.push({ file, entry: read.value })
  }
  // Files that cannot be read have been reported: what depends on them is not reported again.
  for (const [folder, implementation] of implementations) {
    const keys = files
      .filter((file) => file.startsWith(`${folder}/`) && !file.endsWith(`/${CAUSES}`))
      .map((file) => file.slice(folder.length + 1, -'.json'.length))
    problems.push(...inFile(`${folder}/${CAUSES}`, checkImplementation(implementation, keys, now)))
  }
  for (const { file, entry } of entries) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    const causes = `${folder}/${CAUSES}`
    const implementation = implementations.get(folder)
    if (implementation !== undefined) problems.push(...inFile(causes, checkCauses(entry, implementation)))
    else if (!files.includes(causes))
      problems.push({ file: causes, ...problem('file', 'nothing', `the causes of ${file}`) })
  }
  problems.push(...duplicates(entries, files))
  return problems.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
}

/** Entries with one report, and paths that differ in their case alone. */
function duplicates(entries: readonly Found[], files: readonly string[]): readonly FileProblem[] {
  const reports = Map.groupBy(entries, ({ entry }) => entry.report).values()
  const paths = Map.groupBy(files, (file) => file.toLowerCase()).values()
  return [
    ...reports.flatMap(([first, ...others]) =>
      others.flatMap(({ file }) =>
        inFile(file, [problem('report', `the report of ${first?.file}`, 'a report of its own')]),
      ),
    ),
    ...paths.flatMap(([first, ...others]) =>
      others.flatMap((file) =>
        inFile(file, [problem('file', `the path of ${first} in another case`, 'a path of its own')]),
      ),
    ),
  ]
}

/** The files of a record, and those that have no place in it. Symbolic links are not followed. */
function filesOf(record: string) {
  const files: string[] = []
  const problems: FileProblem[] = []
  const visit = (folder: string, depth: number): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name)
      const file = relative(record, path).replaceAll(sep, '/')
      if (depth === 0 && OTHERS.has(name)) continue
      const add = (received: string, expected: string): void =>
        void problems.push({ file, ...problem('file', received, expected) })
      const status = lstatSync(path)
      const isExpected = depth === 3 ? name.endsWith('.json') : status.isDirectory()
      if (status.isSymbolicLink()) add('a symbolic link', 'a file or a folder')
      else if (!isExpected || (depth === 3 && !status.isFile())) {
        const received = status.isDirectory() ? 'a folder' : 'a file'
        add(received, 'CATALOGUE/KIND/NAME/VERSION-PROFILE.json or causes.json')
      } else if (depth === 3) files.push(file)
      else visit(path, depth + 1)
    }
  }
  visit(record, 0)
  return { files, problems }
}
