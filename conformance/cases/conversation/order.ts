// Conversations whose roles come in an unusual order (WIRE-26).
import type { Members } from '../../target/capabilities.ts'
import { type Variants, checkEach } from '../../runner/case.ts'
import { isSuccess, succeeded } from '../requests/chat.ts'

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

/** Messages, and the same in the usual order. WIRE-9 judges whether those are accepted. */
const conversations: Variants<[messages: readonly Members[], usual: readonly Members[]]> = {
  'two-user-messages': ['two user messages in a row', [question, again], [question, answer, again]],
  'late-system-message': [
    'a system message that is not first',
    [question, answer, system, again],
    [system, question, answer, again],
  ],
  'assistant-first': ['an assistant message first', [answer, question], [question, answer, again]],
  'results-in-another-order': [
    'the results of two calls in another order than the calls',
    [question, calls, ...results.toReversed()],
    [question, calls, ...results],
  ],
}

export const conversationCases = checkEach('wire.order-*', 'WIRE-26', '*', conversations).run(
  async (t, messages, usual) => {
    const exchange = await t.chat({ messages })
    if (!isSuccess(exchange) && !isSuccess(await t.chat({ messages: usual })))
      t.inconclusive('these messages are refused in the usual order too, which WIRE-9 judges')
    t.expect(exchange, succeeded)
  },
)
