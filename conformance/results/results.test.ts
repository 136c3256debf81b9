// The page shows the recorded results, every failure has a cause, and every check exists.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { readResults } from './recorded-result.ts'
import { renderResults, rowsOf } from './render.ts'

const catalogue = fullCatalogue()
const rows = rowsOf(catalogue)
const results = { servers: readResults('servers'), gateways: readResults('gateways') }

test('the committed page is up to date (`npm run verdicts`)', () => {
  const page = readFileSync(new URL('../../docs/verdicts.md', import.meta.url), 'utf8')
  expect(page).toBe(renderResults(results, catalogue))
})

test.each([...results.servers, ...results.gateways])(
  '$server: every failed check is one of the catalogue and has a cause',
  (result) => {
    const failed = Object.entries(result.failed)
    expect(failed.filter(([id]) => !rows.has(id))).toEqual([])
    expect(failed.filter(([, cause]) => !Object.hasOwn(result.causes, cause))).toEqual([])
    const used = new Set(Object.values(result.failed))
    expect(Object.keys(result.causes).filter((cause) => !used.has(cause))).toEqual([])
  },
)
