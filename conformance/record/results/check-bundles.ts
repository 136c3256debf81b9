// Judges the bundles of entries again: what an entry says is what its bundle says and what this judge confirms.
import { join } from 'node:path'
import { FileError, readBounded } from '../../../harness/bounds/read-file.ts'
import { type VerifiedFile, verifyRuns } from '../../verify-runs.ts'
import { checkReport, digestOf, readReport } from './make-entry.ts'
import type { Entry } from './result-entry.ts'
import { type FileProblem, inFile, problem } from './check/check-entry.ts'
import { zipOf } from './check/check-public-record.ts'

/** The largest bundle beside an entry, in bytes. */
export const MOST_BUNDLE_BYTES = 3_000_000

/** The problems of the bundles of these entries, by file. Paths start in the folder `record`. */
export async function checkBundles(
  record: string,
  entries: ReadonlyMap<string, Entry>,
): Promise<readonly FileProblem[]> {
  const problems: FileProblem[] = []
  const whole = new Map<string, readonly [file: string, entry: Entry]>()
  for (const [file, entry] of entries) {
    if (entry.bundle === undefined) continue
    const [bundle, path] = [zipOf(file), join(record, zipOf(file))]
    const found = checkBytes(path, entry.bundle)
    problems.push(...inFile(bundle, found))
    if (found.length === 0) whole.set(path, [bundle, entry])
  }
  for await (const verified of verifyRuns([...whole.keys()])) {
    const [bundle, entry] = whole.get(verified.file) ?? []
    if (bundle !== undefined && entry !== undefined)
      problems.push(...inFile(bundle, problemsOf(verified, entry)))
  }
  return problems
}

function checkBytes(path: string, expected: string) {
  try {
    const digest = digestOf(readBounded(path, MOST_BUNDLE_BYTES))
    return digest === expected ? [] : [problem('bundle', digest, `${expected}, as the entry says`)]
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return [problem('bundle', error.message, `a file of at most ${MOST_BUNDLE_BYTES} bytes`)]
  }
}

function problemsOf(verified: VerifiedFile, entry: Entry) {
  if ('problem' in verified) return [problem('bundle', verified.problem, 'a bundle that is whole')]
  const { bundle, differences } = verified.run
  return [
    ...checkReport(entry, readReport(bundle.reportBytes, verified.file)),
    ...differences.map(({ check, recorded, now, why }) =>
      problem(`checks.${check}`, `${now} (${why})`, `${recorded}, as recorded`),
    ),
  ]
}
