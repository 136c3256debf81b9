// An entry with a bundle is what its bundle says and what this judge confirms; anything else is a problem.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readBundle, writeBundle } from '../../bundle/bundle-file.ts'
import type { RecordingLine } from '../../exchanges/recording-line.ts'
import { startServerWithKey } from '../../../harness/reference-server.fixture.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { runConformance } from '../../run-conformance.ts'
import { addEntry } from './add-entry.ts'
import { ABOUT, ADDED, temporaryRecord } from './complete-report.fixture.ts'
import { digestOf, readReport } from './make-entry.ts'
import { jsonText } from './public-record.ts'
import { checkBundles } from './check-bundles.ts'
import { checkPublicRecord } from './check/check-public-record.ts'

let bytes: Buffer
beforeAll(async () => {
  await using server = await startServerWithKey()
  const file = join(temporaryFolder(), 'run.zip')
  const credentials = { CONFORMANCE_API_KEY: server.key }
  await runConformance({ baseUrl: server.baseUrl, credentials, profile: 'wire', runs: 1, bundle: file })
  bytes = readFileSync(file)
}, 120_000)

/** Adds an entry with this bundle to a new record, and returns what is wrong with it after a change of its files. */
async function problemsOf(bundle: Buffer, change: (file: string) => void = () => {}) {
  using folder = temporaryRecord()
  const { record } = folder
  const now = new Date('2100-01-01T00:00:00Z')
  const report = readReport(readBundle(bundle).reportBytes, 'run.zip')
  const added = addEntry(report, ADDED, { record, about: ABOUT, replace: false, now, bundle })
  if ('problems' in added) throw new Error('a good report was refused')
  change(added.file.replace(/\.json$/, '.zip'))
  const { problems, entries } = checkPublicRecord(record, now)
  // The folder lasts as long as this function.
  return problems.length > 0 ? problems : await checkBundles(record, entries)
}

/** The bundle with other lines, and new digests. */
function edited(edit: (line: RecordingLine) => RecordingLine): Buffer {
  const { manifest, report, lines } = readBundle(bytes)
  return writeBundle({ ...manifest, report, lines: lines.map((line) => JSON.stringify(edit(line))) })
}

describe('an entry with a bundle', { tags: 'slow', timeout: 120_000 }, () => {
  test('is verified', async () => expect(await problemsOf(bytes)).toEqual([]))
  test('is refused if a byte of the bundle changed', async () => {
    const changed = Buffer.from(bytes)
    changed[500] = (changed[500] ?? 0) ^ 1
    expect(await problemsOf(bytes, (file) => writeFileSync(file, changed))).toMatchObject([
      { place: 'bundle', received: digestOf(changed) },
    ])
  })
  test('is refused without its bundle, and a bundle without an entry', async () => {
    const moved = await problemsOf(bytes, (file) => renameSync(file, file.replace('1.', '9.')))
    expect(moved.map(({ received }) => received)).toEqual(['nothing', 'the bundle of no entry'])
  })
  test('is refused if the evidence was edited, and the digests made again', async () => {
    const bundle = edited((line) =>
      line.kind === 'exchange' && line.by === 'chat.missing-model' && line.response !== null
        ? { ...line, response: { ...line.response, status: 200 } }
        : line,
    )
    const problems = await problemsOf(bundle)
    expect(problems.map(({ place }) => place)).toContain('checks.chat.missing-model')
  })
  test('is refused if it is the bundle of another run', async () => {
    const other = edited((line) => line)
    const { manifest, report, lines } = readBundle(bytes)
    const later = { ...report, durationMs: report.durationMs + 1 }
    const bundle = writeBundle({
      ...manifest,
      report: later,
      lines: lines.map((line) => JSON.stringify(line)),
    })
    const problems = await problemsOf(other, (file) => {
      writeFileSync(file, bundle)
      const entry = file.replace(/\.zip$/, '.json')
      const text = { ...JSON.parse(readFileSync(entry, 'utf8')), bundle: digestOf(bundle) }
      writeFileSync(entry, jsonText(text))
    })
    expect(problems).toMatchObject([{ place: 'report' }])
  })
})
