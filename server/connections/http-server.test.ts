// The server on a real socket: what happens to clients that break, stall or leave, and to answers at a shutdown.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { errorEnvelope } from '../../spec/protocol/error.ts'
import { createEventStreamParser } from '../../spec/protocol/sse.ts'
import type { Deltas, Engine } from '../engines/engine.ts'
import { unavailable } from '../http/api-error.ts'
import { stopHttpServer } from './http-server.ts'
import { createTestService, type TestServiceOptions } from '../app.fixture.ts'

async function listen(options?: TestServiceOptions) {
  const service = await createTestService(options)
  const { port, url } = service

  async function chat(body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Response> {
    return await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'hi' }], ...body }),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** Sends bytes as they are; resolves to all that comes back until the connection is closed. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (data: string) => (text += data))
    socket.write(bytes)
    await once(socket, 'close')
    return text
  }

  return { ...service, chat, raw }
}

/** An engine that sends one delta, then waits for `goOn`; it reports when its work was ended from outside. */
function slowEngine() {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<unknown>()
  async function* generate(_: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<Deltas> {
    signal.addEventListener('abort', () => aborted.resolve(signal.reason))
    started.resolve()
    yield [{ type: 'text', index: 0, text: 'first' }]
    await Promise.race([gate.promise, aborted.promise])
    signal.throwIfAborted()
    yield [{ type: 'finish', index: 0, reason: 'stop' }]
    yield [{ type: 'usage', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]
  }
  const engine: Engine = {
    models: [{ id: 'slow', created: 0, ownedBy: 'test' }],
    generate,
    close: async () => {},
  }
  return { engine, started: started.promise, goOn: gate.resolve, aborted: aborted.promise }
}

function lastRecord(text: string): unknown {
  return JSON.parse(createEventStreamParser().push(text).at(-1)?.data ?? '')
}

describe('requests that are none', () => {
  test.each([
    ['HTTP/1.1 without a host', 'GET /v1/models HTTP/1.1\r\n\r\n', 'no host'],
    [
      'an expectation',
      'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nContent-Length: 2\r\n\r\n{}',
      'expectation',
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 'connect'],
    [
      'headers that are too long',
      `GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HPE_HEADER_OVERFLOW',
    ],
    ['no method', '\u0001 / HTTP/1.1\r\n\r\n', 'HPE_INVALID_METHOD'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'HPE_UNEXPECTED_CONTENT_LENGTH',
    ],
    [
      'a host that is none',
      'GET /v1/models HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
      'target or host',
    ],
  ])(
    '%s: a 400 in the envelope with an id of its own, which the operator hears of (ERR-1)',
    async (_, bytes, reason) => {
      const { raw, refused } = await listen()
      const text = await raw(bytes)
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      const [, requestId] = /^x-request-id: (req_[0-9a-f]{32})\r$/im.exec(text) ?? []
      expect(requestId).toBeDefined()
      expect(errorEnvelope.parse(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).error.type).toBe(
        'invalid_request_error',
      )
      expect(refused).toEqual([{ requestId, status: 400, reason }])
    },
  )

  test.each([
    '/v1/../dashboard/sign-in',
    '/v1/%2e%2e/dashboard/sign-in',
    '/v1/.%2E/dashboard/sign-in?a=b',
    '/v1/./../dashboard/sign-in',
    '/./dashboard/sign-in',
    '/v1\\..\\dashboard\\sign-in',
    '/dashboard\\sign-in',
    '/dashboard/sign-in/..',
    'http://x/v1/../dashboard/sign-in',
  ])('the path %s is a 400 in the envelope: a proxy may read it in another way', async (path) => {
    const { raw, refused } = await listen()
    const text = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(errorEnvelope.safeParse(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).success).toBe(true)
    expect(refused).toMatchObject([{ reason: 'path' }])
  })

  test.each(['//dashboard/sign-in', '/v1/..;/dashboard/sign-in', '/v1/..%2fdashboard%2fsign-in'])(
    'the path %s does not reach the dashboard',
    async (path) => {
      const { raw } = await listen()
      expect(await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 40[0-9] /,
      )
    },
  )

  test.each([
    ['http://user@x/dashboard/sign-in', 400],
    ['http://user:password@x/v1/models', 400],
    ['https://evil.test@localhost/healthz?a', 400],
    ['http://x/healthz?a=b@c', 200],
    ['http://x/healthz', 200],
  ])('the target %s is a %d', async (target, status) => {
    const { raw } = await listen()
    expect(await raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} `),
    )
  })

  // A connection that is closed while bytes of the client are on their way is reset, and takes the answer along.
  test('an answer that is ready before its request has arrived is not lost', async () => {
    const { port, secret } = await listen()
    const key = `Authorization: Bearer ${secret}`
    const kinds = {
      'an unknown expectation': ['/v1/chat/completions', 'Host: x', 'Expect: foo', key],
      'no host': ['/v1/chat/completions', key],
      'no key': ['/v1/chat/completions', 'Host: x'],
      'a wrong key': ['/v1/chat/completions', 'Host: x', 'Authorization: Bearer svc_sk_wrong'],
      'too large': ['/v1/chat/completions', 'Host: x', key],
      'another type': ['/v1/chat/completions', 'Host: x', key, 'Content-Type: text/plain'],
      'an unknown path': ['/v1/nowhere', 'Host: x', key],
      'another method': ['/v1/models', 'Host: x', key],
      'a path beside /v1': ['/nowhere', 'Host: x'],
      'a form of the dashboard': ['/dashboard/keys', 'Host: x'],
      'a check of health': ['/healthz', 'Host: x'],
    } as const

    /** The answer to a client that reads only after it has sent everything: a reset would have discarded it by then. */
    async function answerTo([path, ...fields]: readonly string[], length: number, pieces: number) {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket
        .setEncoding('utf8')
        .on('data', (data: string) => (text += data))
        .on('error', () => {})
        .pause()
      const head = [`POST ${path} HTTP/1.1`, ...fields, `Content-Length: ${length}`, 'Connection: close']
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      for (let piece = 0; piece < pieces; piece += 1) {
        await sleep(pieces)
        socket.write('x'.repeat(length / pieces))
      }
      socket.resume()
      if (!socket.closed) await once(socket, 'close')
      return text.split('\r\n')[0]
    }

    const cases = Object.entries(kinds).flatMap(([kind, request]) => [
      { kind, request, length: 8_000, pieces: 4 },
      { kind, request, length: 8_000_000, pieces: 40 },
    ])
    const lines = await Promise.all(
      cases.map(async ({ kind, request, length, pieces }) => [
        kind,
        length,
        await answerTo(request, length, pieces),
      ]),
    )
    expect(lines).toEqual(
      cases.map(({ kind, length }) => [kind, length, expect.stringMatching(/^HTTP\/1\.1 [234]\d\d /)]),
    )
  })

  test('HTTP/1.0 needs no host', async () => {
    const { raw } = await listen()
    expect(await raw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.each([
    ['/v1/models', 200],
    ['/v1/models/svc-0.1-echo', 200],
    ['/v1/chat/completions', 404],
    ['/v1/nowhere', 404],
    ['/healthz', 200],
  ])('HEAD %s is a %d with the headers of a GET and without a body', async (path, status) => {
    const { raw, secret } = await listen()
    for (const body of ['', 'Content-Length: 2\r\n\r\n{}']) {
      const head = `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${secret}\r\n`
      const text = await raw(head + (body || '\r\n'))
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(text).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}\r\n/)
      expect(text).not.toMatch(/x-hono|\r\n\r\n./)
    }
  })

  test('every answer has an id, each its own, wherever it comes from', async () => {
    const { port, secret } = await listen()
    const paths = ['/', '/healthz', '/readyz', '/nowhere', '/v1', '/v1/', '/v1/models', '/v1/nowhere']
    const ids: string[] = []
    for (const path of paths)
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          redirect: 'manual',
          headers: { authorization: `Bearer ${secret}` },
        })
        ids.push(answer.headers.get('x-request-id') ?? '')
        await answer.text()
      }
    expect(ids.filter((id) => !/^req_[0-9a-f]{32}$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  describe('garbage behind a request', () => {
    const head = (secret: string, length: number) =>
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    const body = (fields: object) =>
      JSON.stringify({
        model: 'svc-0.1-echo',
        messages: [{ role: 'user', content: 'é'.repeat(3000) }],
        ...fields,
      })
    const request = (secret: string, fields: object) =>
      head(secret, Buffer.byteLength(body(fields))) + body(fields)

    test.each([
      ['plain', {}, 1],
      ['streamed', { stream: true }, 1],
      [
        'with a schema',
        { response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } } },
        1,
      ],
      ['pipelined', {}, 3],
      ['pipelined and streamed', { stream: true }, 2],
    ])('is refused after the whole answer (%s)', async (_, fields, count) => {
      const { raw, secret } = await listen()
      const text = await raw(`${request(secret, fields).repeat(count)}garbage\r\n\r\n`)
      const answers = text.split(/(?=HTTP\/1\.1 \d{3} )/)
      expect(answers.map((answer) => answer.slice(9, 12))).toEqual([...Array(count).fill('200'), '400'])
      for (const answer of answers.slice(0, count))
        expect(answer.trimEnd()).toMatch('stream' in fields ? /\[DONE\]\s+0$/ : /\}$/)
    })

    test('within a body is refused after the answers to earlier requests', async () => {
      const { raw, secret } = await listen()
      const chunked = head(secret, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked')
      const text = await raw(`${request(secret, {})}${chunked}5\r\nabcde\r\nnonsense\r\n`)
      const answers = text.split(/(?=HTTP\/1\.1 \d{3} )/)
      expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['200', '400'])
    })
  })

  test('a request that never arrives whole is ended with a 400', async () => {
    const { raw, secret } = await listen({ requestTimeoutSeconds: 1 })
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json`
    expect(await raw(`${head}\r\nContent-Length: 10\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('an upgrade is answered as plain HTTP/1.1, as some clients send it with every request', async () => {
    const { raw, secret } = await listen()
    const text = await raw(
      `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('clients that leave', () => {
  test.each([true, false])('the work stops (stream: %s, STREAM-12)', async (stream) => {
    const { engine, started, aborted } = slowEngine()
    const { chat } = await listen({ engines: [engine] })
    const controller = new AbortController()
    const answer = chat({ stream }, controller.signal).then((response) => response.text())
    await started
    controller.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect(aborted).resolves.toMatchObject({ name: 'AbortError' })
  })
})

describe('the clock', () => {
  test('an answer that takes too long is ended with a 503', async () => {
    const { chat } = await listen({ engines: [slowEngine().engine], timeoutMs: 100 })
    const answer = await chat({})
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(errorEnvelope.parse(await answer.json()).error.type).toBe('service_unavailable')
  })

  test('a stream that takes too long is ended with a record that says so', async () => {
    const { chat } = await listen({ engines: [slowEngine().engine], timeoutMs: 100 })
    const text = await (await chat({ stream: true })).text()
    expect(lastRecord(text)).toMatchObject({ error: { type: 'service_unavailable' } })
    expect(text).not.toContain('[DONE]')
  })
})

describe('a reader that stalls', () => {
  /** An answer of 8 MB: more than what the sockets of both ends take up. */
  const large = { model: 'svc-0.1-echo', n: 16, messages: [{ role: 'user', content: 'x'.repeat(500_000) }] }

  test.concurrent.each([
    ['in the middle of a stream', { ...large, stream: true }],
    ['when a plain answer is finished', large],
  ])('%s is ended by the clock, and keeps neither slot nor connection', async (_, body) => {
    const bounds = { answerBytes: 1e9 }
    const { server, port, createKey, metrics } = await listen({ timeoutMs: 4000, bounds })
    const { secret: narrow } = await createKey({ concurrency: 1 })
    const text = JSON.stringify(body)
    const socket = connect(port, '127.0.0.1').pause()
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${narrow}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    )
    const connections = () => promisify(server.getConnections.bind(server))()
    const inFlight = async () => (await metrics.scrape()).text.includes('under_way{model="svc-0.1-echo"} 1')
    await expect.poll(connections).toBe(1)
    await expect.poll(inFlight).toBe(false)
    await expect.poll(connections).toBe(0)
    const again = { ...body, n: 1, messages: [{ role: 'user', content: 'x' }] }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${narrow}`, 'content-type': 'application/json' },
      body: JSON.stringify(again),
    })
    expect(answer.status).toBe(200)
    await answer.text()
    socket.destroy()
  })
})

describe('a shutdown', () => {
  test('lets an answer in flight finish, and takes no new one', async () => {
    const { engine, goOn } = slowEngine()
    const { chat, server, generations } = await listen({ engines: [engine] })
    const answer = await chat({ stream: true })
    const stopped = stopHttpServer(server, {
      drainMs: 0,
      graceMs: 5000,
      endAll: () => generations.abortAll(unavailable('stopping', 1)),
    })
    await expect(chat({})).rejects.toThrow('fetch failed')
    goOn()
    expect(await answer.text()).toMatch(/\[DONE\]\n\n$/)
    await stopped
  })

  test('ends an answer that takes longer than the grace, with a record that says so', async () => {
    const { engine } = slowEngine()
    const { chat, server, generations } = await listen({ engines: [engine] })
    const answer = await chat({ stream: true })
    await stopHttpServer(server, {
      drainMs: 0,
      graceMs: 50,
      endAll: () => generations.abortAll(unavailable('stopping', 1)),
    })
    const text = await answer.text()
    expect(lastRecord(text)).toMatchObject({ error: { type: 'service_unavailable', message: 'stopping' } })
    expect(text).not.toContain('[DONE]')
  })
})
