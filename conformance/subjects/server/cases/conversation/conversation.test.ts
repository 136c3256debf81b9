// Conversations in an unusual order, and the length of a prompt, and the text of answers (WIRE-26 to 29).
import { describe, expect, it } from 'vitest'
import { chain, editReplies } from '../../../../../fixtures/faulty/edits.ts'
import { editDeltas } from '../../../../../fixtures/faulty/stream-edits.ts'
import { judgeFault } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { toolChoiceCases } from '../tools/tool-choice.ts'
import { completionCases } from '../wire/completion.ts'
import { contextCases, conversationCases } from './conversations.ts'
import { markupObservers, reasoningObservers } from './markup.ts'
import { usageCases } from '../wire/usage.ts'

describe('the order of roles', () => {
  const section = { cases: conversationCases }

  testFaults(section, {
    'wire-refuses-two-users': ['wire.order-two-user-messages', 'WIRE-26'],
    'wire-fails-for-two-users': ['wire.order-two-user-messages', 'WIRE-26'],
    'wire-refuses-late-systems': ['wire.order-late-system-message', 'WIRE-26'],
    'wire-refuses-assistants-first': ['wire.order-assistant-first', 'WIRE-26'],
    'wire-refuses-results-in-another-order': ['wire.order-results-in-another-order', 'WIRE-26'],
  })

  testOddities(section, { 'odd-proxy': /^$/ })
})

describe('the length of a prompt', () => {
  const section = { cases: contextCases }

  testFaults(section, {
    'wire-truncates-the-head': ['wire.long-message', 'WIRE-28'],
    'wire-truncates-the-tail': ['wire.long-message', 'WIRE-28'],
    'wire-drops-turns': ['wire.long-turns', 'WIRE-28'],
  })

  testOddities(section)
})

describe('the name of reasoning', () => {
  const section = {
    cases: [...completionCases, ...usageCases],
    observers: reasoningObservers,
    rows: ['WIRE-29'],
  } as const

  testOddities(section)

  it('reports another name in streams than in completions, as an optional row', async () => {
    const twoNames: Start = () =>
      chain(
        editReplies((message) => ({ ...message, reasoning_content: 'Be brief.' })),
        editDeltas((delta) => ({ ...delta, reasoning: 'Be brief.' })),
      )
    const verdicts = await judgeFault(twoNames, section.cases, section)
    expect(verdicts.filter(({ requirement }) => requirement === 'WIRE-29')).toEqual([
      expect.objectContaining({
        id: 'wire.every-reasoning',
        outcome: 'not-applicable',
        reason: expect.stringContaining('got reasoning_content and reasoning'),
      }),
    ])
  })
})

describe('markup in the text of an answer', () => {
  const section = {
    cases: [...completionCases, ...usageCases, ...toolChoiceCases],
    observers: markupObservers,
    rows: ['WIRE-27'],
  } as const

  testFaults(section, {
    'wire-leaves-end-tokens': ['wire.every-text', 'WIRE-27'],
    'wire-mixes-thoughts-in': ['wire.every-text', 'WIRE-27'],
    'wire-streams-thoughts': ['wire.every-text', 'WIRE-27'],
    'wire-writes-calls-as-text': ['wire.every-text', 'WIRE-27'],
    'wire-streams-calls-as-text': ['wire.every-text', 'WIRE-27'],
  })

  testOddities(section)
})
