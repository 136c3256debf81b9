// One cause is one finding, in the whole judgement of profile `wire`: streams that are broken as such, fields that a service
// does not read, and a count that does not count.
import { expect, test } from 'vitest'
import { faults } from '../fixtures/faulty/fault-table.ts'
import { startService } from './subjects/server/cases/scripted/start-service.fixture.ts'
import { findingsOf } from './report/findings/findings.ts'
import { runConformance } from './run-conformance.ts'

test.each([
  ['stream-is-ignored', 'STREAM-1'],
  ['stream-refuses-every-stream', 'STREAM-1'],
  ['stream-sends-json-lines', 'STREAM-1'],
  ['stream-ends-records-with-one-newline', 'STREAM-1'],
  ['wire-ignores-unseen-fields', 'WIRE-30'],
  ['wire-counts-every-prompt-alike', 'WIRE-9'],
])('%s', { tags: 'slow' }, async (id, row) => {
  const fault = faults.find((each) => each.id === id)
  await using service = await startService(fault?.start)
  const { baseUrl, key } = service
  const report = await runConformance({
    baseUrl,
    profile: 'wire',
    credentials: { CONFORMANCE_API_KEY: key },
    seed: 1,
    runs: 2,
  })
  expect(findingsOf(report).map(({ requirement }) => requirement)).toEqual([row])
})
