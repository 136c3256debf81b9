// Examples of requests and answers; a test validates them by their schemas.
import type { ChatCompletionRequest } from '../schemas/request.ts'
import type { ChatCompletion, ChatCompletionChunk, ModelList, ModelRecord } from '../schemas/response.ts'

const MODEL = 'svc-0.1-echo'
/** A model that calls tools, which the echo does not. */
const TOOL_MODEL = 'svc-0.1-8b'
const CREATED = 1_763_712_000

const question = { role: 'user', content: 'Say hello.' } as const
const clock = {
  type: 'function',
  function: {
    name: 'get_time',
    description: 'Returns the time in a place.',
    parameters: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    },
    strict: true,
  },
} as const
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_time', arguments: '{"place":"Lisbon"}' },
} as const

/** Requests, from the smallest to a round trip of a tool. */
export const requests = {
  plain: { model: MODEL, messages: [question] },
  streamed: { model: MODEL, messages: [question], stream: true, stream_options: { include_usage: true } },
  tools: {
    model: TOOL_MODEL,
    messages: [{ role: 'user', content: 'What time is it in Lisbon?' }],
    tools: [clock],
    tool_choice: 'required',
  },
  'tool-result': {
    model: TOOL_MODEL,
    messages: [
      { role: 'user', content: 'What time is it in Lisbon?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: '10:15', tool_call_id: call.id },
    ],
    tools: [clock],
  },
} satisfies Record<string, ChatCompletionRequest>

const head = { id: 'chatcmpl-1', created: CREATED, model: MODEL }
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

function answer(
  name: string,
  content: string | null,
  reason: 'stop' | 'tool_calls',
  calls = {},
): ChatCompletion {
  const message = { role: 'assistant', content, refusal: null, ...calls } as const
  return {
    ...head,
    model: name,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: reason, logprobs: null }],
    usage,
  }
}

export const completion = answer(MODEL, 'Say hello.', 'stop')
export const completionWithCall = answer(TOOL_MODEL, null, 'tool_calls', { tool_calls: [call] })

function chunk(
  choices: ChatCompletionChunk['choices'],
  total: ChatCompletionChunk['usage'] = null,
): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices, usage: total }
}

/** The chunks of one streamed answer, in their order. */
export const chunks = {
  first: chunk([{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null }]),
  text: chunk([{ index: 0, delta: { content: 'Say hello.' }, finish_reason: null }]),
  finish: chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  usage: chunk([], usage),
}

export const model: ModelRecord = { id: MODEL, object: 'model', created: CREATED, owned_by: 'touchstone' }
export const models: ModelList = { object: 'list', data: [model] }
