// The verdict on the judge after a run against a faulty or odd server.
import { expect, test } from 'vitest'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { Mutant } from './mutant.ts'
import { isRight, verdictOn } from './mutant-verdict.ts'

const fault: Mutant = {
  kind: 'fault',
  id: 'auth-forbids-wrong-key',
  description: 'Answers 403 to a key that it does not know.',
  requirement: 'AUTH-4',
  alsoBreaks: ['AUTH-1', 'ERR-7'],
  alone: false,
  flags: [],
}
const oddity: Mutant = {
  kind: 'oddity',
  id: 'odd-statuses',
  description: 'Answers a wrong method with 405.',
  tolerances: ['ERR-5'],
  leavesUnmet: ['ERR-7'],
  keyless: false,
  flags: [],
}
const covered = new Set(['AUTH-1', 'AUTH-4', 'ERR-7'])

function outcomeOf(mutant: Mutant, rows: Readonly<Partial<Record<RequirementId, Outcome>>>) {
  const verdicts = (Object.keys(rows) as RequirementId[]).map((id) => ({
    id: `check.of-${id.toLowerCase()}`,
    requirement: id,
    level: 'MUST' as const,
    outcome: rows[id] ?? 'pass',
  }))
  const { outcome, red, wrong } = verdictOn(mutant, verdicts, covered)
  return { outcome, red, wrong }
}

test('a fault is caught where its row turns red, with or without the rows that it also breaks', () => {
  expect(outcomeOf(fault, { 'AUTH-4': 'fail', 'AUTH-1': 'pass' })).toEqual({
    outcome: 'caught',
    red: ['AUTH-4'],
    wrong: [],
  })
  expect(outcomeOf(fault, { 'AUTH-1': 'fail', 'AUTH-4': 'fail', 'ERR-7': 'warn' }).outcome).toBe('caught')
})

test.each(['pass', 'inconclusive', 'not-applicable'] as const)('a row that is %s misses the fault', (end) => {
  expect(outcomeOf(fault, { 'AUTH-4': end }).outcome).toBe('missed')
  expect(outcomeOf(fault, { 'AUTH-4': end, 'AUTH-1': 'fail' }).outcome).toBe('missed')
})

test('a row that the fault does not name is blamed wrongly, by a failure or a warning', () => {
  for (const red of ['fail', 'warn'] as const)
    expect(outcomeOf(fault, { 'AUTH-4': 'fail', 'KEY-4': red })).toMatchObject({
      outcome: 'blamed',
      wrong: ['KEY-4'],
    })
})

test('an error of the suite is never right, on whatever row', () => {
  expect(outcomeOf(fault, { 'AUTH-4': 'error' })).toMatchObject({ outcome: 'blamed', wrong: ['AUTH-4'] })
  expect(outcomeOf(oddity, { 'ERR-7': 'error' })).toMatchObject({ outcome: 'red', wrong: ['ERR-7'] })
})

test('a row without a case is not a missed one', () => {
  const other: Mutant = { ...fault, requirement: 'KEY-7', alsoBreaks: [] }
  expect(outcomeOf(other, { 'AUTH-4': 'pass' }).outcome).toBe('no case')
})

test('an odd server is green if nothing turns red but a SHOULD that it may leave unmet', () => {
  expect(outcomeOf(oddity, { 'ERR-5': 'pass', 'ERR-7': 'warn' }).outcome).toBe('green')
  expect(outcomeOf(oddity, { 'ERR-5': 'fail' })).toMatchObject({ outcome: 'red', wrong: ['ERR-5'] })
})

test('only what was caught, is green, or has no case yet is right', () => {
  const outcomes = ['caught', 'missed', 'blamed', 'no case', 'green', 'red'] as const
  const right = outcomes.filter((outcome) =>
    isRight({ mutant: fault, outcome, red: [], wrong: [], decisive: [], lost: [] }),
  )
  expect(right).toEqual(['caught', 'no case', 'green'])
})

test('a fault that is caught, but not by each check of the kill table, is not right', () => {
  const checks = (['auth.one', 'auth.two', 'errors.one'] as const).map((id) => ({
    id,
    requirement: id === 'errors.one' ? ('ERR-7' as const) : ('AUTH-4' as const),
    level: 'MUST' as const,
    outcome: id === 'auth.two' ? ('pass' as const) : ('fail' as const),
  }))
  const verdict = verdictOn(fault, checks, covered, ['auth.one', 'auth.two'])
  expect(verdict).toMatchObject({
    outcome: 'caught',
    decisive: ['auth.one', 'errors.one'],
    lost: ['auth.two'],
  })
  expect([isRight(verdict), isRight({ ...verdict, lost: [] })]).toEqual([false, true])
})
