// The quick run, measured by the public record: how many rows that real servers break it would miss.
import { expect, test } from 'vitest'
import { levelIn, requirement } from '../../../spec/catalogue/requirements.ts'
import { loadServer } from '../../subjects/index.ts'
import { missedRows, recordedServers } from './quick-checks.ts'

/** Rows of all recorded servers that the quick checks miss, without observers. The number only shrinks. */
const MOST_MISSED = 102

test('a quick run misses few of the rows that recorded servers break', async () => {
  const { catalogue, selection } = await loadServer()
  // A row that is only reported in this profile demands nothing.
  const rows = new Map(
    [...catalogue.cases, ...catalogue.observers]
      .filter((check) => levelIn('wire', requirement(check.requirement)) !== 'MAY')
      .map((check) => [check.id, check.requirement] as const),
  )
  const quick = new Set(selection(catalogue, { profile: 'wire', quick: true }).cases.map(({ id }) => id))
  const entries = recordedServers()
  const missed = missedRows(
    entries,
    (id) => rows.get(id),
    (id) => quick.has(id),
  )
  const broken = missedRows(
    entries,
    (id) => rows.get(id),
    () => false,
  )
  // The list is what a reader of the failure needs.
  expect(missed.length <= MOST_MISSED ? [] : missed).toEqual([])
  expect(missed.length).toBeLessThan(broken.length / 3)
})
