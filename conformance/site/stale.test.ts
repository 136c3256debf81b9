// An entry becomes stale by age or by newer versions.
import { expect, test } from 'vitest'
import { staleReason } from './stale.ts'

test('an entry is stale after a year, or when two newer versions were judged', () => {
  const versions = ['1.0.0', '1.1.0', '2.0.0']
  const stale = (version: string, date: string): string | undefined =>
    staleReason({ version, date }, versions, '2026-11-20')
  expect(stale('2.0.0', '2026-11-01')).toBeUndefined()
  expect(stale('1.1.0', '2026-11-01')).toBeUndefined()
  expect(stale('1.0.0', '2026-11-01')).toBe('2 newer versions were judged')
  expect(stale('2.0.0', '2025-11-20')).toBeUndefined()
  expect(stale('2.0.0', '2025-11-19')).toBe('judged more than a year before 2026-11-20')
})

test('the same version in two profiles is one version', () => {
  const versions = ['1.0.0', '1.1.0', '1.1.0']
  expect(staleReason({ version: '1.0.0', date: '2026-11-20' }, versions, '2026-11-20')).toBeUndefined()
})
