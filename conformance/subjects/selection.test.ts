// The checks of all subjects: each row has one, a version of the catalogue has those that it was published with, and a tier
// selects those of servers alone.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadSubjects } from './index.ts'

const FILE = new URL('version-1.json', import.meta.url)

/** SHA-256 of the file. It is published: a check of version 1 is neither added nor removed. */
const DIGEST = '0b1eaa4f127e079452436d12078e0ba32a0b28dc99dcab4cc4b0a519dd0944d1'

const subjects = await loadSubjects()

test('every row has a check', () => {
  const covered = new Set(subjects.flatMap(({ checks }) => checks.map(({ requirement }) => requirement)))
  const rows = subjects.flatMap((subject) => subject.rows('service').map(({ id }) => id))
  expect(rows.filter((id) => !covered.has(id))).toEqual([])
})

test('version 1 has exactly the checks that it was published with', () => {
  const published = readFileSync(FILE)
  expect(createHash('sha256').update(published).digest('hex')).toBe(DIGEST)
  const selected = subjects.map(({ name, select }) => [
    name,
    select({ profile: 'service', catalogue: 1 })
      .map(({ id }) => id)
      .toSorted(),
  ])
  expect(Object.fromEntries(selected)).toEqual(JSON.parse(published.toString()))
})

test('a tier selects no check of clients and gateways', () => {
  for (const { name, select } of subjects) {
    const selected = ['interop', 'strict'] as const
    for (const tier of selected)
      expect(select({ profile: 'service', tier }).length > 0).toBe(name === 'server')
  }
})
