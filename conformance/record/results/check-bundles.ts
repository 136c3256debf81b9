// Judges the bundles of entries again: what an entry says is what its bundle says and what this judge confirms.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BundleError } from '../../bundle/bundle-file.ts'
import { verifyRun } from '../../run-conformance.ts'
import { checkReport, digestOf, readReport } from './make-entry.ts'
import type { Entry } from './result-entry.ts'
import { type FileProblem, problem } from './check/check-entry.ts'
import { zipOf } from './check/check-public-record.ts'

/** The largest bundle beside an entry, in bytes. */
export const MOST_BUNDLE_BYTES = 3_000_000

/** The problems of the bundles of these entries, by file. Paths start in the folder `record`. */
export async function checkBundles(
  record: string,
  entries: ReadonlyMap<string, Entry>,
): Promise<readonly FileProblem[]> {
  const problems: FileProblem[] = []
  for (const [file, entry] of entries) {
    if (entry.bundle === undefined) continue
    const bundle = zipOf(file)
    for (const found of await checkBundle(join(record, bundle), entry))
      problems.push({ file: bundle, ...found })
  }
  return problems
}

async function checkBundle(path: string, entry: Entry) {
  const bytes = readFileSync(path)
  const digest = digestOf(bytes)
  if (digest !== entry.bundle) return [problem('bundle', digest, `${entry.bundle}, as the entry says`)]
  if (bytes.length > MOST_BUNDLE_BYTES)
    return [problem('bundle', `${bytes.length} bytes`, `at most ${MOST_BUNDLE_BYTES} bytes`)]
  try {
    const { bundle, differences } = await verifyRun(path)
    return [
      ...checkReport(entry, readReport(bundle.reportBytes, path)),
      ...differences.map(({ check, recorded, now, why }) =>
        problem(`checks.${check}`, `${now} (${why})`, `${recorded}, as recorded`),
      ),
    ]
  } catch (error) {
    if (error instanceof BundleError) return [problem('bundle', error.message, 'a bundle that is whole')]
    throw error
  }
}
