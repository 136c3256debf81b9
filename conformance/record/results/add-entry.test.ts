// Whatever `add` writes passes `check` when its causes are filled; a failed check keeps its cause from version to version;
// an incomplete report is refused.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Report } from '../../contract/report.ts'
import { type Addition, addEntry } from './add-entry.ts'
import { checkPublicRecord } from './check/check-public-record.ts'
import { implementationSchema } from './result-entry.ts'
import {
  ABOUT,
  ADDED,
  JUDGED,
  arbitraryReport,
  fileOf,
  reportOf,
  temporaryRecord,
} from './complete-report.fixture.ts'
import { checkReport, makeEntry } from './make-entry.ts'
import { CAUSES, jsonText } from './public-record.ts'

const now = new Date('2026-11-24T12:00:00Z')

/** Gives each failed check without a cause the same one. */
function fillCauses({ causesFile, open }: Exclude<Addition, { readonly problems: unknown }>): void {
  if (open.length === 0) return
  const causes = implementationSchema.parse(JSON.parse(readFileSync(causesFile, 'utf8')))
  for (const failed of Object.values(causes.failed))
    for (const id of Object.keys(failed)) failed[id] ||= 'any-value'
  causes.causes['any-value'] = {
    cause: 'Takes any value.',
    classification: 'defect',
    expected: 'status 400',
    received: 'status 200',
  }
  writeFileSync(causesFile, jsonText(causes))
}

test.each(JUDGED)('any entry of a $kind by profile $profile passes the check with its causes', (judged) => {
  fc.assert(
    fc.property(arbitraryReport(judged), (report) => {
      using folder = temporaryRecord()
      const { record } = folder
      const added = addEntry(fileOf(report), ADDED, { record, about: ABOUT, replace: false, now })
      if ('problems' in added) return expect(added.problems).toEqual([])
      const failed = report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
      expect(added.open).toHaveLength(failed.length)
      const places = checkPublicRecord(record, now).problems.map(({ received }) => received)
      expect(places).toEqual(failed.map(() => 'no cause yet'))
      fillCauses(added)
      expect(checkPublicRecord(record, now).problems).toEqual([])
    }),
    { numRuns: 6 },
  )
})

const WIRE = JUDGED[0] ?? { kind: 'server', profile: 'wire' }
const CHECK = 'chat.missing-model'

test.each<[string, Partial<Report>, RegExp]>([
  ['an interrupted run', { interrupted: true }, /the run was interrupted/],
  ['a run that ended early', { endedEarly: 'the service is down' }, /ended early \(the service is down\)/],
  [
    'a run of some checks',
    { checks: reportOf(WIRE).checks.slice(1) },
    /expected a complete run, .* checks: received no outcome of `.*`/,
  ],
  ['a recording', { subject: 'recording' }, /the report is of a recording/],
  [
    'an unknown catalogue',
    { catalogueVersion: '99' },
    /received catalogue 99, .* expected a catalogue that exists/,
  ],
  [
    'a strict run',
    { checks: reportOf(WIRE, { 'wire.unknown-field': 'fail' }).checks },
    /checks\.wire\.unknown-field: received "fail", expected "warn" for a SHOULD/,
  ],
])('%s is refused', (_, members, line) => {
  using folder = temporaryRecord()
  const options = { record: folder.record, about: ABOUT, replace: false, now }
  expect(() => addEntry(fileOf(reportOf(WIRE, {}, members)), ADDED, options)).toThrow(line)
})

/** Adds an entry of a version in which `CHECK` fails with this answer, and returns the cause that it has then. */
function causeIn(record: string, version: string, actual: string): string | undefined {
  const report = reportOf(WIRE, { [CHECK]: 'fail' })
  for (const check of report.checks) if (check.id === CHECK) Object.assign(check, { actual })
  const added = addEntry(fileOf(report), { ...ADDED, version }, { record, about: ABOUT, replace: true, now })
  if ('problems' in added) throw new Error('a good report was refused')
  return added.implementation.failed[`${version}-wire`]?.[CHECK]
}

/** Writes the cause of `CHECK` in a version. */
function setCause(record: string, version: string, name: string): void {
  const file = join(record, '2', 'server', ADDED.name, CAUSES)
  const causes = implementationSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  causes.failed[`${version}-wire`] = { [CHECK]: name }
  writeFileSync(file, jsonText(causes))
}

test('a failed check keeps the cause of the newest other version, while it fails in the same way', () => {
  using folder = temporaryRecord()
  const { record } = folder
  expect(causeIn(record, '1.2.0', 'status 200')).toBe('')
  setCause(record, '1.2.0', 'old')
  expect(causeIn(record, '1.9.0', 'status 500')).toBe('')
  setCause(record, '1.9.0', 'crash')
  expect(causeIn(record, '1.10.0', 'status 500')).toBe('crash')
  setCause(record, '1.10.0', 'newest')
  expect(causeIn(record, '1.11.0', 'status 500')).toBe('newest')
  expect(causeIn(record, '1.9.0', 'status 500')).toBe('crash')
  expect(causeIn(record, '1.12.0', 'status 200')).toBe('')
})

test('an entry is replaced only if that is requested, and a new implementation needs its texts', () => {
  using folder = temporaryRecord()
  const { record } = folder
  const add = (options: object) =>
    addEntry(fileOf(reportOf(WIRE)), ADDED, { record, about: ABOUT, replace: false, now, ...options })
  expect(() => add({ about: { title: 'A server' } })).toThrow(/expected --title, --home and --description/)
  add({})
  expect(() => add({})).toThrow(/1\.2\.3-wire\.json exists; --replace replaces it/)
  expect(add({ replace: true })).not.toHaveProperty('problems')
})

test('an entry beside its report: an edited outcome and another report are found', () => {
  const read = fileOf(reportOf(WIRE, { [CHECK]: 'fail' }))
  const entry = makeEntry(read, ADDED)
  expect(checkReport(entry, read)).toEqual([])
  const edited = { ...entry, checks: { ...entry.checks, [CHECK]: 'pass' as const } }
  expect(checkReport(edited, read)).toEqual([
    { place: `checks.${CHECK}`, received: '"pass"', expected: '"fail", as in the report' },
  ])
  const other = fileOf(reportOf(WIRE, { [CHECK]: 'fail' }, { seed: 2 }))
  expect(checkReport(entry, other)).toEqual([expect.objectContaining({ place: 'report' })])
})

test('every check that failed or warned has evidence, and no other', () => {
  const outcomes = { [CHECK]: 'fail', 'wire.unknown-field': 'warn', 'chat.any-json': 'inconclusive' } as const
  const { evidence = {} } = makeEntry(fileOf(reportOf(WIRE, outcomes)), ADDED)
  expect(Object.keys(evidence)).toEqual([CHECK, 'wire.unknown-field'])
})
