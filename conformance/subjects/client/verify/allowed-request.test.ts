// Which requests of a program the format allows (CALL-7).
import { expect, test } from 'vitest'
import { attempt, errorOf } from '../observed.fixture.ts'
import { isAllowed } from './allowed-request.ts'

const USER = { role: 'user', content: 'hello' }
const TOOLS = [{ type: 'function', function: { name: 'get_time' } }]

function errorFor(members: object): string | undefined {
  const body = Buffer.from(JSON.stringify({ model: 'm', messages: [USER], ...members }))
  const { request, ...rest } = attempt(0, 20, 200)
  return errorOf(() => isAllowed({ attempts: [{ ...rest, request: { ...request, body } }] }))
}

test.each<object>([
  { tools: [] },
  { tool_choice: 'auto' },
  { tool_choice: 'none' },
  { parallel_tool_calls: false },
  { stream_options: { include_usage: true } },
  { stream: false, stream_options: {} },
  { max_tokens: 5, max_completion_tokens: 5 },
  { max_tokens: 0 },
  { max_tokens: '5' },
  { n: 1.5 },
  { temperature: 2.1 },
  { stop: [] },
  { top_logprobs: 1 },
  { messages: [] },
  { messages: [{ role: 'human', content: 'hello' }] },
  { messages: [{ role: 'user', content: null }] },
  { messages: [USER, { role: 'tool', tool_call_id: 'a', content: { text: 'b' } }] },
  { tools: TOOLS, tool_choice: { type: 'function', function: { name: 'another' } } },
  { tools: [{ type: 'function', function: { name: 'a b' } }] },
])('%j is not allowed', (members) => {
  expect(errorFor(members)).toBe('CheckFailure')
})

test.each<object>([
  {},
  { tools: null, tool_choice: null, parallel_tool_calls: null, stream_options: null },
  { max_tokens: 5, max_completion_tokens: null },
  { tools: TOOLS, tool_choice: 'auto', parallel_tool_calls: true },
  { stream: true, stream_options: { include_usage: true, of_a_vendor: 1 } },
  { top_k: 5, messages: [{ ...USER, cache_control: {} }], tools: [{ ...TOOLS[0], cache_control: {} }] },
  // CALL-6 judges the message of the service and its ids.
  { messages: [USER, { role: 'assistant', content: null, tool_calls: [{ id: null }] }] },
  { messages: [USER, { role: 'tool', tool_call_id: null, content: '4 °C' }] },
])('%j is allowed', (members) => {
  expect(errorFor(members)).toBeUndefined()
})
