// The edges of fields: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { invalidRequest, refuseChats, refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { asList } from '../../../../../fixtures/faulty/json.ts'
import type { Case } from '../../case.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { type Section, testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases } from './edges.ts'

/** The field of a check such as `wire.edge.tools-item-type.unknown`, or `tools`. */
function fieldOf(check: string): string {
  return (check.split('.')[2] ?? '').replace(/-(item|member)\b.*/, '')
}

const section = {
  cases,
  rows: ['CHAT-5', 'CHAT-6', 'WIRE-10', 'WIRE-30'],
  selects: ({ id }, _, check) => check === undefined || fieldOf(id) === fieldOf(check),
} satisfies Section

testFaults(section, {
  'wire-refuses-highest-temperature': ['wire.edge.temperature.upper', 'WIRE-10'],
  'derived-request-temperature-least-refused-plain': ['wire.edge.temperature.lower', 'WIRE-10'],
  'wire-refuses-most-choices': ['wire.edge.n.upper', 'WIRE-10'],
  'derived-request-n-greatest-refused-streamed': ['wire.edge.n.upper', 'WIRE-10'],
  'wire-refuses-whole-numbers-with-a-point': ['wire.edge.seed.whole', 'WIRE-10'],
  'derived-request-top-p-above-taken-plain': ['wire.edge.top-p.above', 'WIRE-10'],
  'derived-request-n-numeral-taken-plain': ['wire.edge.n.type', 'CHAT-5'],
  'derived-request-n-numeral-taken-streamed': ['stream.edge.n', 'STREAM-13'],
  'chat-reads-numbers-in-strings': ['wire.edge.n.type', 'CHAT-5'],
  'chat-accepts-text-for-messages': ['wire.edge.messages.type', 'CHAT-5'],
  'chat-answers-wrong-type-422': ['wire.edge.model.type', 'CHAT-5'],
  'chat-reads-booleans-in-strings': ['wire.edge.stream.type', 'CHAT-5'],
  'chat-clamps-numbers': ['wire.edge.temperature.above', 'WIRE-10'],
  'chat-answers-no-messages': ['wire.edge.messages.too-few', 'WIRE-10'],
  'wire-takes-unknown-kinds-of-tools': ['wire.edge.tools-item-type.unknown', 'CHAT-6'],
  'chat-accepts-any-role': ['wire.edge.messages-item-role.unknown', 'CHAT-6'],
  'derived-request-messages-content-text-number-taken-plain': [
    'wire.edge.messages-item-content-item-text.type',
    'CHAT-5',
  ],
  'derived-request-messages-tool-calls-id-number-taken-plain': [
    'wire.edge.messages-item-tool-calls-item-id.type',
    'CHAT-5',
  ],
  'wire-takes-unknown-tiers': ['wire.edge.service-tier.unknown', 'WIRE-10'],
  'wire-refuses-longest-names': ['wire.edge.tools-item-function-name.characters', 'WIRE-10'],
  'derived-request-moderation-boolean-taken-plain': ['wire.edge.moderation.type', 'CHAT-5'],
  'wire-ignores-unseen-fields': ['wire.unseen-prediction', 'WIRE-30'],
  'derived-request-moderation-boolean-taken-streamed': ['stream.edge.moderation', 'STREAM-13'],
})

testOddities(section, { 'odd-bounds': /^(wire|stream)\.edge\.n(\.|$)/ })

/** The checks of these fields, plain and streamed: the third word of an id such as `wire.edge.n.upper`. */
function edgesOf(fields: RegExp): readonly Case[] {
  return cases.filter(({ id }) => fields.test(id.split('.')[2] ?? ''))
}

it('does not blame a model whose context is too short for so many tools', async () => {
  const verdicts = await judgeFault(
    () =>
      refuseChats(
        (body) => asList(body['tools']).length > 100,
        invalidRequest('context_length_exceeded', 'The prompt is too long for the context of this model.'),
      ),
    edgesOf(/^tools/),
  )
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'wire.edge.tools.most')).toBe('not-applicable')
})

it('does not try the edges of a field of which only the default is taken', async () => {
  const verdicts = await judgeFault(() => refuseFields(['temperature']), edgesOf(/^temperature/))
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'wire.edge.temperature.upper')).toBe('not-applicable')
})
