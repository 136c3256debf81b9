// Conversations whose roles come in an unusual order (WIRE-26).
import { type Case, check } from '../../runner/case.ts'
import { isSuccess, succeeded } from '../requests/chat.ts'

type Message = Readonly<Record<string, unknown>>

const question = { role: 'user', content: 'What does the word mean?' }
const again = { role: 'user', content: 'Give an example, too.' }
const answer = { role: 'assistant', content: 'Which word?' }
const system = { role: 'system', content: 'Be brief.' }

function callOf(id: string, word: string): object {
  return { id, type: 'function', function: { name: 'look_up', arguments: JSON.stringify({ word }) } }
}

const calls = {
  role: 'assistant',
  content: null,
  tool_calls: [callOf('call_1', 'stone'), callOf('call_2', 'gold')],
}
const results = [
  { role: 'tool', tool_call_id: 'call_1', content: 'A piece of rock.' },
  { role: 'tool', tool_call_id: 'call_2', content: 'A metal.' },
]

interface Conversation {
  readonly title: string
  readonly messages: readonly Message[]
  /** The same messages in the usual order. WIRE-9 judges whether they are accepted. */
  readonly usual: readonly Message[]
}

const conversations: Readonly<Record<string, Conversation>> = {
  'two-user-messages': {
    title: 'two user messages in a row',
    messages: [question, again],
    usual: [question, answer, again],
  },
  'late-system-message': {
    title: 'a system message that is not first',
    messages: [question, answer, system, again],
    usual: [system, question, answer, again],
  },
  'assistant-first': {
    title: 'an assistant message first',
    messages: [answer, question],
    usual: [question, answer, again],
  },
  'results-in-another-order': {
    title: 'the results of two calls in another order than the calls',
    messages: [question, calls, ...results.toReversed()],
    usual: [question, calls, ...results],
  },
}

export const conversationCases: readonly Case[] = Object.entries(conversations).map(
  ([slug, { title, messages, usual }]) =>
    check(`wire.order-${slug}`, 'WIRE-26', title).run(async (t) => {
      const exchange = await t.chat({ messages })
      if (!isSuccess(exchange) && !isSuccess(await t.chat({ messages: usual })))
        t.inconclusive('these messages are refused in the usual order too, which WIRE-9 judges')
      t.expect(exchange, succeeded)
    }),
)
