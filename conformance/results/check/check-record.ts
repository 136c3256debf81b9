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
  const readable = new Set<string>()
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
      add([{ place: 'file', received: `the entry of ${own}`, expected: 'the entry that the path says' }])
      continue
    }
    add(checkEntry(read.value, now))
    entries.push({ file, entry: read.value })
    readable.add(file)
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
      problems.push({ file: causes, place: 'file', received: 'nothing', expected: `the causes of ${file}` })
  }
  problems.push(...duplicates(entries, files))
  return problems.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
}

/** Entries with one report, and paths that differ in their case alone. */
function duplicates(entries: readonly Found[], files: readonly string[]): readonly FileProblem[] {
  const reports = new Map<string, string>()
  const paths = new Map<string, string>()
  const problems: FileProblem[] = []
  for (const { file, entry } of entries) {
    const other = reports.get(entry.report)
    if (other !== undefined)
      problems.push({
        file,
        place: 'report',
        received: `the report of ${other}`,
        expected: 'a report of its own',
      })
    else reports.set(entry.report, file)
  }
  for (const file of files) {
    const other = paths.get(file.toLowerCase())
    if (other !== undefined)
      problems.push({
        file,
        place: 'file',
        received: `the path of ${other} in another case`,
        expected: 'a path of its own',
      })
    else paths.set(file.toLowerCase(), file)
  }
  return problems
}

/** The files of a record, and those that have no place in it. Symbolic links are not followed. */
function filesOf(record: string): {
  readonly files: readonly string[]
  readonly problems: readonly FileProblem[]
} {
  const files: string[] = []
  const problems: FileProblem[] = []
  const visit = (folder: string, depth: number): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name)
      const file = relative(record, path).replaceAll(sep, '/')
      if (depth === 0 && OTHERS.has(name)) continue
      const status = lstatSync(path)
      const isExpected = depth === 3 ? name.endsWith('.json') : status.isDirectory()
      if (status.isSymbolicLink())
        problems.push({ file, place: 'file', received: 'a symbolic link', expected: 'a file or a folder' })
      else if (!isExpected || (depth === 3 && !status.isFile()))
        problems.push({
          file,
          place: 'file',
          received: status.isDirectory() ? 'a folder' : 'a file',
          expected: 'CATALOGUE/KIND/NAME/VERSION-PROFILE.json or causes.json',
        })
      else if (depth === 3) files.push(file)
      else visit(path, depth + 1)
    }
  }
  visit(record, 0)
  return { files, problems }
}
