// Mutations that break one rule between the fields of a request (WIRE-11) and nothing else.
import { type Json, type JsonObject, memberAt } from '../../spec/openapi/schema-walk.ts'
import { TOOL_NAME } from './keep-rules.ts'
import { type Mutate, object, without } from './mutations.ts'
import type { Place } from './schema-places.ts'

const REQUEST = '/components/schemas/ChatCompletionRequest'

/** Every rule between fields, by the optional field that breaks it; `messages` is in every request. */
export const fieldRules: readonly (readonly [field: string, rule: Place])[] = [
  onlyWith('stream_options', 'stream', { include_usage: true }),
  onlyWith('top_logprobs', 'logprobs', 2),
  fieldRule(
    'tool_choice',
    ['auto', 'required', chosen(TOOL_NAME)].map((tool_choice) =>
      setting({ tool_choice }, 'tools', 'parallel_tool_calls'),
    ),
  ),
  fieldRule('tool_choice', [
    setting({ tools: [chosen(TOOL_NAME)], tool_choice: chosen(`not_${TOOL_NAME}`) }),
  ]),
  fieldRule(
    'parallel_tool_calls',
    [false, true].map((parallel_tool_calls) => setting({ parallel_tool_calls }, 'tools', 'tool_choice')),
  ),
  ['modalities', fieldRule('audio', [setting({ modalities: ['text', 'audio'] }, 'audio')])[1]],
  messageRule('content', '/components/schemas/AssistantMessage/properties/content/description', [
    { role: 'assistant' },
    { role: 'assistant', content: null },
  ]),
  messageRule('tool_call_id', `${REQUEST}/properties/messages/description`, [
    { role: 'tool', content: 'done', tool_call_id: 'call_never_made' },
  ]),
]

type Change = (body: JsonObject) => JsonObject

/** Sets these members and leaves others out. */
function setting(members: JsonObject, ...omitted: readonly string[]): Change {
  return (body) => ({ ...without(body, ...omitted), ...members })
}

/** A rule is broken in the body as a whole, so its place has no steps; the document states the rule at `constraint`. */
function rule(at: string, constraint: string, mutations: readonly Mutate[]): Place {
  return { at, kind: 'rule', constraint, steps: [], mutations }
}

function fieldRule(field: string, changes: readonly Change[]) {
  const blame =
    (change: Change): Mutate =>
    (body) => ({ value: change(object(body)), path: [field] })
  return [field, rule(field, `${REQUEST}/properties/${field}/description`, changes.map(blame))] as const
}

function onlyWith(field: string, companion: string, value: Json) {
  const off: readonly JsonObject[] = [{}, { [companion]: false }, { [companion]: null }]
  return fieldRule(
    field,
    off.map((turnedOff) => setting({ ...turnedOff, [field]: value }, companion)),
  )
}

function messageRule(name: string, constraint: string, messages: readonly JsonObject[]) {
  const add =
    (message: JsonObject): Mutate =>
    (value) => {
      const body = object(value)
      const before = Array.isArray(body['messages']) ? body['messages'] : []
      return {
        value: { ...body, messages: [...before, message] },
        path: ['messages', before.length, name],
      }
    }
  return ['messages', rule(memberAt('messages[]', name), constraint, messages.map(add))] as const
}

function chosen(name: string): JsonObject {
  return { type: 'function', function: { name } }
}
