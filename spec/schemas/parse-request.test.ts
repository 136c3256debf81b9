// A body becomes a request or one refusal that names the field, says what was expected and what came, and no more.
import { describe, expect, test } from 'vitest'
import { type ZodTypeAny, z } from 'zod'
import { fc, forAll } from '../property.fixture.ts'
import { formatKey } from '../protocol/key.ts'
import { functionToolCall } from './message.ts'
import { parseChatCompletionRequest } from './parse-request.ts'
import { chatCompletionFields, chatCompletionRequest } from './request.ts'

const user = { role: 'user', content: 'Hello' }
const valid = { model: 'm', messages: [user] }

function refusal(body: unknown): { message: string; param: string | null; code: string } {
  const parsed = parseChatCompletionRequest(body)
  if (!('issue' in parsed)) throw new Error(`accepted: ${JSON.stringify(body)}`)
  return parsed.issue
}

test.each<[string, unknown]>([
  ['model', { messages: [user] }],
  ['messages', { model: 'm' }],
  ['messages[0].role', { model: 'm', messages: [{ content: 'Hello' }] }],
  ['messages[0].content', { model: 'm', messages: [{ role: 'system' }] }],
  ['messages[1].content', { model: 'm', messages: [user, { role: 'user' }] }],
  ['messages[0].tool_call_id', { model: 'm', messages: [{ role: 'tool', content: '' }] }],
  ['messages[0].content[0].text', { model: 'm', messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
  ['tools[0].function.name', { ...valid, tools: [{ type: 'function', function: {} }] }],
  ['tool_choice.type', { ...valid, tool_choice: {} }],
])('a required field that is missing has the code of CHAT-4: %s', (param, body) => {
  expect(refusal(body)).toEqual({
    message: `Missing required field '${param}'.`,
    param,
    code: 'invalid_request_error',
  })
})

describe('a refusal says what was expected and what came, and names the field', () => {
  const said = (message: object) => ({ messages: [message] })
  test.each<[object, string, string]>([
    [{ model: 5 }, 'invalid_type', "Invalid type for 'model': expected a string, got 5."],
    [{ model: null }, 'invalid_type', "Invalid type for 'model': expected a string, got null."],
    [{ messages: 'Hello' }, 'invalid_type', "Invalid type for 'messages': expected an array, got a string."],
    [
      said({ role: 'user', content: { text: 'x'.repeat(1000) } }),
      'invalid_type',
      "Invalid type for 'messages[0].content': expected a string or an array, got an object.",
    ],
    [
      said({ role: 'user', content: [{ type: 'text', text: null }] }),
      'invalid_type',
      "Invalid type for 'messages[0].content[0].text': expected a string, got null.",
    ],
    [
      said({ role: 'users', content: '' }),
      'invalid_value',
      "Invalid value for 'messages[0].role': expected one of 'developer', 'system', 'user', 'assistant', 'tool', 'function', got 'users'.",
    ],
    [{ n: 1.5 }, 'invalid_type', "Invalid type for 'n': expected an integer, got 1.5."],
    [{ n: 0 }, 'integer_below_min_value', "Invalid 'n': expected at least 1, got 0."],
    [{ top_p: 2 }, 'decimal_above_max_value', "Invalid 'top_p': expected at most 1, got 2."],
    [{ stop: [...'abcde'] }, 'array_above_max_length', "Invalid 'stop': expected at most 4 items, got 5."],
    [{ messages: [] }, 'array_below_min_length', "Invalid 'messages': expected at least 1 item, got 0."],
    [
      { safety_identifier: '😀'.repeat(65) },
      'string_above_max_length',
      "Invalid 'safety_identifier': expected at most 64 characters, got 65.",
    ],
    [
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [index, ''])) },
      'object_above_max_properties',
      "Invalid 'metadata': expected at most 16 pairs, got 17.",
    ],
    [{ metadata: { '[': 5 } }, 'invalid_type', "Invalid type for 'metadata.[': expected a string, got 5."],
    [
      { logit_bias: { 50: 101 } },
      'integer_above_max_value',
      "Invalid 'logit_bias.50': expected at most 100, got 101.",
    ],
    [
      { logit_bias: { 5: 1, not_a_token_id: 1 } },
      'invalid_value',
      "Invalid 'logit_bias': expected token ids as keys, got 'not_a_token_id'.",
    ],
    [
      { tool_choice: 'any' },
      'invalid_value',
      "Invalid value for 'tool_choice': expected one of 'none', 'auto', 'required', got 'any'.",
    ],
    [
      { tool_choice: 5 },
      'invalid_type',
      "Invalid type for 'tool_choice': expected one of 'none', 'auto', 'required' or an object, got 5.",
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a b' } } },
      'invalid_value',
      "Invalid 'response_format.json_schema.name': expected 1 to 64 letters of a to z and A to Z, digits, _ or -.",
    ],
    [{ top_k: 5 }, 'unknown_parameter', "Unknown field 'top_k'."],
    [
      { stream: true, stream_options: { usage: true } },
      'unknown_parameter',
      "Unknown field 'stream_options.usage'.",
    ],
    [
      { tool_choice: 'auto' },
      'invalid_value',
      "Invalid 'tool_choice': it is allowed only if the request has 'tools'.",
    ],
  ])('%j', (fields, code, message) => {
    const [, param] = /'(.+?)'/.exec(message) ?? []
    expect(refusal({ ...valid, ...fields })).toEqual({ message, param, code })
  })

  test.each<[string, string | null, string, string]>([
    ['[]', null, 'invalid_type', 'Invalid type for the request body: expected an object, got an array.'],
    ['null', null, 'invalid_type', 'Invalid type for the request body: expected an object, got null.'],
    [
      '{"model":"m","messages":[],"__proto__":{}}',
      'messages',
      'array_below_min_length',
      "Invalid 'messages': expected at least 1 item, got 0.",
    ],
    ['{"__proto__":{"model":"m"}}', '__proto__', 'unknown_parameter', "Unknown field '__proto__'."],
  ])('%s', (body, param, code, message) => {
    expect(refusal(JSON.parse(body))).toEqual({ message, param, code })
  })
})

