// Conversations in an unusual order, and markup in the text of answers (WIRE-26, WIRE-27).
import { describe } from 'vitest'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { toolChoiceCases } from '../tools/tool-choice.ts'
import { completionCases } from '../wire/completion.ts'
import { conversationCases } from './order.ts'
import { markupObservers } from './markup.ts'
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
