// A gate that is pinned to a version of the catalogue is not turned red by a check that came later.
import { expect, test } from 'vitest'
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import type { Case } from './case.ts'
import type { Observer } from '../../contract/observer.ts'
import { collect, newerThan } from './selection.ts'
import { pinnedCatalogue } from '../../contract/catalogue-version.ts'
import { KEY, startService } from '../../cli/cli.fixture.ts'
import { fullCatalogue } from './catalogue.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { judge } from './judge.ts'
import type { Report } from '../../contract/report.ts'
import { renderConsole } from '../../report/console-report.ts'
import { renderMarkdown } from '../../report/markdown.ts'
import { settingsOf } from '../../contract/settings.ts'

const request = { path: '/v1/models' }
const old: Case = {
  id: 'test.old',
  requirement: 'AUTH-1',
  title: 'an old check',
  run: async (t) => t.expect(await t.send(request), () => undefined),
}
const failing: Case = {
  id: 'test.new',
  requirement: 'AUTH-2',
  title: 'a new check',
  since: 2,
  run: async (t) => t.expect(await t.send(request), () => ({ expected: 'b', actual: 'a' })),
}
const observer: Observer = {
  id: 'test.new-on-all',
  requirement: 'AUTH-3',
  title: 'a new observer',
  since: 2,
  applies: () => true,
  verifiers: [() => ({ expected: 'b', actual: 'a' })],
}
const catalogue = { cases: [old, failing], observers: [observer] }

test.each([
  [1, 0, ['test.old']],
  [2, 1, ['test.old', 'test.new', 'test.new-on-all']],
])('judged by version %i the run ends with %i', async (version, exitCode, ids) => {
  await using service = await startService()
  const settings = settingsOf({
    baseUrl: service.baseUrl,
    credentials: { CONFORMANCE_API_KEY: KEY },
  })
  const { signal } = new AbortController()
  const events = { onBegin() {}, onProgress() {}, onFault() {} }
  const report = await judge({ ...settings, catalogue: version }, catalogue, createRedactor(), signal, events)
  expect(report.exitCode).toBe(exitCode)
  expect(report.checks.map(({ id }) => id)).toEqual(ids)
  if (version === 1) {
    const unknown = { ...failing, since: Number(CATALOGUE_VERSION) + 1 }
    expect(() => collect([{ cases: [unknown] }])).toThrow('test.new: there is no catalogue')
    expect(newerThan(catalogue, 1)).toEqual(['test.new', 'test.new-on-all'])
    expect(report.coverage.notCovered).toContain('AUTH-2')
  }
})

test('a check that a set does not score is run, and decides nothing', async () => {
  await using service = await startService()
  const settings = settingsOf({ baseUrl: service.baseUrl, credentials: { CONFORMANCE_API_KEY: KEY } })
  const { signal } = new AbortController()
  const events = { onBegin() {}, onProgress() {}, onFault() {} }
  const catalogueSet = { date: '2026-12', scored: new Set(['test.old']) }
  const report = await judge({ ...settings, catalogueSet }, catalogue, createRedactor(), signal, events)
  expect([report.exitCode, report.checks.map(({ id }) => id)]).toEqual([0, ['test.old']])
  expect(report.catalogue).toMatchObject({
    version: '2026-12',
    notScored: [
      { id: 'test.new', outcome: 'fail' },
      { id: 'test.new-on-all', outcome: 'fail' },
    ],
  })
  for (const render of [renderMarkdown, (of: Report) => renderConsole(of, { color: false, columns: 80 })])
    expect(render(report)).toMatch(/Not scored in 2026-12:?\s+`?test\.new \(fail\)/)
})

test('the default is the newest version, and it contains every check', () => {
  expect(pinnedCatalogue(undefined, '--catalogue').version).toBe(Number(CATALOGUE_VERSION))
  expect(newerThan(fullCatalogue(), pinnedCatalogue(CATALOGUE_VERSION, '--catalogue').version)).toEqual([])
})

test.each(['0', '', '-1', '1.0', 'latest', '999'])('%j is not a version', (version) => {
  expect(() => pinnedCatalogue(version, '--catalogue')).toThrow(/^--catalogue: no catalogue '/)
})
