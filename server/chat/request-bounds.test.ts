// The cost of a request is bounded before the work: each bound by its field, at its edge and over it, plain and
// streamed.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorEnvelope } from '../../spec/protocol/error.ts'
import { chatCompletion } from '../../spec/schemas/response.ts'
import { parseJson } from '../http/json-body.ts'
import { createTestService } from '../app.fixture.ts'
import { refuseCostly } from './request-bounds.ts'

const bounds = { messages: 8, logitBias: 4, stopChars: 10, answerTokens: 1000, bodyValues: 200 }
const user = (content: unknown) => ({ role: 'user', content })
const repeat = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const bias = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, id) => [id, 1]))

/** The field, what is at the bound, and what is over it. */
const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['messages', { messages: repeat(8, user('x')) }, { messages: repeat(9, user('x')) }],
  [
    'messages',
    { messages: [user(repeat(7, { type: 'text', text: 'x' }))] },
    { messages: [user(repeat(8, { type: 'text', text: 'x' }))] },
  ],
  [
    'messages',
    {
      messages: [
        user('x'),
        { role: 'assistant', tool_calls: Array.from({ length: 6 }, (_, id) => ({ ...call, id: `${id}` })) },
      ],
    },
    {
      messages: [
        user('x'),
        { role: 'assistant', tool_calls: Array.from({ length: 7 }, (_, id) => ({ ...call, id: `${id}` })) },
      ],
    },
  ],
  ['logit_bias', { logit_bias: bias(4) }, { logit_bias: bias(5) }],
  ['stop', { stop: 'y'.repeat(10) }, { stop: 'y'.repeat(11) }],
  ['stop[1]', { stop: ['a', 'y'.repeat(10)] }, { stop: ['a', 'y'.repeat(11)] }],
  ['max_tokens', { max_tokens: 1000 }, { max_tokens: 1001 }],
  ['max_completion_tokens', { max_completion_tokens: 1000 }, { max_completion_tokens: 2 ** 52 }],
  ['n', { n: 10, max_tokens: 100 }, { n: 11, max_tokens: 100 }],
  ['n', { n: 10, max_tokens: 100, max_completion_tokens: 9999 }, { n: 128, max_completion_tokens: 8 }],
]

const both = [false, true].flatMap((stream) => cases.map((row) => ({ row, stream })))

test.each(both)(
  '$row.0 at its bound is taken, over it is a 400 that names it (stream: $stream, %#)',
  async ({ row: [param, within, over], stream }) => {
    const { send } = await createTestService({ bounds })
    const chat = (fields: Record<string, unknown>) =>
      send('POST', '/v1/chat/completions', {
        model: 'svc-0.1-echo',
        messages: [user('x')],
        stream,
        ...fields,
      })
    expect((await chat(within)).status).toBe(200)
    const refused = await chat(over)
    expect(refused.status).toBe(400)
    expect(errorEnvelope.parse(await refused.json()).error).toMatchObject({
      param,
      type: 'invalid_request_error',
      message: expect.stringContaining(param),
    })
  },
)

const letter = fc.constantFrom('a', '"', '\u0001', '\u007f', 'é', '\u2028', '字', '\u{1F600}', '\ud800')
const echoedCall = {
  messages: [user('#call f {"a":"\u0001é\u{1F600}"}')],
  tools: [{ type: 'function', function: { name: 'f' } }],
}

test('the bound of an answer is exact: to the byte that is written', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        fields: fc.oneof(
          fc.constant(echoedCall),
          fc.record({
            messages: fc.tuple(fc.string({ unit: letter, maxLength: 300 }).map(user)),
            logprobs: fc.boolean(),
          }),
          fc.record({
            messages: fc.tuple(fc.string({ unit: letter, maxLength: 300 }).map(user)),
            logprobs: fc.constant(true),
            top_logprobs: fc.nat(20),
            stop: fc.constantFrom('never', null),
          }),
        ),
        n: fc.constantFrom(1, 2, 9),
        stream: fc.boolean(),
      }),
      async ({ fields, n, stream }) => {
        const body = { model: 'svc-0.1-echo', ...fields, n, stream }
        async function answerWithin(answerBytes: number) {
          const { send, server } = await createTestService({ bounds: { answerBytes } })
          const answer = await send('POST', '/v1/chat/completions', body)
          const bytes = Buffer.from(await answer.arrayBuffer())
          server.close()
          return { bytes: bytes.length, isWhole: !bytes.includes('"answer_too_large"') }
        }
        const { bytes } = await answerWithin(1e9)
        expect(await answerWithin(bytes)).toEqual({ bytes, isWhole: true })
        expect(await answerWithin(bytes - 1)).toMatchObject({ isWhole: false })
      },
    ),
    { numRuns: 40 },
  )
})

