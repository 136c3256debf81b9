// The page of verdicts is what the recorded runs say, every failure has its cause, and every check is there.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { readVerdicts } from './recorded-verdict.ts'
import { renderVerdicts, rowsOf } from './render.ts'

const catalogue = fullCatalogue()
const rows = rowsOf(catalogue)
const verdicts = readVerdicts()

test('the committed page is up to date (`npm run verdicts`)', () => {
  const page = readFileSync(new URL('../../docs/verdicts.md', import.meta.url), 'utf8')
  expect(page).toBe(renderVerdicts(verdicts, catalogue))
})

test.each(verdicts)('$server: every failed check is one of the catalogue and has a cause', (verdict) => {
  const failed = Object.entries(verdict.failed)
  expect(failed.filter(([id]) => !rows.has(id))).toEqual([])
  expect(failed.filter(([, cause]) => !Object.hasOwn(verdict.causes, cause))).toEqual([])
  const used = new Set(Object.values(verdict.failed))
  expect(Object.keys(verdict.causes).filter((cause) => !used.has(cause))).toEqual([])
})
