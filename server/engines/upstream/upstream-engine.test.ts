// The upstream engine in front of a real HTTP server that answers what the test says, oddities and failures included.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fc, forAllAsyncWith } from '../../../spec/property.fixture.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { ApiError } from '../../http/api-error.ts'
import type { Delta, DeltaSource } from '../engine.ts'
import type { UpstreamModel } from './upstream-model.ts'
import { createUpstreamEngine, type UpstreamOptions } from './upstream-engine.ts'
import { upstreamError } from './upstream-errors.ts'

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const KEY = 'the-key-of-the-upstream'

type Handler = (request: IncomingMessage, response: ServerResponse, body: Record<string, unknown>) => void

/** An engine with the model `ours` in front of `handler`, and what the upstream was asked. */
async function upstream(handler: Handler, options: Partial<UpstreamOptions> = {}, model?: UpstreamModel) {
  const asked: { headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = []
  let hungUp = 0
  const server = createServer(async (request, response) => {
    response.on('close', () => void (response.writableFinished || (hungUp += 1)))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    asked.push({ headers: request.headers, body })
    handler(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const engine = createUpstreamEngine(
    [model ?? { id: 'ours', baseUrl: `http://127.0.0.1:${port}`, model: 'theirs', apiKey: KEY }],
    {
      created: 1,
      retry: { maxAttempts: 1, maxTotalWaitMs: 0 },
      silenceMs: 5000,
      concurrency: 8,
      ...options,
    },
  )
  onTestFinished(() => {
    void engine.close()
    server.closeAllConnections()
    server.close()
  })
  const ask = (fields: Partial<ChatCompletionRequest> = {}, signal = new AbortController().signal) =>
    engine.generate(
      { model: 'ours', messages: [{ role: 'user', content: 'Hello' }], ...fields } as ChatCompletionRequest,
      { signal, requestId: 'req_1', traceparent: TRACEPARENT, maxAnswerBytes: Infinity },
    )
  return { engine, asked, ask, hungUp: () => hungUp }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** A stream of these chunks, cut into pieces of `size` bytes. */
const stream =
  (records: readonly unknown[], { size = Infinity, done = true } = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const text = records.map((record) => `data: ${JSON.stringify(record)}\n\n`).join('')
    const bytes = Buffer.from(`: hello\n\n${text}${done ? 'data: [DONE]\n\n' : ''}`)
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
    response.end()
  }

/** A whole answer. */
const whole = { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] }

const chunk = (delta: unknown, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] })

/** Begins a stream, and writes records of this text. */
function begin(response: ServerResponse, content = 'a') {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return () => response.write(`data: ${JSON.stringify(chunk({ content }))}\n\n`)
}

async function collect(answer: DeltaSource): Promise<Delta[]> {
  const all: Delta[] = []
  for await (const deltas of answer) all.push(...deltas)
  return all
}

async function failureOf(deltas: DeltaSource): Promise<ApiError> {
  try {
    await collect(deltas)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing failed')
}

test('the request is sent with the name of the model there, its own key, and usage always requested', async () => {
  const { ask, asked } = await upstream(stream([chunk({ content: 'Hi' }, { finish_reason: 'stop' })]))
  await collect(ask({ stream: true, temperature: 0, stop: ['x'] }))
  expect(asked).toMatchObject([
    {
      headers: { authorization: `Bearer ${KEY}`, 'x-request-id': 'req_1', traceparent: TRACEPARENT },
      body: {
        model: 'theirs',
        temperature: 0,
        stop: ['x'],
        stream: true,
        stream_options: { include_usage: true },
      },
    },
  ])
})

test('the upstream gets the messages as the client wrote them, with members that the format does not know', async () => {
  const { engine, asked } = await upstream(json(200, whole))
  const sentMessages = [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { ttl: 1 } }] }]
  const context = { signal: new AbortController().signal, requestId: 'req_1', maxAnswerBytes: Infinity }
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
  await collect(engine.generate({ model: 'ours', messages }, { ...context, sentMessages }))
  expect(asked).toMatchObject([{ body: { messages: sentMessages } }])
})

