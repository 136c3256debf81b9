// Breaking the rules between the fields of a request (WIRE-11), each one alone.
import * as fc from 'fast-check'
import { type LocatedRequest, TOOL_NAME } from './keep-rules.ts'
import type { Json, JsonObject } from './schema-node.ts'
import type { Place } from './schema-places.ts'

/** A rule between fields, with the way to break it in a request that keeps all of them. */
export interface Rule extends Place {
  /** The optional field without which the rule cannot be broken; null for messages. */
  readonly field: string | null
  readonly mutate: () => fc.Arbitrary<(body: JsonObject) => LocatedRequest>
}

const REQUEST = '/components/schemas/ChatCompletionRequest'

/** Every rule between fields; `constraint` is where the document states it, in words. */
export const rules: readonly Rule[] = [
  onlyWith(
    'stream_options',
    'stream',
    { include_usage: true },
    `${REQUEST}/properties/stream_options/description`,
  ),
  onlyWith('top_logprobs', 'logprobs', 2, `${REQUEST}/properties/top_logprobs/description`),
  {
    at: 'tool_choice',
    kind: 'rule',
    field: 'tool_choice',
    constraint: `${REQUEST}/properties/tool_choice/description`,
    mutate: () =>
      fc.constantFrom('auto', 'required', chosen(TOOL_NAME)).map((tool_choice) => (body) => ({
        body: { ...omit(body, 'tools', 'parallel_tool_calls'), tool_choice },
        path: ['tool_choice'],
      })),
  },
  {
    at: 'tool_choice',
    kind: 'rule',
    field: 'tool_choice',
    constraint: `${REQUEST}/properties/tool_choice/description`,
    mutate: () =>
      fc.constant((body) => ({
        body: { ...body, tools: [chosen(TOOL_NAME)], tool_choice: chosen(`not_${TOOL_NAME}`) },
        path: ['tool_choice'],
      })),
  },
  {
    at: 'parallel_tool_calls',
    kind: 'rule',
    field: 'parallel_tool_calls',
    constraint: `${REQUEST}/properties/parallel_tool_calls/description`,
    mutate: () =>
      fc.boolean().map((parallel_tool_calls) => (body) => ({
        body: { ...omit(body, 'tools', 'tool_choice'), parallel_tool_calls },
        path: ['parallel_tool_calls'],
      })),
  },
  {
    at: 'audio',
    kind: 'rule',
    field: 'modalities',
    constraint: `${REQUEST}/properties/audio/description`,
    mutate: () =>
      fc.constant((body) => ({
        body: { ...omit(body, 'audio'), modalities: ['text', 'audio'] },
        path: ['audio'],
      })),
  },
  {
    at: 'messages[].content',
    kind: 'rule',
    field: null,
    constraint: '/components/schemas/AssistantMessage/properties/content/description',
    mutate: () =>
      fc
        .constantFrom<JsonObject>({ role: 'assistant' }, { role: 'assistant', content: null })
        .map((message) => addMessage(message, 'content')),
  },
  {
    at: 'messages[].tool_call_id',
    kind: 'rule',
    field: null,
    constraint: `${REQUEST}/properties/messages/description`,
    mutate: () =>
      fc.constant(
        addMessage({ role: 'tool', content: 'done', tool_call_id: 'call_never_made' }, 'tool_call_id'),
      ),
  },
]

/** The rule that `field` is allowed only where `companion` is true. */
function onlyWith(field: string, companion: string, value: Json, constraint: string): Rule {
  return {
    at: field,
    kind: 'rule',
    field,
    constraint,
    mutate: () =>
      fc.constantFrom({}, { [companion]: false }, { [companion]: null }).map((turnedOff) => (body) => {
        return { body: { ...omit(body, companion), ...turnedOff, [field]: value }, path: [field] }
      }),
  }
}

function omit(body: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([member]) => !names.includes(member)))
}

function chosen(name: string): JsonObject {
  return { type: 'function', function: { name } }
}

function addMessage(message: JsonObject, member: string): (body: JsonObject) => LocatedRequest {
  return (body) => {
    const messages = Array.isArray(body['messages']) ? body['messages'] : []
    return {
      body: { ...body, messages: [...messages, message] },
      path: ['messages', messages.length, member],
    }
  }
}
