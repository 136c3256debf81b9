// The log has one line for each request when its answer has ended, whether the client or the server ended it.
import { expect, test } from 'vitest'
import type { Deltas, Engine } from '../engines/engine.ts'
import { createTestService } from '../app.fixture.ts'
import { unavailable } from './api-error.ts'
import { readTraceparent } from './request-log.ts'

const CHAT = '/v1/chat/completions'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

/** An engine that exposes its context and, after one delta, ends by calling `end`. */
function engineThat(end: (signal: AbortSignal) => Promise<void> | void) {
  const contexts: unknown[] = []
  const engine: Engine = {
    models: [{ id: 'm', created: 0, ownedBy: 'test' }],
    async *generate(_, context): AsyncGenerator<Deltas> {
      contexts.push(context)
      yield [{ type: 'text', index: 0, text: 'first' }]
      await end(context.signal)
      yield [{ type: 'finish', index: 0, reason: 'stop' }]
      yield [{ type: 'usage', usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }]
    },
    close: async () => {},
  }
  return { engine, contexts }
}

const hung = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

async function ask(end: (signal: AbortSignal) => Promise<void> | void, stream: boolean) {
  const { engine, contexts } = engineThat(end)
  const service = await createTestService({ engines: [engine] })
  const controller = new AbortController()
  const answer = await fetch(`${service.url}${CHAT}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.secret}`,
      'content-type': 'application/json',
      traceparent,
    },
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'x' }] }),
    signal: controller.signal,
  })
  const lines = () => service.logLines.map((line): Record<string, unknown> => JSON.parse(line))
  return { ...service, answer, lines, contexts }
}

test.each([true, false])(
  'of a whole answer: model, tokens, first token, its end and its trace (stream: %s)',
  async (stream) => {
    const { answer, lines, contexts } = await ask(() => {}, stream)
    await answer.text()
    await expect.poll(() => lines().length).toBe(1)
    const [line] = lines()
    expect(line).toMatchObject({ status: 200, model: 'm', tokens: 3, ended: 'complete', traceId: TRACE })
    expect(line).toMatchObject({ firstTokenMs: expect.any(Number), ms: expect.any(Number) })
    expect(contexts).toMatchObject([{ traceparent }])
  },
)

test('each line has the method and the path of its own request', async () => {
  const { send, logLines } = await createTestService()
  const asked = [
    ['GET', '/v1/models'],
    ['POST', '/v1/models'],
    ['POST', CHAT],
    ['GET', CHAT],
    ['GET', '/v1/models'],
  ] as const
  for (const [method, path] of asked) await (await send(method, path)).text()
  const lines = logLines.map((line): Record<string, unknown> => JSON.parse(line))
  expect(lines.map(({ method, path }) => [method, path])).toEqual(asked)
})

test('of a stream there is no line before its end', async () => {
  const gate = Promise.withResolvers<void>()
  const { answer, lines } = await ask(() => gate.promise, true)
  expect(lines()).toEqual([])
  gate.resolve()
  await answer.text()
  await expect.poll(() => lines().length).toBe(1)
})

test('a stream that fails after its 200 says so, with its code, and is counted; a known failure has no stack', async () => {
  const { answer, lines, metrics } = await ask(() => {
    throw unavailable('too much', 1)
  }, true)
  await answer.text()
  await expect.poll(() => lines().length).toBe(1)
  expect(lines()).toMatchObject([{ status: 200, ended: 'failed', error: 'service_unavailable' }])
  expect((await metrics.scrape()).text).toContain('touchstone_streams_total{model="m",ended="failed"} 1')
})

test('what fails for a reason of ours has a line with it', async () => {
  const { answer, lines } = await ask(() => {
    throw new TypeError('a bug')
  }, true)
  await answer.text()
  await expect.poll(() => lines().length).toBe(2)
  expect(lines()).toMatchObject([
    { ended: 'failed', error: 'internal_error' },
    { level: 50, err: { message: 'a bug' } },
  ])
})

test('a client that disconnects is not a failure', async () => {
  const { answer, lines, metrics } = await ask(hung, true)
  await answer.body?.cancel()
  await expect.poll(() => lines().length).toBe(1)
  expect(lines()).toMatchObject([{ level: 30, status: 200, ended: 'client_left' }])
  expect((await metrics.scrape()).text).toContain('touchstone_streams_total{model="m",ended="client_left"} 1')
})

test('a path and a model show no control and no direction of text', async () => {
  const { logLines, send } = await createTestService()
  await send('GET', '/v1/models/%C2%9B31m%E2%80%AEx%7F')
  await send('POST', CHAT, { model: '\u202eabc\u200b', messages: [{ role: 'user', content: 'x' }] })
  await expect.poll(() => logLines.length).toBe(2)
  expect(logLines.join('')).not.toMatch(/[\u007f-\u009f\u200b\u202e]/)
})

test.each([
  undefined,
  '',
  traceparent.toUpperCase(),
  traceparent.replace('00-', 'ff-'),
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `${traceparent}-more`,
  `${traceparent}\n`,
])('a traceparent that is not valid is left out: %j', (header) => {
  expect(readTraceparent(header)).toBeUndefined()
})
