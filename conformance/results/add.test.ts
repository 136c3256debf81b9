// Whatever `add` writes passes `check` when its causes are filled; a failed check keeps its cause from version to version.
import { readFileSync, writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Addition, addEntry } from './add.ts'
import { checkRecord } from './check/check-record.ts'
import { implementationSchema } from './entry.ts'
import { readReport } from './make-entry.ts'
import { ABOUT, ADDED, JUDGED, arbitraryReport, temporaryRecord } from './record.fixture.ts'
import { jsonText } from './record.ts'

const now = new Date('2026-11-24T12:00:00Z')
const fileOf = (report: object) => readReport(Buffer.from(JSON.stringify(report)), 'report.json')

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
      const places = checkRecord(record, now).map(({ received }) => received)
      expect(places).toEqual(failed.map(() => 'no cause yet'))
      fillCauses(added)
      expect(checkRecord(record, now)).toEqual([])
    }),
    { numRuns: 6 },
  )
})
