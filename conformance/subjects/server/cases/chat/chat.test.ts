// Chat: which faults the cases and observers find, and what they leave alone.
import { expect, it } from 'vitest'
import { wantsStream } from '../../../../../fixtures/faulty/calls.ts'
import { invalidRequest, refuseChats } from '../../../../../fixtures/faulty/error-edits.ts'
import { failed, judgeFault, redRows } from '../scripted/judge-fault.fixture.ts'
import { type Section, testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases, observers } from './chat.ts'

const section = {
  cases,
  observers,
  // The tests of edges name the faults of CHAT-5 and CHAT-6.
  rows: ['CHAT-1', 'CHAT-2', 'CHAT-3', 'CHAT-4', 'CHAT-7', 'CHAT-8', 'CHAT-9', 'CHAT-10'],
  // The large bodies of CHAT-9 and the waits of CHAT-10 take most of the time.
  selects: ({ requirement }, rows) => !/^CHAT-(9|10)$/.test(requirement) || rows.includes(requirement),
} satisfies Section

testFaults(section, {
  'chat-answers-plain-text': ['chat.valid-request', 'CHAT-1'],
  'chat-answers-in-parts': ['chat.choices', 'CHAT-1'],
  'derived-completion-choices-empty-always': ['chat.choices', 'CHAT-1'],
  'chat-knows-no-system': ['chat.system-message', 'CHAT-2'],
  'chat-answers-201': ['chat.success-is-200', 'CHAT-1', 'CHAT-7'],
  'chat-answers-streams-202': ['chat.streamed-success-is-200', 'CHAT-7'],
  'chat-accepts-trailing-commas': ['chat.trailing-comma', 'CHAT-3'],
  'chat-accepts-malformed-json': ['chat.empty-body', 'CHAT-3'],
  'chat-accepts-lists': ['chat.array-body', 'CHAT-3'],
  'chat-answers-malformed-422': ['chat.truncated-json', 'CHAT-3'],
  'chat-answers-missing-field-422': ['chat.missing-messages', 'CHAT-4'],
  'chat-names-missing-parameter': ['chat.missing-role', 'CHAT-4'],
  'chat-has-default-model': ['chat.missing-model', 'CHAT-4'],
  'chat-fills-in-content': ['chat.missing-content', 'CHAT-4'],
  'chat-accepts-text-for-messages': ['chat.messages-string', 'CHAT-5'],
  'derived-request-messages-content-number-taken-plain': ['chat.content-number', 'CHAT-5'],
  'chat-reads-booleans-in-strings': ['chat.stream-string', 'CHAT-5'],
  'chat-answers-wrong-type-422': ['chat.model-number', 'CHAT-5'],
  'chat-clamps-numbers': ['chat.temperature-too-high', 'CHAT-6'],
  'chat-accepts-any-role': ['chat.unknown-role', 'CHAT-6'],
  'chat-answers-no-messages': ['chat.no-messages', 'CHAT-6'],
  'chat-normalises-text': ['chat.echo-combining', 'CHAT-8'],
  'chat-trims-text': ['chat.echo-outer-white-space', 'CHAT-8'],
  'chat-reads-latin-1': ['chat.echo-unicode', 'CHAT-8'],
  'chat-drops-carriage-returns': ['chat.echo-line-ends', 'CHAT-8'],
  'chat-drops-nul': ['chat.echo-nul', 'CHAT-8'],
  'chat-drops-byte-order-marks': ['chat.echo-byte-order-mark', 'CHAT-8'],
  'chat-replaces-astral-characters': ['chat.echo-astral', 'CHAT-8'],
  'chat-reads-escapes-twice': ['chat.echo-escapes-in-text', 'CHAT-8'],
  'chat-escapes-html': ['chat.echo-markup-in-text', 'CHAT-8'],
  'chat-cuts-long-text': ['chat.echo-64-kib', 'CHAT-8'],
  'chat-fails-on-lone-surrogate': ['chat.lone-surrogates', 'CHAT-8', 'CHAT-9'],
  'chat-fails-on-no-object': ['chat.array-body', 'CHAT-3', 'CHAT-9'],
  'chat-answers-empty-body-502': ['chat.no-bytes', 'CHAT-3', 'CHAT-9'],
  'chat-drops-invalid-utf-8': ['chat.invalid-utf8', 'CHAT-9'],
  'chat-crashes-on-odd-members': ['chat.odd-messages', 'CHAT-9'],
  'errors-crash-on-odd-paths': ['chat.odd-paths', 'CHAT-9'],
  'chat-fails-on-parts-without-text': ['chat.odd-messages', 'CHAT-9'],
  'chat-fails-on-deep-nesting': ['chat.deep-arrays', 'CHAT-9'],
  'chat-fails-on-huge-numbers': ['chat.huge-numbers', 'CHAT-9'],
  'chat-fails-on-other-content-types': ['chat.odd-content-types', 'CHAT-9'],
  'chat-fails-on-repeated-names': ['chat.repeated-names', 'CHAT-9'],
  'chat-fails-on-invalid-settings': ['chat.any-json', 'CHAT-9'],
  'chat-leaves-chunked-bodies-unanswered': ['chat.chunked-body', 'CHAT-10', 'CHAT-9'],
  'chat-refuses-charsets': ['chat.framing-charset', 'CHAT-10'],
  'chat-demands-lengths': ['chat.framing-chunked', 'CHAT-10'],
  'chat-loses-chunked-bodies': ['chat.framing-chunked', 'CHAT-10'],
  'chat-loses-bodies-of-upgrades': ['chat.framing-upgrade', 'CHAT-10'],
  'chat-refuses-upgrades': ['chat.framing-upgrade', 'CHAT-10'],
  'chat-refuses-expectations': ['chat.framing-expect', 'CHAT-10'],
  'chat-hangs-on-expectations': ['chat.framing-expect', 'CHAT-10'],
  'chat-demands-accept': ['chat.framing-no-accept', 'CHAT-10'],
  'chat-resets-idle-connections': ['chat.framing-idle', 'CHAT-10'],
  'chat-breaks-on-nul': ['chat.every-request-answered', 'CHAT-9'],
  'chat-drops-compressed-bodies': ['chat.odd-content-encodings', 'CHAT-9'],
  'chat-cuts-answers-to-large-bodies': ['chat.large-body', 'CHAT-9'],
})

testOddities(section, { 'odd-codes': /^$/, 'odd-extra-members': /^$/, 'odd-lenient': /^$/ })

it('blames a service that refuses every valid request for that', async () => {
  const verdicts = await judgeFault(
    () => refuseChats((_, call) => !wantsStream(call), invalidRequest('no', 'No.')),
    cases.filter(({ requirement }) => requirement !== 'CHAT-9'),
    { observers },
  )
  expect(redRows(verdicts)).toEqual(['CHAT-1', 'CHAT-2'])
  expect(failed(verdicts)).toContain('chat.valid-request')
})
