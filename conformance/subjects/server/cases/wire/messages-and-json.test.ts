// Forms of messages and answers in JSON: which faults the cases find, and what they leave alone (WIRE-9, WIRE-17,
// WIRE-18, WIRE-24).
import { describe, expect, it } from 'vitest'
import { refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { chain } from '../../../../../fixtures/faulty/edits.ts'
import { editFormatted } from '../../../../../fixtures/faulty/faults/answers/json.ts'
import { editFinishReason } from '../../../../../fixtures/faulty/stream-edits.ts'
import { judgeFault, notPassed, outcomesOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { testChecks, testFaults, testOddities, testThatAllAreNamed } from '../scripted/test-faults.fixture.ts'
import { jsonCases } from './json.ts'
import { messageCases } from './messages.ts'

describe('answers in JSON', () => {
  const section = { cases: jsonCases, runs: 3 }

  testFaults(section, {
    'wire-introduces-json': ['wire.json-object', 'WIRE-17'],
    'wire-fences-json': ['wire.json-object-streamed', 'WIRE-17'],
    'wire-answers-lists': ['wire.json-object', 'WIRE-17'],
    'wire-cuts-json': ['wire.json-object-any-text', 'WIRE-17'],
    'wire-adds-members': ['wire.json-schema-flat', 'WIRE-18'],
    'wire-ignores-schemas': ['wire.json-schema-nested', 'WIRE-18'],
    'wire-answers-empty-objects': ['wire.json-schema-nested-streamed', 'WIRE-18'],
    'wire-answers-other-words': ['wire.json-schema-list', 'WIRE-18'],
    'wire-writes-numbers-as-text': ['wire.json-schema-flat-streamed', 'WIRE-18'],
    'wire-fails-for-references': ['wire.json-schema-recursive', 'WIRE-18'],
    'wire-fails-for-unknown-types': ['wire.json-schema-unknown-type', 'WIRE-18'],
    'wire-fails-for-alternatives': ['wire.json-schema-choices-streamed', 'WIRE-18'],
    'wire-ignores-references': ['wire.json-schema-references', 'WIRE-18'],
    'wire-ignores-alternatives': ['wire.json-schema-choices', 'WIRE-18'],
    'wire-ignores-enumerated-numbers': ['wire.json-schema-choices-streamed', 'WIRE-18'],
    'wire-answers-schemas-in-prose': ['wire.json-schema-list-streamed', 'WIRE-18'],
  })

  testOddities(section, { 'odd-simulator-refuses-type-lists': /^wire\.json-schema-(list|recursive|choices)/ })

  it.each(['length', 'content_filter'])('judges no answer that ends with %s', async (reason) => {
    const cut: Start = () =>
      chain(
        editFinishReason(() => reason),
        editFormatted('json_object', () => '{"cut'),
        editFormatted('json_schema', () => '{"cut'),
      )
    const ofAnswers = jsonCases.filter(({ id }) => id !== 'wire.json-schema-unknown-type')
    const verdicts = await judgeFault(cut, ofAnswers, section)
    expect(outcomesOf(verdicts)).toEqual(['inconclusive'])
  })

  it('judges no service that refuses response_format by name', async () => {
    const verdicts = await judgeFault(() => refuseFields(['response_format']), jsonCases, section)
    expect(outcomesOf(verdicts)).toEqual(['not-applicable'])
  })
})

describe('forms of a message', () => {
  const section = { cases: messageCases }
  const expected = {
    'wire-refuses-replayed-tool-calls': ['wire.replayed-answer'],
    'wire-refuses-replayed-annotations': ['wire.replayed-answer', 'wire.replayed-call'],
    'wire-refuses-replayed-audio': ['wire.replayed-answer', 'wire.replayed-call'],
    'wire-refuses-replayed-function-call': ['wire.replayed-answer', 'wire.replayed-call'],
    'wire-reads-two-parts': ['wire.parts-all-read'],
    'chat-knows-no-system': ['wire.message-system', 'wire.message-system-parts'],
    'wire-refuses-text-parts': ['wire.message-system-parts'],
    'wire-refuses-user-parts': ['wire.message-user-parts'],
    'wire-refuses-assistant-text': ['wire.message-assistant'],
    'wire-refuses-assistant-parts': ['wire.message-assistant-parts'],
    'wire-refuses-null-content': [
      'wire.message-call-null-content',
      'wire.message-result-empty',
      'wire.message-result-parts',
    ],
    'wire-refuses-absent-content': ['wire.message-call-absent-content'],
    'wire-refuses-text-beside-calls': ['wire.message-call-text-content', 'wire.message-call-empty-content'],
    'wire-refuses-empty-text-beside-calls': ['wire.message-call-empty-content'],
    'wire-refuses-empty-results': ['wire.message-result-empty'],
    'wire-reads-no-system-messages': ['wire.read-system-message', 'wire.read-system-part'],
    'wire-reads-one-turn': ['wire.read-earlier-turns'],
    'wire-reads-one-system-part': ['wire.read-system-part'],
    'wire-reads-one-result-part': ['wire.read-result-part'],
    'wire-refuses-result-parts': ['wire.message-result-parts'],
  }

  testChecks(section, expected)
  testThatAllAreNamed(section, expected)
  testOddities(section, { 'odd-refuses-names': /^wire\.message-user-name$/ })

  it('judges no media that a service refuses by name', async () => {
    const others = notPassed(await judgeFault('odd-proxy', messageCases))
    expect(others).toEqual(
      ['image-url', 'input-audio', 'file'].map((name) =>
        expect.stringMatching(`^wire.message-${name}: not-applicable`),
      ),
    )
  })
})
