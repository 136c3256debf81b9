// Invalid bodies: which faults of validation the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { cases } from './invalid-bodies.ts'

it('does not judge the ranges of fields that are refused by name', async () => {
  const verdicts = await judgeFault(() => refuseFields(['tools']), cases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-tools')).toBe('not-applicable')
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-temperature')).toBe('pass')
})

// The kill table has the checks that always catch a fault; a few requests of a property may leave these out.
it.each([
  ['derived-request-temperature-string-taken-plain', 'invalid-bodies.type-of-temperature'],
  ['derived-request-messages-content-object-taken-plain', 'invalid-bodies.type-in-messages'],
  ['derived-request-top-logprobs-above-taken-plain', 'invalid-bodies.range-of-top-logprobs'],
  ['chat-accepts-any-role', 'invalid-bodies.unknown-role'],
  ['wire-takes-choice-of-absent-tool', 'invalid-bodies.tool-choice'],
])('catches %s by %s, with enough requests', async (fault, check) => {
  const own = cases.filter(({ id }) => id === check)
  expect(failed(await judgeFault(fault, own, { runs: 50 }))).toEqual([check])
})
