// A gate that is pinned to a dated set is not turned red by a check that came later.
import { expect, test } from 'vitest'
import type { Case } from './case.ts'
import type { Observer } from '../../contract/observer.ts'
import { type CheckSet, checkSet } from '../../contract/check-sets.ts'
import { KEY, startService } from '../../cli/cli.fixture.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { judge } from './judge.ts'
import type { Report } from '../../contract/report.ts'
import { renderConsole } from '../../report/console-report.ts'
import { renderMarkdown } from '../../report/markdown/markdown.ts'
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
  run: async (t) => t.expect(await t.send(request), () => ({ expected: 'b', actual: 'a' })),
}
const observer: Observer = {
  id: 'test.new-on-all',
  requirement: 'AUTH-3',
  title: 'a new observer',
  applies: () => true,
  verifiers: [() => ({ expected: 'b', actual: 'a' })],
}
const catalogue = { cases: [old, failing], observers: [observer] }

async function judged(set: CheckSet | undefined): Promise<Report> {
  await using service = await startService()
  const settings = settingsOf({ baseUrl: service.baseUrl, credentials: { CONFORMANCE_API_KEY: KEY } })
  const { signal } = new AbortController()
  const events = { onBegin() {}, onProgress() {}, onFault() {} }
  return await judge({ ...settings, checkSet: set }, catalogue, createRedactor(), signal, events)
}

test('every check decides without a set', async () => {
  const report = await judged(checkSet(undefined, '--catalogue'))
  const ids = report.checks.map(({ id }) => id)
  expect([report.exitCode, ids]).toEqual([1, ['test.old', 'test.new', 'test.new-on-all']])
  expect(report.catalogue).toBeUndefined()
})

test('a check that a set does not score is run, and decides nothing', async () => {
  const report = await judged({ date: '2026-12', scored: new Set(['test.old']) })
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

test.each(['1', '2', '0', '', '2026', '2026-13', 'latest', 'constructor'])('%j is not a set', (date) => {
  expect(() => checkSet(date, '--catalogue')).toThrow(
    `--catalogue: no set of checks '${date}': expected 2026-12`,
  )
})
