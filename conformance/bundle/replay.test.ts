// A recorded run is judged again with the same outcomes; an edited one is not.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { faults } from '../../fixtures/faulty/fault-table.ts'
import { startServerWithKey } from '../../harness/reference-server.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { startFaultyServers } from '../lab/mutants/faulty-servers.ts'
import { type ConformanceOptions, type Report, runConformance, verifyRun } from '../run-conformance.ts'
import { type Bundle, BundleError, readBundle, writeBundle } from './bundle-file.ts'
import type { ExchangeLine, RecordingLine } from '../exchanges/recording-line.ts'
import { replayingTransport } from './replaying-transport.ts'

/** Records a run, and returns its report and its file. */
async function recorded(options: ConformanceOptions): Promise<{ report: Report; file: string }> {
  const file = join(temporaryFolder(), 'run.zip')
  const report = await runConformance({ ...options, bundle: file })
  return { report, file }
}

/** The verification of a bundle, in short. */
async function verified(file: string) {
  const { isConfirmed, differences, notReplayable, report } = await verifyRun(file)
  return {
    isConfirmed,
    changed: [...differences, ...notReplayable].map(({ check }) => check),
    exitCode: report.exitCode,
  }
}

let own: { report: Report; file: string }
let bytes: Buffer
let bundle: Bundle
beforeAll(async () => {
  own = await recorded({ only: 'AUTH-3,KEY-3,KEY-4,models.*,ERR-1,LIMIT-3,SDK-*' })
  bytes = readFileSync(own.file)
  bundle = readBundle(bytes)
}, 120_000)

test('each check has its recorded outcome again', async () => {
  const { exitCode } = own.report
  expect(await verified(own.file)).toEqual({ isConfirmed: true, changed: [], exitCode })
})

test('each check gets the key that was made for it, whichever was made first', async () => {
  const file = join(temporaryFolder(), 'reversed.zip')
  const keys = bundle.lines.filter(({ kind }) => kind === 'key')
  const lines = linesOf([...bundle.lines.filter(({ kind }) => kind !== 'key'), ...keys.toReversed()])
  writeFileSync(file, writeBundle({ ...bundle.manifest, report: bundle.report, lines }))
  expect(await verified(file)).toMatchObject({ isConfirmed: true, changed: [] })
})

test('the checks begin in their recorded order, whatever that of this version is', () => {
  const exchanges = bundle.lines.filter((line) => line.kind === 'exchange')
  const inOrder = exchanges.toSorted((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0))
  const begun = [...new Set(inOrder.flatMap(({ by }) => by ?? []))].map((id) => ({ id }))
  expect(begun.length).toBeGreaterThan(10)
  const { transport } = replayingTransport(bundle.lines, 0, [])
  expect(transport.ordered([{ id: 'not.recorded' }, ...begun.toReversed()])).toEqual([
    ...begun,
    { id: 'not.recorded' },
  ])
})

test('no key is in the file', () => {
  const text = JSON.stringify(bundle)
  expect(text).toMatch(/key-1-/)
  expect(text).not.toMatch(/svc_sk_(?!key-)[\w-]{43}/)
})

test('a changed bit is found wherever it is', () => {
  forAll(fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 })), ([place, bit]) => {
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ (1 << bit)
    expect(() => readBundle(changed)).toThrow(BundleError)
  })
})

test('a signature names its key, and another manifest or key breaks it', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const signed = readBundle(
    writeBundle({ ...bundle.manifest, report: bundle.report, lines: linesOf(bundle.lines) }, privateKey),
  )
  expect(signed.signedBy).toMatch(/^SHA256:[\w+/]{43}$/)
  const other = readBundle(
    writeBundle(
      { ...bundle.manifest, report: bundle.report, lines: [] },
      generateKeyPairSync('ed25519').privateKey,
    ),
  )
  expect(other.signedBy).not.toBe(signed.signedBy)
})

const linesOf = (lines: readonly RecordingLine[]): string[] => lines.map((line) => JSON.stringify(line))

/** Whether a line is an exchange of a check. */
const of =
  (check: string) =>
  (line: RecordingLine): line is ExchangeLine =>
    line.kind === 'exchange' && line.by === check

/** The check whose evidence is edited, and what becomes of each of its exchanges. */
const EDITS: Readonly<
  Record<string, readonly [check: string, edit: (line: ExchangeLine) => ExchangeLine | undefined]>
