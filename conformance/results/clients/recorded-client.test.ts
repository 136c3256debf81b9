// The comparison of libraries shows the recorded results, every failure has a cause, and every listed program exists and
// is short.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { allChecks } from '../../clients/scenarios.ts'
import { readCauses, readClients, readJudged, recordOf } from './recorded-client.ts'
import { withLibraries } from './render.ts'

const MOST_LINES = 60

const root = new URL('../../../', import.meta.url)
const clients = readClients()
const causes = readCauses()
const judged = readJudged()
const checks = new Set(allChecks().map(({ id }) => id))

test('the committed comparison is up to date (`npm run clients`)', () => {
  const page = readFileSync(new URL('docs/clients.md', root), 'utf8')
  expect(withLibraries(page, judged, causes)).toBe(page)
})

test.each(judged)(
  '$client.name: every failed check is one of the catalogue and has a cause',
  ({ result }) => {
    expect(Object.keys(result.failed).filter((id) => !checks.has(id))).toEqual([])
    expect(Object.entries(result.failed).filter(([, cause]) => !Object.hasOwn(causes, cause))).toEqual([])
  },
)

test.each(judged)('$client.name: the result is on the version that is installed', ({ client, result }) => {
  expect(result.version).toBe(client.version)
})

test('every result belongs to a library, and every cause to a result', () => {
  const names = new Set(clients.map(({ name }) => `${name}.json`))
  const files = readdirSync(new URL('fixtures/results/clients/', root))
  expect(files.filter((file) => !names.has(file))).toEqual([])
  const used = new Set(judged.flatMap(({ result }) => Object.values(result.failed)))
  expect(Object.keys(causes).filter((name) => !used.has(name))).toEqual([])
})

test.each(clients)('$name: its program is one that a newcomer would write', ({ name }) => {
  const folder = new URL(`fixtures/clients/${name}/`, root)
  expect(existsSync(folder)).toBe(true)
  // `compatibility.*` tries a library against the server: no newcomer's program, and not judged here.
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(mjs|py|go|rs|java)$/.test(file) && !basename(file).startsWith('compatibility.'),
  )
  expect(sources).not.toEqual([])
  const lines = (file: string): number => readFileSync(new URL(file, folder), 'utf8').split('\n').length - 1
  expect(sources.filter((file) => lines(file) > MOST_LINES)).toEqual([])
})

test('a check that failed before keeps its cause, another has none, and the cause of one that passes now is removed', () => {
  const check = { requirement: 'READ-1', level: 'MUST' as const, title: '', durationMs: 0, exchanges: [] }
  const before = {
    version: '1',
    checks: 3,
    inconclusive: [],
    rows: [],
    failed: { 'read.a': 'cause', 'read.c': 'other' },
  }
  const report = {
    checks: [
      { ...check, id: 'read.a', outcome: 'fail' },
      { ...check, id: 'read.b', outcome: 'warn' },
      { ...check, id: 'read.c', outcome: 'pass' },
      { ...check, id: 'read.d', outcome: 'inconclusive' },
    ],
    requirements: [{ id: 'READ-1', level: 'MUST', outcome: 'fail' }],
  } satisfies Parameters<typeof recordOf>[1]
  expect(recordOf({ version: '2' }, report, before)).toEqual({
    version: '2',
    checks: 4,
    inconclusive: ['read.d'],
    rows: [{ id: 'READ-1', outcome: 'fail' }],
    failed: { 'read.a': 'cause', 'read.b': '' },
  })
})
