// A program that ends a stream which continues is blamed, unless the machine made the stream pause (READ-16).
import { expect, test } from 'vitest'
import { attempt, errorOf } from '../observed.fixture.ts'
import { NOTHING_OBSERVED, type Observed } from '../scenario.ts'
import { readsToItsEnd } from './long-streams.ts'

const LONG_MS = 86_000

function errorFor(hungUpMs: number | undefined, more: Partial<Observed> = {}): string | undefined {
  const attempts = [{ ...attempt(0, LONG_MS, 200), hungUpMs }]
  return errorOf(() => readsToItsEnd({ ...NOTHING_OBSERVED, attempts, ...more }, NOTHING_OBSERVED, LONG_MS))
}

test.each([10_000, 30_000, 60_000, 85_000])('a connection that is closed after %d ms fails', (hungUpMs) => {
  expect(errorFor(hungUpMs)).toBe('CheckFailure')
})

test('the program is not blamed for a busy machine', () => {
  expect(errorFor(60_000, { busyMs: (fromMs, toMs) => (fromMs <= 55_000 && toMs >= 55_000 ? 900 : 0) })).toBe(
    'Inconclusive',
  )
  expect(errorFor(60_000, { busyMs: (fromMs) => (fromMs < 40_000 ? 900 : 0) })).toBe('CheckFailure')
  expect(errorFor(90_000)).toBe('Inconclusive')
})

test('a stream that is read to its end is judged by the output of the program', () => {
  const end = { exitCode: 1, signal: null, isOverdue: false, stdout: '', stderr: '' }
  expect(errorFor(undefined, { ends: [end] })).toBe('CheckFailure')
  expect(errorFor(undefined, { ends: [{ ...end, exitCode: 0 }] })).toBeUndefined()
})
