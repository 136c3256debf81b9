// Reports side by side: every requirement of any of them, and what changed where the server is the same.
import { expect, test } from 'vitest'
import { compareReports } from './comparison.ts'
import { madeReport } from '../report.fixture.ts'
import type { Report } from '../../contract/report.ts'

type Outcome = Report['checks'][number]['outcome']

function report(baseUrl: string, outcomes: Readonly<Record<string, Outcome>>): Report {
  const entries = Object.entries(outcomes)
  return {
    ...madeReport(),
    target: { baseUrl, profile: 'service', model: 'm', facts: [], capabilities: [] },
    requirements: entries.map(([id, outcome]) => ({ id, level: 'MUST', outcome })),
    checks: entries.map(([requirement, outcome]) => ({
      id: `a.${requirement.toLowerCase()}`,
      requirement,
      level: 'MUST',
      outcome,
      title: '',
      durationMs: 1,
      exchanges: [],
    })),
  }
}

const first = { file: 'x/a.json', report: report('http://a', { 'WIRE-1': 'pass', 'AUTH-1': 'fail' }) }

test('a column for each report, a row for each requirement of any of them, in reading order', () => {
  const other = { file: 'b.json', report: report('http://b', { 'TOOL-1': 'warn', 'AUTH-1': 'pass' }) }
  const { servers, rows, tiers, changes } = compareReports([first, other])
  expect(servers).toEqual(['http://a m (a.json)', 'http://b m (b.json)'])
  expect(rows.map(({ id, outcomes }) => `${id}: ${outcomes.join()}`)).toEqual([
    'AUTH-1: fail,pass',
    'WIRE-1: pass,-',
    'TOOL-1: -,warn',
  ])
  expect(tiers).toEqual([
    { interop: { judged: 2, hold: 1 }, strict: { judged: 0, hold: 0 } },
    { interop: { judged: 2, hold: 1 }, strict: { judged: 0, hold: 0 } },
  ])
  expect(changes).toBeUndefined()
})

test('two reports of one server: the checks that ended in another way, came or went', () => {
  const later = { file: 'b.json', report: report('http://a', { 'AUTH-1': 'pass', 'TOOL-1': 'pass' }) }
  expect(compareReports([first, later]).changes).toEqual([
    { check: 'a.wire-1', from: 'pass', to: '-' },
    { check: 'a.auth-1', from: 'fail', to: 'pass' },
    { check: 'a.tool-1', from: '-', to: 'pass' },
  ])
  expect(compareReports([first, first]).changes).toEqual([])
})
