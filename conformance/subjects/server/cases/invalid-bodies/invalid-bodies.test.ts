// Invalid bodies: which faults of validation the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases } from './invalid-bodies.ts'

// The tests of chat and of edges name the faults of CHAT-4 to CHAT-6 and WIRE-10.
const section = { cases, rows: ['WIRE-11', 'STREAM-13'], runs: 50 } as const

testFaults(section, {
  'chat-has-default-model': ['invalid-bodies.missing-member', 'CHAT-4'],
  'chat-fills-in-content': ['invalid-bodies.missing-member', 'CHAT-4'],
  'chat-names-missing-parameter': ['invalid-bodies.missing-member', 'CHAT-4'],
  'derived-request-messages-content-object-taken-plain': ['invalid-bodies.type-in-messages', 'CHAT-5'],
  'derived-request-temperature-string-taken-plain': ['invalid-bodies.type-of-temperature', 'CHAT-5'],
  'derived-request-stop-number-taken-plain': ['invalid-bodies.type-of-stop', 'CHAT-5'],
  'chat-answers-wrong-type-422': ['invalid-bodies.type-of-top-p', 'CHAT-5'],
  'chat-accepts-any-role': ['invalid-bodies.unknown-role', 'CHAT-6'],
  'wire-takes-unknown-kinds-of-tools': ['invalid-bodies.unknown-tools', 'CHAT-6'],
  'derived-request-temperature-above-taken-plain': ['invalid-bodies.range-of-temperature', 'WIRE-10'],
  'derived-request-top-p-above-taken-plain': ['invalid-bodies.range-of-top-p', 'WIRE-10'],
  'derived-request-presence-penalty-above-taken-plain': [
    'invalid-bodies.range-of-presence-penalty',
    'WIRE-10',
  ],
  'derived-request-frequency-penalty-above-taken-plain': [
    'invalid-bodies.range-of-frequency-penalty',
    'WIRE-10',
  ],
  'derived-request-n-below-taken-plain': ['invalid-bodies.range-of-n', 'WIRE-10'],
  'derived-request-n-fraction-taken-plain': ['invalid-bodies.integer-n', 'WIRE-10'],
  'derived-request-top-logprobs-above-taken-plain': ['invalid-bodies.range-of-top-logprobs', 'WIRE-10'],
  'derived-request-top-logprobs-fraction-taken-plain': ['invalid-bodies.integer-top-logprobs', 'WIRE-10'],
  'derived-request-max-tokens-below-taken-plain': ['invalid-bodies.range-of-max-tokens', 'WIRE-10'],
  'derived-request-max-tokens-fraction-taken-plain': ['invalid-bodies.integer-max-tokens', 'WIRE-10'],
  'derived-request-max-completion-tokens-below-taken-plain': [
    'invalid-bodies.range-of-max-completion-tokens',
    'WIRE-10',
  ],
  'derived-request-max-completion-tokens-fraction-taken-plain': [
    'invalid-bodies.integer-max-completion-tokens',
    'WIRE-10',
  ],
  'derived-request-logit-bias-element-above-taken-plain': ['invalid-bodies.range-of-logit-bias', 'WIRE-10'],
  'derived-request-stop-too-much-taken-plain': ['invalid-bodies.range-of-stop', 'WIRE-10'],
  'derived-request-metadata-element-too-much-taken-plain': ['invalid-bodies.range-of-metadata', 'WIRE-10'],
  'derived-request-tools-too-much-taken-plain': ['invalid-bodies.range-of-tools', 'WIRE-10'],
  'derived-request-tools-function-name-no-name-taken-plain': ['invalid-bodies.names-of-functions', 'WIRE-10'],
  'wire-takes-top-logprobs-alone': ['invalid-bodies.top-logprobs-alone', 'WIRE-11'],
  'wire-takes-stream-options-alone': ['invalid-bodies.stream-options-alone', 'WIRE-11'],
  'wire-takes-choice-of-absent-tool': ['invalid-bodies.tool-choice', 'WIRE-11'],
  'wire-takes-results-without-calls': ['invalid-bodies.answer-without-call', 'WIRE-11'],
  'wire-takes-empty-assistant': ['invalid-bodies.empty-assistant', 'WIRE-11'],
  'stream-checks-nothing': ['invalid-bodies.streamed-chat', 'STREAM-13'],
  'derived-request-messages-role-missing-taken-streamed': ['invalid-bodies.streamed-missing', 'STREAM-13'],
  'derived-request-temperature-above-taken-streamed': ['invalid-bodies.streamed-ranges', 'STREAM-13'],
  'stream-accepts-malformed-json': ['invalid-bodies.streamed-truncated', 'STREAM-13'],
})

testOddities(section, { 'odd-codes': /^$/, 'odd-lenient': /^$/, 'odd-bounds': /(-n|of-n)$/ })

it('does not judge the ranges of fields that are refused by name', async () => {
  const verdicts = await judgeFault(() => refuseFields(['tools']), cases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-tools')).toBe('not-applicable')
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-temperature')).toBe('pass')
})