describe('a refusal is bounded, and contains no secret', () => {
  const secret = formatKey(Uint8Array.from({ length: 32 }, (_, index) => index * 7))
  const long = 'x'.repeat(100_000)

  test('for any JSON', () => {
    forAll(fc.jsonValue(), fc.jsonValue(), (body, message) => {
      for (const sent of [
        body,
        { model: 'm', messages: [message] },
        { ...valid, stop: message, tools: body },
      ]) {
        const parsed = parseChatCompletionRequest(sent)
        if ('issue' in parsed) expect(parsed.issue.message.length).toBeLessThan(600)
      }
    })
  })

  /** Bodies with this text in each place that a refusal names. */
  const places = (text: string): readonly unknown[] => [
    { ...valid, [text]: 1 },
    { ...valid, reasoning_effort: text },
    { ...valid, metadata: { [text]: 5 } },
    { model: 'm', messages: [{ role: text, content: '' }] },
  ]

  test('in each place, a long text is cut, and a key of the service does not come back', () => {
    for (const body of places(long)) {
      const { message, param } = refusal(body)
      expect(message.length).toBeLessThan(300)
      expect(param?.length).toBeLessThan(100)
    }
    for (const body of places(secret)) expect(JSON.stringify(refusal(body))).not.toContain(secret)
  })
})

test('no part of the schema goes on after a bad item: a megabyte of them would hold the process for seconds', () => {
  const all = [...parts(chatCompletionRequest)]
  expect(all).toContain(functionToolCall)
  expect(all.filter(collectsIssues)).toEqual([])
})

function collectsIssues(schema: ZodTypeAny): boolean {
  return (
    schema instanceof z.ZodArray ||
    (schema instanceof z.ZodRecord && !(schema.valueSchema instanceof z.ZodUnknown))
  )
}

/** Every schema that is reached from a value: as its shape, its definition, or what is annotated. */
function* parts(value: unknown, seen = new Set<unknown>()): Generator<ZodTypeAny> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof z.ZodType) yield value
  if (value instanceof z.ZodObject) yield* parts(value.shape, seen)
  for (const part of Object.values(value)) yield* parts(part, seen)
}

test('what clients replay is accepted, and what the format does not know is dropped (WIRE-12)', () => {
  const replayed = {
    model: 'm',
    messages: [
      user,
      {
        role: 'assistant',
        content: null,
        refusal: null,
        annotations: [],
        provider_specific_fields: { refusal: null },
        tool_calls: [{ id: 'c', type: 'function', index: 0, function: { name: 'f', arguments: '{' } }],
      },
      { role: 'tool', name: 'f', content: 'done', tool_call_id: 'c', artifact: {} },
    ],
  }
  expect(parseChatCompletionRequest(replayed)).toEqual({
    request: {
      model: 'm',
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{' } }],
        },
        { role: 'tool', content: 'done', tool_call_id: 'c' },
      ],
    },
  })
})

test('the schemas that clients send pass unchanged', () => {
  const parameters = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { n: { type: 'integer', maximum: 9007199254740991 } },
    $defs: { x: {} },
  }
  const tools = [{ type: 'function', function: { name: 'f', parameters } }]
  expect(parseChatCompletionRequest({ ...valid, tools })).toMatchObject({ request: { tools } })
})

test('null in a field that may be left out means the same as leaving it out', () => {
  const { model: _, messages: __, ...optional } = chatCompletionFields.shape
  const nulls = Object.fromEntries(Object.keys(optional).map((name) => [name, null]))
  expect(parseChatCompletionRequest({ ...valid, ...nulls })).toEqual({ request: { ...valid, ...nulls } })
})