> = {
  'a status': [
    'auth.missing-header-models',
    (line) => ({ ...line, response: line.response && { ...line.response, status: 200 } }),
  ],
  'a body': [
    'models.record',
    (line) => ({
      ...line,
      response: line.response && { ...line.response, body: '{"id":"another"}', bodySame: undefined },
    }),
  ],
  'a header': [
    'limits.admitted-after-the-wait',
    (line) => ({
      ...line,
      response: line.response && { ...line.response, headers: [['content-type', 'application/json']] },
    }),
  ],
  'a request': ['models.list', (line) => ({ ...line, request: { ...line.request, method: 'PUT' } })],
  'an exchange that is left out': ['models.list', () => undefined],
  'an answer that never came': [
    'models.list',
    (line) => ({
      ...line,
      response: null,
      error: 'no answer',
    }),
  ],
  'a wait that is longer': [
    'limits.admitted-after-the-wait',
    (line) => ({ ...line, atMs: (line.atMs ?? 0) + 3_600_000 }),
  ],
  'an answer that broke': [
    'models.list',
    (line) => ({ ...line, response: line.response && { ...line.response, end: 'broken' } }),
  ],
}

describe('with new digests, an edit is found by the judge', () => {
  const edited = async (edit: (lines: readonly RecordingLine[]) => readonly RecordingLine[]) => {
    const file = join(temporaryFolder(), 'edited.zip')
    const lines = linesOf(edit(bundle.lines))
    writeFileSync(file, writeBundle({ ...bundle.manifest, report: bundle.report, lines }))
    return verified(file)
  }
  test.each(Object.entries(EDITS))('%s', async (_, [check, edit]) => {
    expect(bundle.lines.some(of(check))).toBe(true)
    const { isConfirmed, changed } = await edited((lines) => {
      return lines.flatMap((line): readonly RecordingLine[] => {
        const after = of(check)(line) ? edit(line) : line
        return after === undefined ? [] : [after]
      })
    })
    expect([isConfirmed, changed]).toEqual([false, expect.arrayContaining([check])])
  })
  test('an outcome in the report', async () => {
    const [first, ...others] = bundle.report.checks
    if (first === undefined) throw new Error('the report has no check')
    const file = join(temporaryFolder(), 'edited.zip')
    const report = { ...bundle.report, checks: [{ ...first, outcome: 'fail' as const }, ...others] }
    writeFileSync(file, writeBundle({ ...bundle.manifest, report, lines: linesOf(bundle.lines) }))
    expect(await verified(file)).toMatchObject({ isConfirmed: false, changed: [first.id] })
  })
})

describe('a faulty server is judged again as it was', { timeout: 300_000 }, () => {
  const SAMPLE = 6
  const sample = faults.filter((_, index) => index % Math.floor(faults.length / SAMPLE) === 1)
  async function replayed(ids: readonly string[], options: ConformanceOptions): Promise<void> {
    await using server = await startServerWithKey()
    const credentials = { CONFORMANCE_API_KEY: server.key }
    const signal = new AbortController().signal
    await using faulty = await startFaultyServers(ids, server.baseUrl, server.key, signal)
    for (const id of ids) {
      const { report, file } = await recorded({
        baseUrl: faulty.urls.get(id),
        model: 'svc-0.1-echo',
        credentials,
        ...options,
      })
      expect([id, await verified(file)]).toEqual([
        id,
        { isConfirmed: true, changed: [], exitCode: report.exitCode },
      ])
    }
  }
  test('that quotes keys', () => replayed(['errors-repeat-the-key'], { only: 'ERR-4,AUTH-*' }))
  test('by its quick checks, each of a sample', { tags: 'slow' }, () =>
    replayed(
      sample.map(({ id }) => id),
      { quick: true },
    ),
  )
  test('by all checks of a section', { tags: 'slow' }, () =>
    replayed(['stream-breaks-off', 'wire-ignores-stop'], { only: 'STREAM-*,WIRE-8,CHAT-9' }),
  )
  test('by one check', () => replayed(['stream-breaks-off'], { only: 'STREAM-2' }))
})

test('a whole run', { tags: 'slow', timeout: 300_000 }, async () => {
  const { report, file } = await recorded({})
  expect(readFileSync(file).length).toBeLessThan(3_000_000)
  expect(await verified(file)).toEqual({ isConfirmed: true, changed: [], exitCode: report.exitCode })
})
