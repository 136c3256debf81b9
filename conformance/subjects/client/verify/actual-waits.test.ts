// A wait is measured from the last byte of an answer to the arrival of a request, and a busy judge blames no client.
import { expect, test } from 'vitest'
import { attempt, errorOf } from '../observed.fixture.ts'
import { NOTHING_OBSERVED } from '../scenario.ts'
import type { ProgramEnd } from '../../../../harness/judged-program.ts'
import { fallsBack, waitsAreDue, waitsOf, waitsVary } from './actual-waits.ts'

test('a wait begins with the last byte of the latest answer before it, also of requests that were sent together', () => {
  const waitsAfter = (...attempts: Parameters<typeof attempt>[]) =>
    waitsOf({ ...NOTHING_OBSERVED, attempts: attempts.map((one) => attempt(...one)) })
  expect(waitsAfter([0, 700, 500], [1800, 1810, 200])).toMatchObject([
    { waitedMs: 1100, due: { leastMs: 1000, mostMs: 1250 }, status: 500 },
  ])
  const together = waitsAfter([0, 20, 429, '1'], [1020, 1040, 429], [1021, 1041, 429])
  expect(together.map(({ waitedMs }) => waitedMs)).toEqual([1000, 1001])
})

test.each([
  ['too early', 920, 0, 'CheckFailure'],
  ['too early, while the judge was busy', 920, 500, 'CheckFailure'],
  ['too late', 1_700, 0, 'CheckFailure'],
  ['too late, as the judge was', 1_700, 60, 'Inconclusive'],
  ['later than a busy judge explains', 9_000, 60, 'CheckFailure'],
])('a retry comes %s', (_, arrivedMs, busyMs, error) => {
  const attempts = [attempt(0, 20, 500), attempt(arrivedMs, arrivedMs + 10, 200)]
  expect(errorOf(() => waitsAreDue({ ...NOTHING_OBSERVED, attempts, busyMs: () => busyMs }))).toBe(error)
})

test('without a retry there is nothing to judge', () => {
  expect(errorOf(() => waitsAreDue({ ...NOTHING_OBSERVED, attempts: [attempt(0, 20, 500)] }))).toBe(
    'NotApplicable',
  )
})

test('waits without jitter fail, even if a busy machine delays some, and a jitter of 100 ms passes', () => {
  expect(errorOf(() => waitsVary([0, 1, 2, 3, 4, 5, 6, 7, 8, 90]))).toBe('CheckFailure')
  expect(errorOf(() => waitsVary([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]))).toBeUndefined()
  expect(errorOf(() => waitsVary([0, 0, 0]))).toBe('NotApplicable')
})

const ended: ProgramEnd = { exitCode: 1, signal: null, isOverdue: false, stdout: '', stderr: '' }
const overdue: ProgramEnd = { ...ended, isOverdue: true }
const retried = [attempt(0, 20, 429, '2'), attempt(2_030, 2_040, 200)]

const once = retried.slice(0, 1)

test.each([
  ['a value that ends it', '-1', ended, retried, once, 'CheckFailure'],
  ['a value that ends it, and no value does not', '-1', ended, once, retried, 'CheckFailure'],
  ['a fraction that it may not have time for', '1.5', ended, once, retried, 'NotApplicable'],
  ['a value that it waits for', '-1', overdue, retried, once, 'CheckFailure'],
  ['a fraction, perhaps', '1.5', overdue, retried, once, 'Inconclusive'],
  ['a program that retries no 429', '-1', ended, once, once, 'NotApplicable'],
  ['a program that the judge did not start', '-1', undefined, retried, once, 'NotApplicable'],
])('without a retry, the judge blames what other values show: %s', (_, value, end, usable, absent, error) => {
  const attempts = [attempt(0, 20, 429, value)]
  const observed = { ...NOTHING_OBSERVED, attempts, ends: end === undefined ? [] : [end] }
  const other = { ...NOTHING_OBSERVED, attempts: usable }
  const none = { ...NOTHING_OBSERVED, attempts: absent }
  expect(errorOf(() => fallsBack(observed, other, none))).toBe(error)
})
