// The checks of all subjects: each row has one, a version of the catalogue has those that it was published with, and a tier
// selects those of servers alone.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SET_DATES, pinnedCatalogue } from '../contract/catalogue-version.ts'
import { requirement } from '../../spec/catalogue/requirements.ts'
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
  const published1 = subjects.filter(({ name }) => name !== 'recording' && name !== 'pair')
  const selected = published1.map(({ name, select }) => [
    name,
    select({ profile: 'service', catalogue: 1 })
      .map(({ id }) => id)
      .toSorted(),
  ])
  expect(Object.fromEntries(selected)).toEqual(JSON.parse(published.toString()))
})

/** SHA-256 of each set. A published set is never edited. */
const SETS: Readonly<Record<string, string>> = {
  '2026-12': '67bedd6810b3319e3d4eb3934353a4dcbb134a5cb24c812e8254882af8e4472c',
}

test.each(Object.entries(SETS))(
  'the set %s scores exactly the checks that it was published with',
  (date, digest) => {
    const published = readFileSync(new URL(`../contract/sets/${date}.json`, import.meta.url))
    expect(createHash('sha256').update(published).digest('hex')).toBe(digest)
    expect(pinnedCatalogue(date, '--catalogue').set?.scored).toEqual(
      new Set(Object.values<string[]>(JSON.parse(published.toString())).flat()),
    )
  },
)

test('each check of a set exists, and each set has a digest', () => {
  const known = new Set(subjects.flatMap(({ checks }) => checks.map(({ id }) => id)))
  expect(SET_DATES).toEqual(Object.keys(SETS))
  for (const date of SET_DATES)
    expect(
      [...(pinnedCatalogue(date, '--catalogue').set?.scored ?? [])].filter((id) => !known.has(id)),
    ).toEqual([])
})

test('a tier selects no check of clients and gateways', () => {
  for (const { select } of subjects)
    for (const tier of ['interop', 'strict'] as const) {
      const judged = select({ profile: 'service', tier }).map(
        (check) => requirement(check.requirement).subject,
      )
      expect(judged.filter((subject) => subject !== 'server')).toEqual([])
    }
})
