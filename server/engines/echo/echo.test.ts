import { afterAll, describe, expect, test } from 'vitest'
import { fc, forAllAsync, forAllAsyncWith } from '../../../spec/property.fixture.ts'
import { chatCompletionRequest } from '../../../spec/schemas/request.ts'
import { completionOf } from '../../chat/plain-completion.fixture.ts'
import { createSandbox } from '../constrained/sandbox/sandbox.ts'
import { createEchoEngine, ECHO_MODEL } from './echo.ts'
import type { Delta } from '../engine.ts'

const engine = createEchoEngine(0, createSandbox({ timeoutMs: 5000 }))
afterAll(() => engine.close())
const head = { id: 'chatcmpl-1', created: 0, model: ECHO_MODEL }

type Fields = Readonly<Record<string, unknown>>

function generate(text: string, fields: Fields = {}, signal = new AbortController().signal) {
  const body = { model: ECHO_MODEL, messages: [{ role: 'user', content: text }], ...fields }
  return engine.generate(chatCompletionRequest.parse(body), {
    signal,
    requestId: 'req_1',
    maxAnswerBytes: Infinity,
  })
}

async function answer(text: string, fields: Fields = {}) {
  const completion = await completionOf(
    generate(text, fields),
    head,
    typeof fields['n'] === 'number' ? fields['n'] : 1,
  )
  const [choice] = completion.choices
  return { text: choice?.message.content, reason: choice?.finish_reason, usage: completion.usage, completion }
}

/** Any string at all, lone surrogates among them. */
const anyText = fc.string({ unit: 'binary', maxLength: 200 })

test('any text comes back unchanged, and costs one token per code point', async () => {
  await forAllAsync(anyText, async (text) => {
    const { text: echoed, reason, usage } = await answer(text)
    const tokens = Array.from(text).length
    expect(echoed).toBe(text)
    expect(reason).toBe('stop')
    expect(usage).toEqual({ prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens })
  })
})

test('a stream of any length is whole', async () => {
  await forAllAsyncWith(
    { numRuns: 30 },
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 1, max: 3 }),
    async (length, n) => {
      const text = Array.from({ length }, (_, place) => String.fromCodePoint(0x4e00 + place)).join('')
      const { choices } = await completionOf(generate(text, { stream: true, n }), head, n)
      expect(choices.map(({ message }) => message.content)).toEqual(Array(n).fill(text))
    },
  )
})

test('no delta splits a character', async () => {
  await forAllAsync(fc.string({ unit: 'grapheme' }), async (text) => {
    for await (const deltas of generate(text)) {
      for (const delta of deltas) if (delta.type === 'text') expect(delta.text.isWellFormed()).toBe(true)
    }
  })
})

test('a token limit gives exactly the first tokens, and reports whether something was cut', async () => {
  await forAllAsync(anyText, fc.integer({ min: 1, max: 250 }), async (text, limit) => {
    const tokens = Array.from(text)
    const { text: echoed, reason } = await answer(text, { max_tokens: limit })
    expect(echoed).toBe(tokens.slice(0, limit).join(''))
    expect(reason).toBe(tokens.length > limit ? 'length' : 'stop')
  })
})

test.each([
  // The stop string that is complete first counts, but only within the token limit.
  [{ stop: ['three', 'tw'] }, 'one ', 'stop'],
  [{ stop: ['two'], max_tokens: 6 }, 'one tw', 'length'],
  [{ stop: ['two'], max_tokens: 7 }, 'one ', 'stop'],
  // The smaller of both token limits holds.
  [{ max_tokens: 3, max_completion_tokens: 2 }, 'on', 'length'],
])('"one two three" ends by %j as %j, for the reason %s', async (fields, text, reason) => {
  expect(await answer('one two three', fields)).toMatchObject({ text, reason })
})

test('the last user message answers, its text parts joined, whatever follows it', async () => {
  const messages = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'first' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'se' },
        { type: 'text', text: 'cond' },
      ],
    },
    { role: 'assistant', content: 'so far' },
  ]
  const { text, usage } = await answer('', { messages })
  expect(text).toBe('second')
  expect(usage?.prompt_tokens).toBe('be brieffirstsecondso far'.length)
})

test('choices interleave, and all of them finish before the usage', async () => {
  const deltas: Delta[] = []
  for await (const ready of generate('0123456789', { n: 3, stream: true })) deltas.push(...ready)
  expect(deltas.flatMap((delta) => ('index' in delta ? [delta.index] : []))).toEqual([
    0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2,
  ])
  expect(deltas.at(-1)).toMatchObject({ type: 'usage', usage: { completion_tokens: 30 } })
})

test('an abort ends the work', async () => {
  const controller = new AbortController()
  const deltas = generate('x'.repeat(1000), { stream: true }, controller.signal)[Symbol.asyncIterator]()
  await deltas.next()
  controller.abort()
  await expect(deltas.next()).rejects.toThrow('aborted')
})

const tool = (name: string, more: Fields = {}) => ({ type: 'function', function: { name, ...more } })
const weather = tool('get_weather', {
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 } },
    required: ['city'],
    additionalProperties: false,
  },
})

