// Checks the public record: every file as such, every entry by its content, and all entries together.
import { lstatSync, readdirSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import type { Entry } from '../result-entry.ts'
import { ENGINES, enginePath } from '../engine-entry.ts'
import { PAIRS, pairPath } from '../pair-entry.ts'
import { CAUSES, entryKey, folderOf } from '../public-record.ts'
import {
  type FileProblem,
  checkCauses,
  checkDate,
  checkEntry,
  checkImplementation,
  inFile,
  problem,
} from './check-entry.ts'
import { checkPair } from './check-pair.ts'
import { readEngine, readEntry, readImplementation, readPair } from './strict-json.ts'

/** The files and folders beside the catalogues. */
const OTHERS = new Set(['README.md', 'recipes', 'generators', '.installed'])

/** The entries that can be read, by file, and every problem, in the order of the files. Paths start in the folder `record`. */
export function checkPublicRecord(record: string, now: Date) {
  const { files, pairFiles, engineFiles, problems } = filesOf(record)
  const entries = new Map<string, Entry>()
  for (const [folder, own] of Map.groupBy(files, posix.dirname)) {
    const causesFile = `${folder}/${CAUSES}`
    const entryFiles = own.filter((file) => file !== causesFile && !file.endsWith('.zip'))
    const causes = own.includes(causesFile) ? readImplementation(join(record, causesFile)) : undefined
    const implementation = causes?.value
    problems.push(...inFile(causesFile, causes?.problems ?? []))
    if (implementation !== undefined) {
      const keys = entryFiles.map((file) => posix.basename(file, '.json'))
      problems.push(...inFile(causesFile, checkImplementation(implementation, keys, now)))
    }
    for (const file of entryFiles) {
      const { value: entry, problems: unreadable } = readEntry(join(record, file))
      problems.push(...inFile(file, unreadable))
      if (entry === undefined) continue
      const path = `${folderOf(entry)}/${entryKey(entry)}.json`.replaceAll(sep, '/')
      if (path !== file) {
        problems.push({ file, ...problem('file', `the entry of ${path}`, 'the entry that the path says') })
        continue
      }
      entries.set(file, entry)
      problems.push(...inFile(file, checkEntry(entry, now)))
      // A `causes.json` that cannot be read has been reported: what depends on it is not reported again.
      if (implementation !== undefined)
        problems.push(...inFile(causesFile, checkCauses(entry, implementation)))
      else if (causes === undefined)
        problems.push({ file: causesFile, ...problem('file', 'nothing', `the causes of ${file}`) })
    }
  }
  problems.push(...duplicates(entries, files), ...strayBundles(entries, files))
  problems.push(...checkPairs(record, pairFiles, now), ...checkEngines(record, engineFiles, now))
  return { entries, problems: problems.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)) }
}

function checkPairs(record: string, files: readonly string[], now: Date): readonly FileProblem[] {
  return files.flatMap((file) => {
    const { value: pair, problems } = readPair(join(record, file))
    if (pair === undefined) return inFile(file, problems)
    const path = pairPath(pair)
    return path === file
      ? inFile(file, checkPair(pair, now))
      : inFile(file, [problem('file', `the pair of ${path}`, 'the pair that the path says')])
  })
}

/** Each cause that a check names is written, and each that is written is named. */
function checkEngines(record: string, files: readonly string[], now: Date): readonly FileProblem[] {
  return files.flatMap((file) => {
    const { value: engine, problems } = readEngine(join(record, file))
    if (engine === undefined) return inFile(file, problems)
    const found = Object.values(engine.families).flatMap(({ checks }) => Object.values(checks))
    const named = new Set(found.flatMap(({ cause }) => cause ?? []))
    const written = new Set(Object.keys(engine.causes))
    return inFile(file, [
      ...(enginePath(engine) === file
        ? []
        : [problem('file', `the engine of ${enginePath(engine)}`, 'the engine that the path says')]),
      ...checkDate('date', engine.date, now),
      ...[...named.symmetricDifference(written)].map((cause) =>
        problem(`causes.${cause}`, 'one side alone', 'a cause that is written and named by a check'),
      ),
    ])
  })
}

/** Bundles that no entry names, and entries whose bundle is not there. */
function strayBundles(entries: ReadonlyMap<string, Entry>, files: readonly string[]): readonly FileProblem[] {
  const named = new Set(
    [...entries].flatMap(([file, { bundle }]) => (bundle === undefined ? [] : [zipOf(file)])),
  )
  const bundles = files.filter((file) => file.endsWith('.zip'))
  return [
    ...bundles
      .filter((file) => !named.has(file))
      .flatMap((file) =>
        inFile(file, [problem('file', 'the bundle of no entry', 'an entry beside it with its digest')]),
      ),
    ...[...named]
      .filter((file) => !bundles.includes(file))
      .flatMap((file) => inFile(file, [problem('file', 'nothing', 'the bundle whose digest the entry has')])),
  ]
}

/** The file of the bundle of an entry, by that of the entry. */
export const zipOf = (file: string): string => file.replace(/\.json$/, '.zip')

/** Entries with one report, and paths that differ in their case alone. */
function duplicates(entries: ReadonlyMap<string, Entry>, files: readonly string[]): readonly FileProblem[] {
  const reports = Map.groupBy(entries.keys(), (file) => entries.get(file)?.report).values()
  const paths = Map.groupBy(files, (file) => file.toLowerCase()).values()
  return [
    ...reports.flatMap(([first, ...others]) =>
      others.flatMap((file) =>
        inFile(file, [problem('report', `the report of ${first}`, 'a report of its own')]),
      ),
    ),
    ...paths.flatMap(([first, ...others]) =>
      others.flatMap((file) =>
        inFile(file, [problem('file', `the path of ${first} in another case`, 'a path of its own')]),
      ),
    ),
  ]
}

/** The files of the public record, and a problem for each that that has no place in it. Symbolic links are not followed. */
function filesOf(record: string) {
  const files: string[] = []
  const pairFiles: string[] = []
  const engineFiles: string[] = []
  const problems: FileProblem[] = []
  const visit = (folder: string, depth: number): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name)
      const file = relative(record, path).replaceAll(sep, '/')
      if (depth === 0 && OTHERS.has(name)) continue
      const add = (received: string, expected: string): void =>
        void problems.push({ file, ...problem('file', received, expected) })
      const status = lstatSync(path)
      const isPair = depth === 2 && file.split('/')[1] === PAIRS
      const isEngine = depth === 2 && file.split('/')[1] === ENGINES
      const isExpected =
        isPair || isEngine
          ? name.endsWith('.json') && status.isFile()
          : depth === 3
            ? /\.(?:json|zip)$/.test(name)
            : status.isDirectory()
      if (status.isSymbolicLink()) add('a symbolic link', 'a file or a folder')
      else if (!isExpected || (depth === 3 && !status.isFile())) {
        const received = status.isDirectory() ? 'a folder' : 'a file'
        add(
          received,
          isPair || isEngine
            ? `CATALOGUE/${isPair ? `${PAIRS}/CLIENT@SERVER` : `${ENGINES}/NAME`}.json`
            : 'CATALOGUE/KIND/NAME/VERSION-PROFILE.json or causes.json',
        )
      } else if (isPair) pairFiles.push(file)
      else if (isEngine) engineFiles.push(file)
      else if (depth === 3) files.push(file)
      else visit(path, depth + 1)
    }
  }
  visit(record, 0)
  return { files, pairFiles, engineFiles, problems }
}
