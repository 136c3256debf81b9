import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createFetch } from './fetch.ts'
import { sendJson, startTestServer } from '../../../../harness/http-server.fixture.ts'
import { createProbe } from '../../../../harness/http/probe.ts'
import { type Exchange, text } from '../../../../harness/http/exchange.ts'

/** The `fetch` of a target, and the exchanges that went through it. */
function fetchOf(baseUrl: string, signal = new AbortController().signal) {
  const probe = createProbe({ baseUrl, key: 'other', timeoutMs: 5_000 })
  const seen: Exchange[] = []
  const probeFetch = createFetch(
    baseUrl,
    async (request, fetchSignal, listener) => {
      const exchange = await probe.send(request, fetchSignal, listener)
      seen.push(exchange)
      return exchange
    },
    signal,
  )
  return { fetch: probeFetch, seen }
}

test('what goes out is what the caller gave, and no key of the judge', async () => {
  await using server = await startTestServer((request, response) => {
    const { authorization, 'x-a': own } = request.headers
    sendJson(response, 201, {
      method: request.method,
      url: request.url,
      authorization,
      own,
      text: request.text,
    })
  })
  const { fetch, seen } = fetchOf(server.baseUrl)
  const init = { method: 'PUT', headers: { authorization: 'Bearer mine', 'x-a': '1' }, body: '{"é":1}' }
  const response = await fetch(`${server.baseUrl}/v1/x?y=1`, init)
  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({
    method: 'PUT',
    url: '/v1/x?y=1',
    authorization: 'Bearer mine',
    own: '1',
    text: '{"é":1}',
  })
  expect(seen.map(({ request }) => request.path)).toEqual(['/v1/x?y=1'])
  const without = await fetch(`${server.baseUrl}/v1/x`)
  expect(await without.json()).not.toHaveProperty('authorization')
})

test('an answer streams: its first piece is read before its last one is sent', async () => {
  const firstRead = Promise.withResolvers<void>()
  await using server = await startTestServer(async (_, response) => {
    response.write('first ')
    await firstRead.promise
    response.end('last')
  })
  const { fetch, seen } = fetchOf(server.baseUrl)
  const response = await fetch(`${server.baseUrl}/v1/x`)
  let read = ''
  for await (const piece of response.body ?? []) {
    read += Buffer.from(piece).toString()
    firstRead.resolve()
  }
  expect(read).toBe('first last')
  expect(seen.map(text)).toEqual(['first last'])
})

test('a body that is cancelled, and a request that is aborted, hang up on the server', async () => {
  let closed = 0
  await using server = await startTestServer((_, response) => {
    response.write('a')
    response.on('close', () => (closed += 1))
  })
  const { fetch } = fetchOf(server.baseUrl)
  const cancelled = await fetch(`${server.baseUrl}/v1/x`)
  await cancelled.body?.cancel()
  const controller = new AbortController()
  const aborted = await fetch(`${server.baseUrl}/v1/x`, { signal: controller.signal })
  controller.abort()
  await expect(aborted.text()).rejects.toThrow(/abort/)
  await expect.poll(() => closed).toBe(2)
})

test('pieces that a decoder emits after a body was cancelled have no effect', async () => {
  // One piece of the connection becomes hundreds of pieces of the decoder.
  const body = gzipSync(Buffer.alloc(8 * 1024 * 1024, `data: ${'x'.repeat(1016)}\n\n`))
  await using server = await startTestServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(body)
  })
  const { fetch } = fetchOf(server.baseUrl)
  const uncaught: unknown[] = []
  const hear = (error: unknown): unknown => uncaught.push(error)
  process.on('uncaughtException', hear)
  try {
    const response = await fetch(`${server.baseUrl}/v1/x`)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await expect(fetch(`${server.baseUrl}/v1/x`).then((next) => next.text())).resolves.toHaveLength(
      8 * 1024 * 1024,
    )
  } finally {
    process.off('uncaughtException', hear)
  }
  expect(uncaught).toEqual([])
})

test.each([
  [
    'status',
    (response: ServerResponse) => void response.socket?.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
  ],
])('a %s that fetch does not accept rejects', async (_, answer) => {
  await using server = await startTestServer((_request, response) => answer(response))
  const failure = fetchOf(server.baseUrl).fetch(`${server.baseUrl}/v1/x`)
  await expect(failure).rejects.toThrow(TypeError)
})

test('no answer rejects as fetch does, with the reason behind it', async () => {
  const server = await startTestServer(() => {})
  await server[Symbol.asyncDispose]()
  const failure = fetchOf(server.baseUrl).fetch(`${server.baseUrl}/v1/x`)
  await expect(failure).rejects.toThrow(TypeError)
  await expect(failure).rejects.toMatchObject({ cause: { message: 'the connection was refused' } })
})

test('an answer that breaks rejects its reader', async () => {
  await using server = await startTestServer((_, response) => {
    response.write('a', () => response.destroy())
  })
  const response = await fetchOf(server.baseUrl).fetch(`${server.baseUrl}/v1/x`)
  await expect(response.text()).rejects.toThrow(/ended early: broken/)
})

test('an answer without a body is one', async () => {
  await using server = await startTestServer((_, response) => response.writeHead(204).end())
  const response = await fetchOf(server.baseUrl).fetch(`${server.baseUrl}/v1/x`)
  expect([response.status, response.body]).toEqual([204, null])
})

test('no other host is asked', async () => {
  await expect(fetchOf('http://127.0.0.1:9').fetch('http://127.0.0.1:99/v1/x')).rejects.toThrow(/not under/)
})
