// The rules between fields, each kept and broken (WIRE-11).
import { describe, expect, test } from 'vitest'
import { type RelatedFields, crossFieldIssues } from './cross-field.ts'
import type { Message, ToolCall } from './message.ts'
import type { Tool } from './tool.ts'

const user: Message = { role: 'user', content: 'Hello' }
const request: RelatedFields = { messages: [user] }
const tools: readonly Tool[] = [
  { type: 'function', function: { name: 'get_time' } },
  { type: 'custom', custom: { name: 'write_note' } },
]
const named = (name: string) => ({ type: 'function' as const, function: { name } })
const custom = (name: string) => ({ type: 'custom' as const, custom: { name } })
const call: ToolCall = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } }
const asked: Message = { role: 'assistant', tool_calls: [call] }
const answer: Message = { role: 'tool', content: '10:15', tool_call_id: 'call_1' }
/** A conversation of one message of the assistant. */
const said = (message: Omit<Extract<Message, { role: 'assistant' }>, 'role'>) => ({
  messages: [{ role: 'assistant' as const, ...message }],
})

function paths(fields: Partial<RelatedFields>): string[] {
  return crossFieldIssues({ ...request, ...fields }).map(({ path }) => path.join('.'))
}

const allowed = (...references: Record<string, unknown>[]) => ({
  tools,
  tool_choice: {
    type: 'allowed_tools' as const,
    allowed_tools: { mode: 'auto' as const, tools: references },
  },
})

test.each<[string, Partial<RelatedFields>]>([
  ['nothing but messages', {}],
  [
    'null everywhere',
    {
      audio: null,
      modalities: null,
      stream_options: null,
      top_logprobs: null,
      parallel_tool_calls: null,
      tool_choice: null,
      tools: null,
    },
  ],
  ['parallel calls of tools', { tools, parallel_tool_calls: false }],
  ['top_logprobs with logprobs', { logprobs: true, top_logprobs: 0 }],
  ['stream_options with stream', { stream: true, stream_options: {} }],
  ['no tool is chosen and none is offered', { tool_choice: 'none' }],
  ['a call is required and tools are offered', { tools, tool_choice: 'required' }],
  ['a function that is offered', { tools, tool_choice: named('get_time') }],
  ['a custom tool that is offered', { tools, tool_choice: custom('write_note') }],
  ['some of the tools', allowed(named('get_time'))],
  ['sound with a voice', { modalities: ['text', 'audio'], audio: { voice: 'x' } }],
  ['a call and its answer', { messages: [asked, answer] }],
  ['an answer after another message', { messages: [asked, user, answer] }],
  ['a call that stays unanswered', { messages: [asked, user] }],
  ['an empty text', said({ content: '' })],
  ['a refusal', said({ content: null, refusal: 'No.' })],
  ['earlier sound', said({ audio: { id: 'audio_1' } })],
  ['a call of the older form', said({ function_call: { name: 'f', arguments: '' } })],
])('kept: %s', (_, fields) => {
  expect(paths(fields)).toEqual([])
})

describe('broken', () => {
  test.each<[string, Partial<RelatedFields>, string]>([
    ['top_logprobs alone', { top_logprobs: 0 }, 'top_logprobs'],
    ['parallel calls without tools', { parallel_tool_calls: true }, 'parallel_tool_calls'],
    ['top_logprobs with logprobs off', { logprobs: false, top_logprobs: 2 }, 'top_logprobs'],
    ['stream_options alone', { stream_options: {} }, 'stream_options'],
    ['stream_options with stream off', { stream: null, stream_options: {} }, 'stream_options'],
    ['tools are chosen but none is offered', { tool_choice: 'auto' }, 'tool_choice'],
    ['a tool is named but none is offered', { tool_choice: named('get_time') }, 'tool_choice'],
    ['a function that is not offered', { tools, tool_choice: named('get_date') }, 'tool_choice'],
    ['a custom tool by a function’s name', { tools, tool_choice: custom('get_time') }, 'tool_choice'],
    [
      'one of some tools is not offered',
      allowed(named('get_time'), named('get_date')),
      'tool_choice.allowed_tools.tools.1',
    ],
    [
      'the allowed tool is not a tool',
      allowed({ type: 'function', function: null }),
      'tool_choice.allowed_tools.tools.0',
    ],
    ['sound without a voice', { modalities: ['audio'] }, 'audio'],
    ['an answer to nothing', { messages: [user, answer] }, 'messages.1.tool_call_id'],
    ['an answer before its call', { messages: [answer, asked] }, 'messages.0.tool_call_id'],
    ['an assistant message with nothing', { messages: [user, { role: 'assistant' }] }, 'messages.1.content'],
    ['an assistant message with null', said({ content: null }), 'messages.0.content'],
    ['an assistant message with no calls', said({ tool_calls: [] }), 'messages.0.content'],
  ])('%s', (_, fields, path) => {
    expect(paths(fields)).toEqual([path])
  })

  test('every broken rule is found, the first field first', () => {
    expect(paths({ messages: [answer], tool_choice: 'auto', top_logprobs: 1 })).toEqual([
      'messages.0.tool_call_id',
      'top_logprobs',
      'tool_choice',
    ])
  })
})
