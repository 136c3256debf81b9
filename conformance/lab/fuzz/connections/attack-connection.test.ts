import { expect, test } from 'vitest'
import { problemOfSteps } from './attack-connection.ts'

const good = { status: 200, start: '{}' }
const refusal = { status: 400, start: '{"error":{"message":"no"}}' }
const outcome = {
  ending: 'answered' as const,
  answers: [good, refusal],
  isHttp: true,
  isReading: true,
  isAtEnd: true,
}
const attack = { kind: 'k', pieces: [], owed: 2 }

test('answers that are owed, each right, on a connection that was closed: no problem', () => {
  expect(problemOfSteps(attack, outcome)).toBeUndefined()
  expect(problemOfSteps({ ...attack, owed: 0 }, { ...outcome, answers: [] })).toBeUndefined()
})

test.each([
  ['an answer that is missing', { answers: [good] }],
  ['an answer that is not HTTP', { isHttp: false }],
  ['status 500', { answers: [good, { ...refusal, status: 500 }] }],
  ['status 400 without the error envelope', { answers: [{ ...refusal, start: '{}' }, good] }],
  ['no connection', { ending: 'unreachable' as const, answers: [] }],
  [
    'a connection that is neither answered nor closed',
    { ending: 'late' as const, answers: [], isAtEnd: false },
  ],
  ['a connection that stays open after its last answer', { ending: 'late' as const, isAtEnd: false }],
  ['a connection that stays open after the server ended its half', { ending: 'late' as const }],
  [
    'a connection that stays open although its client does not read',
    { ending: 'late' as const, isReading: false },
  ],
])('%s', (problem, changed) => {
  expect(problemOfSteps(attack, { ...outcome, ...changed })).toBe(problem)
})

test('a service may refuse some connections of a burst', () => {
  expect(problemOfSteps({ ...attack, copies: 2 }, { ...outcome, ending: 'unreachable' })).toBeUndefined()
})
