// The record of k6 is read to the microsecond, and other metrics are ignored.
import { expect, it } from 'vitest'
import { readRecord } from './k6-record.ts'

const point = (metric: string, value: number, tags: Record<string, string>): string =>
  JSON.stringify({ metric, type: 'Point', data: { time: '2026-11-21T12:00:01.250500999Z', value, tags } })

const LINES = [
  '{"type":"Metric","data":{"name":"http_req_duration"},"metric":"http_req_duration"}',
  point('http_req_duration', 250.5, { scenario: 'above', role: 'loud', phase: 'above', status: '429' }),
  point('http_req_waiting', 200, { scenario: 'above' }),
  point('dropped_iterations', 2, { scenario: 'above' }),
  point('faults', 1, { what: 'form' }),
  point('retry_after_seconds', 3, { scenario: 'waits', phase: 'waited' }),
]

const WAIT = { load: 'waits', phase: 'waited', seconds: 3 }

it('reads answers with their start and end', async () => {
  const record = await readRecord(LINES)
  const end = Date.parse('2026-11-21T12:00:01Z') / 1000 + 0.2505
  expect(record.answers).toHaveLength(1)
  expect(record.answers[0]).toMatchObject({ load: 'above', role: 'loud', phase: 'above', status: 429 })
  expect(record.answers[0]?.end).toBeCloseTo(end, 6)
  expect(record.answers[0]?.start).toBeCloseTo(end - 0.2505, 6)
  expect(record).toMatchObject({ dropped: 2, faults: { form: 1 }, retryAfter: [WAIT] })
})

it('adds up the records of several processes', async () => {
  const record = await readRecord([...LINES, ...LINES])
  expect(record).toMatchObject({ dropped: 4, faults: { form: 2 }, retryAfter: [WAIT, WAIT] })
  expect(record.answers).toHaveLength(2)
})