test.each([
  [{ tools: [{ type: 'custom', custom: { name: 'f' } }] }, 'tools[0]'],
  [{ functions: [{ name: 'f' }] }, 'functions'],
  [{ modalities: ['text', 'audio'], audio: { voice: 'a', format: 'mp3' } }, 'audio'],
  [{ web_search_options: {} }, 'web_search_options'],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
      ],
    },
    'messages[0].content[0]',
  ],
  [
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 's', schema: { type: 'string', pattern: '^(x)\\1$' } },
      },
    },
    'response_format.json_schema.schema',
  ],
  [
    { tools: [tool('f', { strict: true, parameters: { not: {} } })], tool_choice: 'required' },
    'tools[0].function.parameters',
  ],
])('what it does not support is refused by name: %j', async (fields, param) => {
  await expect(async () => await answer('hi', fields)).rejects.toMatchObject({ status: 400, param })
})

describe('tool calls', () => {
  const callsOf = async (text: string, fields: Fields) => {
    const { completion, reason } = await answer(text, fields)
    const message = completion.choices[0]?.message
    return {
      content: message?.content,
      reason,
      calls: message?.tool_calls?.map((call) =>
        call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : [],
      ),
    }
  }

  test('a line of the prompt asks for each call', async () => {
    const text = 'please\n#call get_weather {"city":"Paris"}\n#call get_time'
    const both = [
      ['get_weather', { city: 'Paris' }],
      ['get_time', {}],
    ]
    expect(await callsOf(text, { tools: [weather, tool('get_time')] })).toEqual({
      content: null,
      reason: 'tool_calls',
      calls: both,
    })
    expect(
      (await callsOf(text, { tools: [weather, tool('get_time')], parallel_tool_calls: false })).calls,
    ).toEqual(both.slice(0, 1))
    expect(await callsOf(text, { tools: [weather], tool_choice: 'none' })).toEqual({
      content: text,
      reason: 'stop',
      calls: undefined,
    })
  })

  test('arguments that strict parameters do not accept are not passed on', async () => {
    expect((await callsOf('#call get_weather {"town":"Paris"}', { tools: [weather] })).calls).toEqual([
      ['get_weather', { city: 'a' }],
    ])
  })

  test('after the results the answer is their text (TOOL-6)', async () => {
    const messages = [
      { role: 'user', content: '#call get_time' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
    ]
    expect(await callsOf('', { messages, tools: [tool('get_time')] })).toEqual({
      content: 'noon',
      reason: 'stop',
      calls: undefined,
    })
  })

  test('ids differ, also between choices; a token limit cuts the arguments', async () => {
    const { completion } = await answer('#call f\n#call f', { tools: [tool('f')], n: 3 })
    const ids = completion.choices.flatMap(({ message }) => message.tool_calls ?? []).map(({ id }) => id)
    expect(new Set(ids).size).toBe(6)
    const { completion: cut, reason } = await answer('#call f {"a":"0123456789"}', {
      tools: [tool('f')],
      max_tokens: 8,
    })
    expect(cut.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"a":"01' } }])
    expect(reason).toBe('length')
    expect(cut.usage?.completion_tokens).toBe(8)
  })
})

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
}
const strict = {
  response_format: { type: 'json_schema', json_schema: { name: 's', strict: true, schema } },
}

test.each([
  [{ response_format: { type: 'json_object' } }, 'hi', '{"content":"hi"}'],
  [{ response_format: { type: 'json_object' } }, '{"a": 1}', '{"a": 1}'],
  [{ response_format: { type: 'json_object' } }, '[1]', '{"content":"[1]"}'],
  [strict, 'hi', '{"n":0}'],
  [strict, '{"n": 7}', '{"n": 7}'],
  [strict, '{"n": "7"}', '{"n":0}'],
])('response_format: %j of %j is %j', async (fields, text, expected) => {
  expect((await answer(text, fields)).text).toBe(expected)
})

test('a bias of -100 removes its code point, and no other bias does', async () => {
  expect((await answer('banana', { logit_bias: { 97: -100, 98: -99, 110: 100 } })).text).toBe('bnn')
})

test('a bias is for a code point; another id is refused by its name', async () => {
  expect((await answer('banana', { logit_bias: { 1114111: 5 } })).text).toBe('banana')
  for (const id of ['1114112', '9'.repeat(30)])
    await expect(answer('banana', { logit_bias: { 97: 1, [id]: 5 } })).rejects.toMatchObject({
      status: 400,
      param: `logit_bias.${id}`,
    })
})

test('fields with their default values do not request the features', async () => {
  const fields = {
    logprobs: false,
    logit_bias: null,
    response_format: { type: 'text' },
    tool_choice: 'none',
    store: false,
  }
  expect((await answer('hi', fields)).text).toBe('hi')
})

test('a prompt that fills the context is refused with both numbers, and a shorter one is answered', async () => {
  const small = createEchoEngine(0, createSandbox(), 100)
  expect(small.models[0]?.contextTokens?.()).toBe(100)
  const ask = (content: string, stream: boolean) =>
    small.generate(
      chatCompletionRequest.parse({ model: ECHO_MODEL, messages: [{ role: 'user', content }], stream }),
      { signal: new AbortController().signal, requestId: 'req_1', maxAnswerBytes: Infinity },
    )
  for (const stream of [false, true]) {
    // An emoji is two units of UTF-16, and one token.
    expect(() => ask('😀'.repeat(99), stream)).not.toThrow()
    expect(() => ask('a'.repeat(123), stream)).toThrow(
      expect.objectContaining({
        status: 400,
        code: 'context_length_exceeded',
        message: expect.stringMatching(/ 123 tokens.* context of 100 tokens/) as string,
      }),
    )
  }
  await small.close()
})