test('half a character leaves as the replacement character', async () => {
  const { ask, asked } = await upstream(json(200, whole))
  await collect(ask({ messages: [{ role: 'user', content: 'a\uD83D' }] }))
  expect(asked[0]?.body['messages']).toEqual([{ role: 'user', content: 'a\uFFFD' }])
})

describe('whole answers', () => {
  test('text, calls with arguments as an object, a sum that was wrong', async () => {
    const { ask } = await upstream(
      json(200, {
        choices: [
          {
            message: {
              content: 'Look:',
              tool_calls: [{ id: '', function: { name: 'f', arguments: { a: 1 } } }],
            },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 99 },
      }),
    )
    expect(await collect(ask())).toEqual([
      { type: 'text', index: 0, text: 'Look:' },
      {
        type: 'tool-call',
        index: 0,
        call: 0,
        id: expect.stringMatching(/^call_/),
        name: 'f',
        arguments: '{"a":1}',
      },
      { type: 'finish', index: 0, reason: 'tool_calls' },
      { type: 'usage', usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } },
    ])
  })

  test.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
  ])('%s that was ignored is refused by name (WIRE-12)', async (param, fields) => {
    const { ask } = await upstream(json(200, whole))
    expect(await failureOf(ask(fields))).toMatchObject({ status: 400, param })
  })

  const strict = { type: 'json_schema', json_schema: { name: 'x', schema: {}, strict: true } } as const
  test.each([
    ['response_format', { response_format: { type: 'json_object' } }],
    ['response_format', { response_format: strict }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice', { tool_choice: { type: 'function', function: { name: 'f' } } }],
  ] as const)('%s without an effect is refused by name (WIRE-12): %j', async (param, fields) => {
    const prose = await upstream(json(200, whole))
    expect(await failureOf(prose.ask(fields))).toMatchObject({ status: 400, param })
    const streamed = await upstream(stream([chunk({ content: 'x' }, { finish_reason: 'stop' })]))
    expect(await failureOf(streamed.ask({ ...fields, stream: true }))).toMatchObject({ status: 400, param })
    const cut = await upstream(
      json(200, { choices: [{ message: { content: 'x' }, finish_reason: 'length' }] }),
    )
    expect(await collect(cut.ask(fields))).toHaveLength(2)
  })

  test.each(['{"choices":', '[]', '{"choices":[]}', '{"choices":[{}]}'])(
    '%s is a 500 that reveals nothing',
    async (body) => {
      const { ask } = await upstream(json(200, body))
      expect(await failureOf(ask())).toMatchObject({ status: 500, code: 'upstream_malformed' })
    },
  )
})

