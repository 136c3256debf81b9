import { expect, test } from 'vitest'
import {
  BaselineError,
  isFailureExpected,
  noLongerOffered,
  parseBaseline,
  readBaseline,
  reasonFor,
  renderBaseline,
} from './baseline.ts'
import type { Judgement } from './verdict.ts'

const known = (id: string): boolean => ['auth.a', 'auth.b', 'wire.n', 'wire.may'].includes(id)

const judgement = (id: string, outcome: Judgement['outcome'], level: Judgement['level'] = 'MUST') => ({
  id,
  requirement: 'WIRE-6' as const,
  level,
  outcome,
})

test('reads checks, reasons and the outcome of what is not offered', () => {
  const text =
    '[{"check":"auth.a","reason":"known"},{"check":"wire.n","reason":"one choice","outcome":"not-applicable"}]'
  const baseline = parseBaseline(text, known)
  expect(Object.fromEntries(baseline)).toEqual({
    'auth.a': { reason: 'known' },
    'wire.n': { reason: 'one choice', outcome: 'not-applicable' },
  })
  expect(['auth.a', 'wire.n'].map((id) => isFailureExpected(baseline, judgement(id, 'fail')))).toEqual([
    true,
    false,
  ])
  expect(reasonFor(baseline, judgement('wire.n', 'not-applicable'))).toBe('one choice')
  expect(reasonFor(baseline, judgement('wire.n', 'fail'))).toBeUndefined()
})

test.each([
  ['{', /not JSON/],
  ['{}', /expected an array/],
  ['["auth.a"]', /entry 0: expected/],
  ['[{"check":"auth.a"}]', /entry 0: expected/],
  ['[{"check":"auth.a","reason":" "}]', /entry 0: expected .*: give a reason for auth\.a/],
  [
    '[{"check":"auth.a","reason":"r","outcome":"pass"}]',
    /entry 0: outcome: expected "not-applicable" or "warn", or none/,
  ],
  ['[{"check":"auth.c","reason":"r"}]', /entry 0: there is no check "auth.c"/],
  ['[{"check":"auth.a","reason":"r"},{"check":"auth.a","reason":"s"}]', /entry 1: auth.a is listed twice/],
])('%s is refused', (text, message) => {
  const attempt = (): unknown => parseBaseline(text, known)
  expect(attempt).toThrow(BaselineError)
  expect(attempt).toThrow(message)
})

test('a SHOULD that will not be held is expected as a warning and, with --strict, as a failure; a MUST is not', () => {
  const baseline = parseBaseline('[{"check":"auth.a","reason":"decided","outcome":"warn"}]', known)
  const fails = judgement('auth.a', 'fail', 'SHOULD')
  expect(reasonFor(baseline, judgement('auth.a', 'warn', 'SHOULD'))).toBe('decided')
  expect([isFailureExpected(baseline, fails), reasonFor(baseline, fails)]).toEqual([true, 'decided'])
  const must = judgement('auth.a', 'fail')
  expect([isFailureExpected(baseline, must), reasonFor(baseline, must)]).toEqual([false, undefined])
  const warned = { ...judgement('auth.a', 'warn', 'SHOULD'), baseline: 'decided' }
  expect(parseBaseline(renderBaseline([warned]), known)).toEqual(baseline)
  expect(renderBaseline([{ ...warned, baseline: undefined }])).toBe('[]\n')
})

test('a file that cannot be read is refused', () => {
  expect(() => readBaseline('/no/such/file', known)).toThrow(/--baseline: cannot read/)
})

const checks = [
  judgement('auth.a', 'fail'),
  judgement('auth.b', 'pass'),
  judgement('wire.n', 'not-applicable'),
  judgement('wire.may', 'not-applicable', 'MAY'),
]

test('a check that is not applicable and not listed is no longer offered, except of an optional row', () => {
  expect(noLongerOffered(checks, undefined)).toEqual([])
  expect(noLongerOffered(checks, new Map())).toEqual(['wire.n'])
  for (const outcome of [{}, { outcome: 'not-applicable' as const }])
    expect(noLongerOffered(checks, new Map([['wire.n', { reason: 'r', ...outcome }]]))).toEqual([])
})

test('a written baseline expects what failed and what is not offered, and a person gives the reasons', () => {
  const text = renderBaseline(checks)
  expect(() => parseBaseline(text, known)).toThrow(/give a reason for auth\.a/)
  const filled = parseBaseline(text.replaceAll('""', '"known"'), known)
  expect([...filled.keys()]).toEqual(['auth.a', 'wire.n'])
  expect(noLongerOffered(checks, filled)).toEqual([])
  const again = checks.map((check) => Object.assign({ baseline: reasonFor(filled, check) }, check))
  expect(parseBaseline(renderBaseline(again), known)).toEqual(filled)
})
