// An entry becomes stale by age or by newer versions; changes between versions are named by their direction.
import { expect, test } from 'vitest'
import { OUTCOMES, type Outcome } from '../../contract/outcome.ts'
import { turnOf } from './changes.ts'
import { staleReason } from './record.ts'

test('an entry is stale after a year, or when two newer versions were judged', () => {
  const versions = ['1.0.0', '1.1.0', '2.0.0']
  const stale = (version: string, date: string): string | undefined =>
    staleReason({ version, date }, versions, '2026-11-20')
  expect(stale('2.0.0', '2026-11-01')).toBeUndefined()
  expect(stale('1.1.0', '2026-11-01')).toBeUndefined()
  expect(stale('1.0.0', '2026-11-01')).toBe('2 newer versions were judged')
  const tens = ['0.9.0', '0.10.0', '0.11.0']
  expect(staleReason({ version: '0.9.0', date: '2026-11-01' }, tens, '2026-11-20')).toMatch(/^2 newer/)
  expect(stale('2.0.0', '2025-11-20')).toBeUndefined()
  expect(stale('2.0.0', '2025-11-19')).toBe('judged more than a year before 2026-11-20')
})

test('the same version in two profiles is one version', () => {
  const versions = ['1.0.0', '1.1.0', '1.1.0']
  expect(staleReason({ version: '1.0.0', date: '2026-11-20' }, versions, '2026-11-20')).toBeUndefined()
})

test('a check broke from pass to failure alone, and was fixed from failure to pass alone', () => {
  const outcomes: readonly (Outcome | undefined)[] = [...OUTCOMES, undefined]
  const pairs = outcomes.flatMap((before) => outcomes.map((after) => ({ before, after })))
  const turned = (turn: string) =>
    pairs.filter((pair) => turnOf(pair) === turn).map(({ before, after }) => `${before} to ${after}`)
  expect(turned('broke')).toEqual(['pass to fail', 'pass to warn'])
  expect(turned('fixed')).toEqual(['fail to pass', 'warn to pass'])
})
