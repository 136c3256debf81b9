// The committed page is what the data and the catalogue of checks say now, and leads from rows to what is there.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { requirements } from '../../../spec/catalogue/requirements.ts'
import { specification } from '../../../spec/catalogue/traceability.ts'
import { allChecks } from '../../subjects/client/catalogue.ts'
import { allChecks as gatewayChecks } from '../../subjects/gateway/catalogue.ts'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { heldByTests, idsIn } from './held-by-tests.ts'
import { NOT_COVERED, asRanges, holdersOf, renderTraceability } from './traceability.ts'

const root = new URL('../../..', import.meta.url)
const catalogue = fullCatalogue()
const others = [...allChecks(), ...gatewayChecks()]
const holders = holdersOf(catalogue, heldByTests(), others)

test('the committed page is up to date (`npm run traceability`)', () => {
  const page = readFileSync(new URL('docs/traceability.md', root), 'utf8')
  expect(page).toBe(renderTraceability(catalogue, heldByTests(), others))
})

test('each sentence and each row has one line', () => {
  const lines = renderTraceability(catalogue, new Map(), []).split('\n')
  for (const { text } of specification.flatMap(({ traces }) => traces))
    expect(lines.some((line) => line.startsWith(`| ${text.replaceAll('|', '\\|')} | `))).toBe(true)
  for (const { id } of requirements)
    expect(lines.filter((line) => line.startsWith(`| ${id} | `))).toHaveLength(1)
})

test('every check stands beside its row, once', () => {
  const ids = [...catalogue.cases, ...catalogue.observers, ...others].map(({ id }) => id)
  const judged = requirements.filter(({ subject }) => subject !== 'dashboard' && subject !== 'suite')
  expect(judged.flatMap(({ id }) => holders.get(id) ?? []).toSorted()).toEqual(ids.toSorted())
})

test('a row of another subject leads to tests that are there; without one it is said to be open', () => {
  const tested = requirements.filter(({ subject }) => subject === 'dashboard' || subject === 'suite')
  const files = tested.flatMap(({ id }) => holders.get(id) ?? [])
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([])
  const page = renderTraceability({ cases: [], observers: [] }, new Map(), [])
  expect(page.split(`| ${NOT_COVERED} |`)).toHaveLength(requirements.length + 1)
})

test('titles name rows, alone and in ranges; other text does not', () => {
  const source = `// KEY-3\ntest('a (RETRY-1 to RETRY-3, KEY-2)', () => {})\nit(\n"b (RETRY-10)", () => 'KEY-4')`
  expect([...idsIn(source)]).toEqual(['KEY-2', 'RETRY-1', 'RETRY-2', 'RETRY-3', 'RETRY-10'])
})

test('three neighbours are a range, two are not', () => {
  const ranges = asRanges(['KEY-3', 'KEY-4', 'AUTH-1', 'AUTH-2', 'AUTH-3', 'KEY-9', 'KEY-1'])
  expect(ranges).toEqual(['KEY-3', 'KEY-4', 'AUTH-1 to AUTH-3', 'KEY-9', 'KEY-1'])
})
