// Mutations that break one rule between the fields of a request (WIRE-11) and nothing else.
import * as fc from 'fast-check'
import { type Json, type JsonObject, memberAt } from '../../spec/openapi/schema-walk.ts'
import { TOOL_NAME } from './keep-rules.ts'
import { type Mutate, object, without } from './mutate.ts'
import type { SchemaPlace } from './schema-places.ts'

/** A rule between fields; it is broken at the body, which is why `steps` is empty. */
export interface Rule extends SchemaPlace {
  readonly kind: 'rule'
  /** The optional field that breaks the rule; null for messages. */
  readonly field: string | null
}

const REQUEST = '/components/schemas/ChatCompletionRequest'

/** Every rule between fields; `constraint` is the text in the document that states it. */
export const rules: readonly Rule[] = [
  onlyWith('stream_options', 'stream', { include_usage: true }),
  onlyWith('top_logprobs', 'logprobs', 2),
  fieldRule('tool_choice', () =>
    fc
      .constantFrom('auto', 'required', chosen(TOOL_NAME))
      .map((tool_choice) => setting({ tool_choice }, 'tools', 'parallel_tool_calls')),
  ),
  fieldRule('tool_choice', () =>
    fc.constant(setting({ tools: [chosen(TOOL_NAME)], tool_choice: chosen(`not_${TOOL_NAME}`) })),
  ),
  fieldRule('parallel_tool_calls', () =>
    fc.boolean().map((parallel_tool_calls) => setting({ parallel_tool_calls }, 'tools', 'tool_choice')),
  ),
  {
    ...fieldRule('audio', () => fc.constant(setting({ modalities: ['text', 'audio'] }, 'audio'))),
    field: 'modalities',
  },
  messageRule('content', '/components/schemas/AssistantMessage/properties/content/description', () =>
    fc.constantFrom<JsonObject>({ role: 'assistant' }, { role: 'assistant', content: null }),
  ),
  messageRule('tool_call_id', `${REQUEST}/properties/messages/description`, () =>
    fc.constant({ role: 'tool', content: 'done', tool_call_id: 'call_never_made' }),
  ),
]

type Change = (body: JsonObject) => JsonObject

/** Sets these members and leaves others out. */
function setting(members: JsonObject, ...omitted: readonly string[]): Change {
  return (body) => ({ ...without(body, ...omitted), ...members })
}

function fieldRule(field: string, changes: () => fc.Arbitrary<Change>): Rule {
  const blame =
    (change: Change): Mutate =>
    (body) => ({ value: change(object(body)), path: [field] })
  return {
    at: field,
    kind: 'rule',
    field,
    constraint: `${REQUEST}/properties/${field}/description`,
    steps: [],
    mutate: () => changes().map(blame),
  }
}

function onlyWith(field: string, companion: string, value: Json): Rule {
  return fieldRule(field, () =>
    fc
      .constantFrom<JsonObject>({}, { [companion]: false }, { [companion]: null })
      .map((turnedOff) => setting({ ...turnedOff, [field]: value }, companion)),
  )
}

function messageRule(name: string, constraint: string, messages: () => fc.Arbitrary<JsonObject>): Rule {
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
  return {
    at: memberAt('messages[]', name),
    kind: 'rule',
    field: null,
    constraint,
    steps: [],
    mutate: () => messages().map(add),
  }
}

function chosen(name: string): JsonObject {
  return { type: 'function', function: { name } }
}
