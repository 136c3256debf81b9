// Ordered faults, as a client on a real socket meets them.
import { describe, expect, test } from 'vitest'
import { createEventStreamParser } from '../../spec/protocol/sse.ts'
import { createTestService } from '../app.fixture.ts'
import { withFaults } from './prompt-faults.ts'

const { send } = await createTestService()
const chat = (content: string, stream = false): Promise<Response> =>
  send('POST', '/v1/chat/completions', {
    model: 'svc-0.1-echo',
    stream,
    messages: [{ role: 'user', content }],
  })

/** All that arrives before the connection ends, and whether the answer is whole. */
async function readAll(answer: Response): Promise<{ text: string; whole: boolean }> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true })
    return { text, whole: true }
  } catch {
    return { text, whole: false }
  }
}

const dataOf = (text: string) =>
  createEventStreamParser()
    .push(text)
    .map(({ data }) => data)

describe.each([false, true])('stream: %s', (stream) => {
  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [404, 'model_not_found'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [503, 'service_unavailable'],
  ])('status=%d', async (status, type) => {
    const answer = await chat(`#fault status=${status} retry-after=7`, stream)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(await answer.json()).toMatchObject({ error: { type } })
  })

  test('an order that makes no sense is a 400 that says why', async () => {
    const answer = await chat('#fault boom=1', stream)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining('boom'), param: 'messages[0].content' },
    })
  })

  test('what follows the order is echoed', async () => {
    const { text, whole } = await readAll(await chat('#fault delay=1\nhi', stream))
    expect(whole).toBe(true)
    expect(text).toContain('"content":"hi"')
  })
})

test('cut, plain: the connection breaks in the middle of the answer', async () => {
  expect((await readAll(await chat('#fault cut=1\n0123456789'))).whole).toBe(false)
})

test.each([1, 2])(
  'cut=%d, streamed: exactly this number of deltas arrives before the break',
  async (count) => {
    const { text, whole } = await readAll(await chat(`#fault cut=${count}\n0123456789`, true))
    expect(whole).toBe(false)
    expect(
      dataOf(text)
        .slice(1)
        .map((data) => JSON.parse(data).choices[0].delta.content),
    ).toEqual(['0123', '4567'].slice(0, count))
  },
)

test.each([
  ['delay=150', [150, 'a', 'b', 'c']],
  ['stall=200 at=1', ['a', 200, 'b', 'c']],
  ['stall=200 delay=7', [7, 200, 'a', 'b', 'c']],
])('%s pauses there, once', async (order, expected) => {
  const events: unknown[] = []
  const deltas = ['a', 'b', 'c'].map((text) => ({ type: 'text' as const, index: 0, text }))
  const engine = withFaults(
    {
      models: [],
      async *generate() {
        yield deltas
      },
      async close() {},
    },
    async (ms) => void events.push(ms),
  )
  const request = { model: 'm', messages: [{ role: 'user' as const, content: `#fault ${order}` }] }
  const context = { signal: new AbortController().signal, requestId: 'r', maxAnswerBytes: Infinity }
  for await (const [delta] of engine.generate(request, context))
    events.push(delta?.type === 'text' && delta.text)
  expect(events).toEqual(expected)
})
