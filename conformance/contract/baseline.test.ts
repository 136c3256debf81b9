import { expect, test } from 'vitest'
import { BaselineError, parseBaseline, readBaseline } from './baseline.ts'

const known = (id: string): boolean => id === 'auth.a' || id === 'auth.b'

test('reads checks and reasons', () => {
  const text = '[{"check":"auth.a","reason":"known"},{"check":"auth.b","reason":"later"}]'
  expect(Object.fromEntries(parseBaseline(text, known))).toEqual({ 'auth.a': 'known', 'auth.b': 'later' })
})

test.each([
  ['{', /not JSON/],
  ['{}', /expected an array/],
  ['["auth.a"]', /entry 0: expected/],
  ['[{"check":"auth.a"}]', /entry 0: expected/],
  ['[{"check":"auth.a","reason":" "}]', /entry 0: expected/],
  ['[{"check":"auth.c","reason":"r"}]', /entry 0: there is no check "auth.c"/],
  ['[{"check":"auth.a","reason":"r"},{"check":"auth.a","reason":"s"}]', /entry 1: auth.a is listed twice/],
])('%s is refused', (text, message) => {
  const attempt = (): unknown => parseBaseline(text, known)
  expect(attempt).toThrow(BaselineError)
  expect(attempt).toThrow(message)
})

test('a file that cannot be read is refused', () => {
  expect(() => readBaseline('/no/such/file', known)).toThrow(/--baseline: cannot read/)
})