test.each([
  ['n', { n: 5 }],
  ['top_logprobs', { logprobs: true, top_logprobs: 1 }],
  ['logprobs', { logprobs: true }],
  ['max_completion_tokens', {}],
])("an answer of known size over the bound is a 400 at once, which names '%s'", async (param, fields) => {
  const { send } = await createTestService({ bounds: { answerBytes: 4096 } })
  for (const stream of [true, false]) {
    const body = { model: 'svc-0.1-echo', stream, messages: [user('\u0001'.repeat(700))], ...fields }
    const refused = await send('POST', '/v1/chat/completions', body)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: 'answer_too_large', param } },
    ])
  }
})

test('an answer of unknown size ends where the bound is reached, and so does the work', async () => {
  let aborted = false
  const engine = {
    models: [{ id: 'endless', created: 0, ownedBy: 'test' }],
    async *generate(_: unknown, { signal }: { signal: AbortSignal }) {
      signal.addEventListener('abort', () => (aborted = true))
      while (!signal.aborted) {
        yield [{ type: 'text' as const, index: 0, text: 'x'.repeat(100) }]
        await new Promise(setImmediate)
      }
    },
    close: async () => {},
  }
  const { send } = await createTestService({ engines: [engine], bounds: { answerBytes: 4096 } })
  const body = { model: 'endless', messages: [user('x')] }
  const plain = await send('POST', '/v1/chat/completions', body)
  expect([plain.status, await plain.json()]).toMatchObject([400, { error: { code: 'answer_too_large' } }])
  expect(aborted).toBe(true)
  const streamed = await (await send('POST', '/v1/chat/completions', { ...body, stream: true })).text()
  expect(streamed).toMatch(/"code":"answer_too_large"[^\n]*\n\n$/)
})

test('a plain answer of 130,000 tokens with their log probabilities is made', async () => {
  const { send } = await createTestService()
  const body = { model: 'svc-0.1-echo', messages: [user('x'.repeat(130_000))], logprobs: true }
  const answer = await send('POST', '/v1/chat/completions', body)
  expect(answer.status).toBe(200)
  const { choices } = chatCompletion.parse(await answer.json())
  expect(choices[0]?.logprobs?.content).toHaveLength(130_000)
})

test('n times a long text costs no more memory than the bound', async () => {
  const { send } = await createTestService({ bounds: { bodyBytes: 5_000_000 } })
  const before = process.memoryUsage().rss
  const body = { model: 'svc-0.1-echo', n: 128, messages: [user('x'.repeat(4_000_000))] }
  expect((await send('POST', '/v1/chat/completions', body)).status).toBe(400)
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
})

test('a body of many small values is refused before it is parsed, whatever they are', () => {
  const at = (count: number, value: string) => `{"x":[${Array.from({ length: count }, () => value).join()}]}`
  for (const value of ['1', '"a"', 'null', '{}', '[]', '{"a":1}', '[[1]]'])
    expect(() => parseJson(at(1000, value), 999)).toThrow(
      expect.objectContaining({ status: 400, code: 'too_many_values' }),
    )
  expect(parseJson(at(990, '1'), 1000)).toBeDefined()
})

test('a name counts as a value', () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, name) => `"${name}":1`).join()}}`
  expect(() => parseJson(members(501), 1000)).toThrow(expect.objectContaining({ code: 'too_many_values' }))
  expect(parseJson(members(499), 1000)).toBeDefined()
})

test('what is over its bound is not looked through', () => {
  const hostile = new Proxy(repeat(1_000_000, null), {
    get(target, name) {
      if (name === 'length') return target.length
      throw new Error(`${String(name)} was read`)
    },
  })
  expect(() => refuseCostly({ messages: hostile }, bounds)).toThrow(expect.objectContaining({ status: 400 }))
})
