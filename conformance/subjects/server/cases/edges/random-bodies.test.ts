// Invalid bodies: which faults of validation the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { forAllWith } from '../../../../../spec/property.fixture.ts'
import { parseChatCompletionRequest } from '../../../../../spec/schemas/parse-request.ts'
import { bodyText } from '../../../../generate/chat-requests.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { bodyChecks, brokenBodies, cases } from './random-bodies.ts'

// The tests of chat and of edges name the faults of CHAT-4 to CHAT-6 and WIRE-10.
const section = { cases, rows: ['WIRE-11', 'STREAM-13'], runs: 50 } as const

testFaults(section, {
  'chat-has-default-model': ['invalid-bodies.missing-member', 'CHAT-4'],
  'chat-fills-in-content': ['invalid-bodies.missing-member', 'CHAT-4'],
  'chat-names-missing-parameter': ['invalid-bodies.missing-member', 'CHAT-4'],
  'derived-request-messages-content-object-taken-plain': ['invalid-bodies.type-in-messages', 'CHAT-5'],
  'derived-request-temperature-string-taken-plain': ['invalid-bodies.type-of-temperature', 'CHAT-5'],
  'derived-request-stop-object-taken-plain': ['invalid-bodies.type-of-stop', 'CHAT-5'],
  'chat-answers-wrong-type-422': ['invalid-bodies.type-of-top-p', 'CHAT-5'],
  'chat-accepts-any-role': ['invalid-bodies.unknown-role', 'CHAT-6'],
  'wire-takes-unknown-kinds-of-tools': ['invalid-bodies.unknown-tools', 'CHAT-6'],
  'derived-request-temperature-above-taken-plain': ['invalid-bodies.range-of-temperature', 'WIRE-10'],
  'derived-request-n-fraction-taken-plain': ['invalid-bodies.integer-n', 'WIRE-10'],
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

it.each(bodyChecks.map((one) => [one.slug, one] as const))('%s sends bodies that break it', (_, one) => {
  forAllWith({ numRuns: 20 }, brokenBodies('m', [one]), ({ body, at, place }) => {
    const read = parseChatCompletionRequest(JSON.parse(bodyText(body)))
    expect([at, place.kind, 'issue' in read]).toEqual([at, place.kind, true])
    expect(at.replaceAll(/\[\d+\]/g, '[]')).toMatch(new RegExp(`^${RegExp.escape(one.at ?? '')}`))
    expect(one.kinds).toContain(place.kind)
  })
})

it('does not judge the ranges of fields that are refused by name', async () => {
  const verdicts = await judgeFault(() => refuseFields(['tools']), cases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-tools')).toBe('not-applicable')
  expect(outcomeOf(verdicts, 'invalid-bodies.range-of-temperature')).toBe('pass')
})
