// The faults that a parser in JavaScript does not see: floats for integers, members twice, numbers that are rounded.
import { describe, expect, it, test } from 'vitest'
import { madeExchange } from '../../../../../harness/exchange.fixture.ts'
import type { TargetFacts } from '../../../../../harness/target-facts.ts'
import { judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import { exactAnswerCases, exactCallCases } from '../values/exact-numbers.ts'
import { integersAsIntegers, membersOnce, numbersAsSent, strictJsonObservers } from './strict-json.ts'

const target: TargetFacts = { baseUrl: 'http://h', profile: 'wire', model: 'm' }
const asked = (more: object = {}) => JSON.stringify({ model: 'm', messages: [], ...more })
const stream = { stream: true }

/** The answer with this text is judged by both verifiers of its text. */
function mismatchOf(body: string, { request = {}, path = '/v1/chat/completions', status = 200 } = {}) {
  const exchange = madeExchange({ body, path, status, requestBody: asked(request) })
  return integersAsIntegers(exchange, target) ?? membersOnce(exchange, target)
}

const choice = (more: string) => `{"choices":[{"index":0,${more}}]}`

describe('integers', () => {
  test.each([
    ['created', '{"created":1.795873439e9,"choices":[{"index":0}]}'],
    ['choices.0.index', '{"created":1,"choices":[{"index":0.0}]}'],
    ['usage.prompt_tokens', '{"choices":[{}],"usage":{"prompt_tokens":2.0}}'],
    [
      'usage.completion_tokens_details.reasoning_tokens',
      '{"choices":[{}],"usage":{"completion_tokens_details":{"reasoning_tokens":0.0}}}',
    ],
    [
      'choices.0.logprobs.content.0.bytes.1',
      choice('"logprobs":{"content":[{"logprob":-0.0,"bytes":[1,2.0]}]}'),
    ],
    [
      'choices.0.logprobs.content.0.top_logprobs.0.bytes.0',
      choice('"logprobs":{"content":[{"top_logprobs":[{"bytes":[2e0]}]}]}'),
    ],
    ['choices.0.message.tool_calls.1.index', choice('"message":{"tool_calls":[{},{"index":1.0}]}')],
    ['choices.0.token_ids.0', choice('"token_ids":[5.0]')],
    [
      'choices.0.message.annotations.0.url_citation.end_index',
      choice('"message":{"annotations":[{"url_citation":{"start_index":1,"end_index":3.0}}]}'),
    ],
  ])('%s is written as one', (path, body) => {
    expect(mismatchOf(body)?.expected).toContain(`${path}, an integer`)
  })

  test('of streams and of models are judged, too', () => {
    const chunk = '{"created":1,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0.0}]}}]}'
    expect(mismatchOf(`data: {"choices":[{"index":0}]}\n\ndata: ${chunk}\n\n`, { request: stream })).toEqual({
      expected: 'choices.0.delta.tool_calls.0.index, an integer without fraction and exponent',
      actual: '0.0',
    })
    const list = '{"object":"list","data":[{"created":1},{"created":2.0}]}'
    expect(mismatchOf(list, { path: '/v1/models' })?.actual).toBe('2.0')
    expect(mismatchOf('{"created":2.0}', { path: '/v1/models/m' })?.actual).toBe('2.0')
  })

  test.each([
    choice('"logprobs":{"content":[{"logprob":-0.0},{"logprob":0},{"logprob":1E-5}]}'),
    choice('"score":1.0,"message":{"content":"{\\"index\\":1.0,\\"index\\":1}"}'),
    '{"choices":[{}],"index":1.0,"x":{"created":1.5,"index":0.0},"timings":{"predicted_ms":2.0}}',
    '{"choices":[{}],"usage":{"prompt_tokens":1,"cost":0.0,"queue_time":1e0,"vendor":{"total_tokens":2.0}}}',
    '{"created":0,"choices":[{"index":-0}]}',
  ])('the floats of %s are allowed', (body) => {
    expect(mismatchOf(body)).toBeUndefined()
  })

  test('of another endpoint are not judged', () => {
    expect(mismatchOf('{"created":2.0}', { path: '/v1/audio/speech' })).toBeUndefined()
  })
})

test.each([
  ['object', '{"object":"a","choices":[{}],"object":"a"}', {}],
  ['choices.0.message.content', choice('"message":{"content":"a","content":null}'), {}],
  ['usage.x', '{"choices":[{}],"usage":{"x":1,"\\u0078":2}}', {}],
  ['error.message', '{"error":{"message":"a","message":"a"}}', { status: 400 }],
  ['error.code', '{"error":{"code":"a","code":"a"}}', { status: 404, path: '/v1/other' }],
  [
    'choices.0.delta.content',
    `data: ${choice('"delta":{"content":"","content":"a"}')}\n\n`,
    { request: stream },
  ],
  ['error.type', 'data: {"error":{"type":"a","type":"b"}}\n\n', { request: stream }],
])('%s twice is found', (path, body, options) => {
  expect(mismatchOf(body, options)?.actual).toBe(`${path} twice`)
})

describe('numbers of the request', () => {
  const strict = (value: string) =>
    asked().replace(
      '"messages":[]',
      `"messages":[{"role":"user","content":"9007199254740993"}],"tools":[{"enum":[${value}]}]`,
    )
  const rounded = (sent: string, came: string) => {
    const body = choice(
      `"message":{"content":null,"tool_calls":[{"function":{"arguments":"{\\"a\\":${came}}"}}]}`,
    )
    return numbersAsSent(madeExchange({ body, requestBody: strict(sent) }), target)?.actual
  }
  test.each([
    ['9223372036854775807', '9223372036854776000'],
    ['-9223372036854775808', '-9223372036854776000'],
    ['0.12345678901234567891', '0.12345678901234568'],
    ['1', '9007199254740992'],
  ])('%s that comes back as %s is rounded', (sent, came) => {
    expect(rounded(sent, came)).toContain(came)
  })
  test.each([
    ['9223372036854775807', '9223372036854775807.0'],
    ['9223372036854775807', '9223372036854775807'],
    ['9007199254740992', '9007199254740992'],
    ['9223372036854775807', '7'],
    ['0.12345678901234567891', '0.5'],
  ])('%s may be answered by %s', (sent, came) => {
    expect(rounded(sent, came)).toBeUndefined()
  })
})

const exactCases = [...exactCallCases, ...exactAnswerCases]

it('passes a service that keeps every digit', async () => {
  const verdicts = await judgeFault(() => (call, forward) => forward(call), exactCases, {
    observers: strictJsonObservers,
  })
  expect(notPassed(verdicts)).toEqual([])
})