describe('streams', () => {
  test('however they are cut, the deltas are the same', async () => {
    const records = [
      chunk({ role: 'assistant', content: null }),
      chunk({ content: 'Grüße 👋' }),
      chunk({ content: '' }, { finish_reason: 'eos' }),
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
    ]
    await forAllAsyncWith({ numRuns: 15 }, fc.integer({ min: 1, max: 40 }), async (size) => {
      const { ask } = await upstream(stream(records, { size }))
      expect(await collect(ask({ stream: true }))).toEqual([
        { type: 'text', index: 0, text: 'Grüße 👋' },
        { type: 'finish', index: 0, reason: 'stop' },
        { type: 'usage', usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
      ])
    })
  })

  test('unknown members of chunks, choices and calls are sent on, once if each chunk repeats them', async () => {
    const of = (delta: unknown, more: object = {}) => ({ provider: 'here', ...chunk(delta, more) })
    const call = { index: 0, id: 'c', signature: 's', function: { name: 'f', arguments: '', hint: 1 } }
    const { ask } = await upstream(
      stream([of({ tool_calls: [call] }), of({}, { stop_reason: 7, finish_reason: 'tool_calls' })]),
    )
    const deltas = await collect(ask({ stream: true }))
    expect(deltas).toEqual([
      { type: 'members', index: 0, of: 'answer', members: { provider: 'here' } },
      {
        type: 'tool-call',
        index: 0,
        call: 0,
        id: 'c',
        name: 'f',
        arguments: '',
        members: { call: { signature: 's' }, function: { hint: 1 } },
      },
      { type: 'members', index: 0, of: 'choice', members: { stop_reason: 7 } },
      { type: 'finish', index: 0, reason: 'tool_calls' },
    ])
  })

  test('a character that was torn in two leaves whole', async () => {
    const { ask } = await upstream(
      stream([
        chunk({ content: 'a\uD83D' }),
        chunk({ content: '\uDC4Bb' }),
        chunk({}, { finish_reason: 'stop' }),
      ]),
    )
    expect(await collect(ask({ stream: true }))).toMatchObject([
      { text: 'a' },
      { text: '👋b' },
      { type: 'finish' },
    ])
  })

  test('calls: an id and a name on every fragment, no index, and a plain end become the order of TOOL-5', async () => {
    const part = (id: string, args: string) => ({ id, function: { name: 'f', arguments: args } })
    const { ask } = await upstream(
      stream([
        chunk({ tool_calls: [{ index: 0, ...part('c1', '{"a"') }] }),
        chunk({ tool_calls: [{ index: 0, ...part('c1', ':1}') }] }),
        chunk({ tool_calls: [{ index: 3, ...part('c2', '{}') }] }),
        chunk({}, { finish_reason: 'stop' }),
        chunk({ content: 'too late' }, { finish_reason: 'length' }),
      ]),
    )
    expect(await collect(ask({ stream: true }))).toEqual([
      { type: 'tool-call', index: 0, call: 0, id: 'c1', name: 'f', arguments: '{"a"' },
      { type: 'tool-call', index: 0, call: 0, arguments: ':1}' },
      { type: 'tool-call', index: 0, call: 1, id: 'c2', name: 'f', arguments: '{}' },
      { type: 'finish', index: 0, reason: 'tool_calls' },
    ])
  })

  test.each([
    ['an error record', [chunk({ content: 'a' }), { error: { code: 503, message: 'full' } }], 503],
    ['no end', [chunk({ content: 'a' })], 500],
    ['a record that is not a chunk', [chunk({ content: 'a' }), 'nonsense'], 500],
  ])('%s after it began fails the stream (ERR-6)', async (_what, records, status) => {
    const { ask } = await upstream(stream(records, { done: false }))
    const deltas = ask({ stream: true })[Symbol.asyncIterator]()
    expect(await deltas.next()).toMatchObject({ value: [{ text: 'a' }] })
    await expect(deltas.next()).rejects.toMatchObject({ status })
  })
})

describe('failures', () => {
  test.each([429, 503])(
    'the wait of a %i until a date is sent as seconds, and no past date (GATE-5)',
    (status) => {
      const baseUrl = 'http://127.0.0.1:1'
      const model: UpstreamModel = { id: 'ours', model: 'theirs', baseUrl, apiKey: undefined }
      const waitUntil = (ms: number) =>
        Number(upstreamError(status, {}, new Date(ms).toUTCString(), model).headers['Retry-After'])
      // In an hour, less the precision of a date: the most that is sent.
      expect(waitUntil(Date.now() + 3_600_000)).toBeGreaterThan(3_500)
      expect(waitUntil(0)).toBe(1)
    },
  )

  test.each([
    [400, { error: { message: `theirs takes no x; ${KEY}\n  at file.py`, param: 'x', code: 'bad' } }, 400],
    [422, { detail: 'no' }, 400],
    [401, { error: { message: 'wrong key' } }, 500],
    [403, { error: { message: 'wrong key' } }, 400],
    [404, { error: { message: 'no such model' } }, 404],
    [500, 'Traceback', 500],
    [429, {}, 429],
    [502, '<html>', 503],
    [302, '', 503],
  ])('%i becomes a row of the table (ERR-2)', async (status, body, ours) => {
    const { ask } = await upstream(
      json(status, body, { location: 'http://127.0.0.1:1/', 'retry-after': '7' }),
    )
    const error = await failureOf(ask({ stream: true }))
    expect(error.status).toBe(ours)
    expect(`${error.toJson()} ${JSON.stringify(error.headers)}`).not.toMatch(
      /theirs|the-key|file\.py|Traceback|wrong key/,
    )
    if (status === 429) expect(error.headers).toEqual({ 'Retry-After': '7' })
    if (status === 400)
      expect(error).toMatchObject({ param: 'x', code: 'bad', message: 'ours takes no x; …' })
  })

  test('what can be retried is sent again before the first byte, and no more often than is allowed', async () => {
    let count = 0
    const { ask, asked } = await upstream(
      (request, response, body) => {
        count += 1
        const answer = count === 1 ? json(429, {}, { 'retry-after': '0.01' }) : json(200, whole)
        answer(request, response, body)
      },
      { retry: { maxAttempts: 3, maxTotalWaitMs: 1000 } },
    )
    expect(await collect(ask())).toHaveLength(2)
    expect(asked).toHaveLength(2)
    const never = await upstream(json(429, {}, { 'retry-after': '0.01' }), {
      retry: { maxAttempts: 3, maxTotalWaitMs: 10_000 },
    })
    await failureOf(never.ask())
    expect(never.asked).toHaveLength(3)
  })

  test('an unreachable upstream is a 503', async () => {
    const unreachable = { id: 'ours', baseUrl: 'http://127.0.0.1:1', model: 'theirs', apiKey: undefined }
    const { ask } = await upstream(json(200, whole), {}, unreachable)
    expect(await failureOf(ask())).toMatchObject({ status: 503 })
  })

  test('silence ends an answer, before it begins and within it', async () => {
    const mute = await upstream(() => undefined, { silenceMs: 100 })
    expect(await failureOf(mute.ask())).toMatchObject({ status: 503 })
    const stalled = await upstream((_request, response) => void begin(response)(), { silenceMs: 100 })
    expect(await failureOf(stalled.ask({ stream: true }))).toMatchObject({ status: 503 })
    await expect.poll(stalled.hungUp).toBe(1)
  })
})

describe('bounds', () => {
  test('a client that disconnects ends the work upstream (STREAM-12)', async () => {
    const { ask, hungUp } = await upstream((_request, response) => {
      const timer = setInterval(begin(response), 5)
      response.on('close', () => clearInterval(timer))
    })
    const left = ask({ stream: true })[Symbol.asyncIterator]()
    await left.next()
    await left.return?.()
    await expect.poll(hungUp).toBe(1)
    const controller = new AbortController()
    const deltas = ask({ stream: true }, controller.signal)[Symbol.asyncIterator]()
    await deltas.next()
    controller.abort()
    await expect(collect({ [Symbol.asyncIterator]: () => deltas })).rejects.toMatchObject({
      name: 'AbortError',
    })
    await expect.poll(hungUp).toBe(2)
  })

  test('a slow reader slows the upstream: it can write no more than what fits between', async () => {
    let written = 0
    const { ask } = await upstream((_request, response) => {
      const write = begin(response, 'x'.repeat(10_000))
      const pump = (): void => {
        while (written < 100_000_000 && !response.destroyed) {
          written += 10_000
          if (!write()) return void response.once('drain', pump)
        }
      }
      pump()
    })
    const deltas = ask({ stream: true })[Symbol.asyncIterator]()
    await deltas.next()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(written).toBeLessThan(50_000_000)
    await deltas.return?.()
  })

  test('over the bound on requests in flight, the next one gets a 503, and its place is free afterwards', async () => {
    const { ask } = await upstream(json(200, whole), { concurrency: 1 })
    const first = ask()[Symbol.asyncIterator]()
    await first.next()
    expect(await failureOf(ask())).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
    await first.return?.()
    expect(await collect(ask())).toHaveLength(2)
  })
})
