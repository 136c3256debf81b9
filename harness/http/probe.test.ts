import { PIECE_BYTES } from './exchange.ts'
import { EVENT_BYTES } from './read-body.ts'
import net from 'node:net'
import { expect, test } from 'vitest'
import { fc, forAllAsyncWith } from '../../spec/property.fixture.ts'
import { bounds } from '../bounds/bounds.ts'
import { MAX_INTERIM_ANSWERS } from './send-once.ts'
import { listening, sendJson, startTestServer } from '../http-server.fixture.ts'
import { type Probe, type ProbeOptions, createProbe } from './probe.ts'
import { header, json, text } from './exchange.ts'
import { TransportError } from './transport-error.ts'

const signal = new AbortController().signal

function probeOf(baseUrl: string, options: Partial<ProbeOptions> = {}): Probe {
  return createProbe({ baseUrl, key: 'svc_sk_test', timeoutMs: 5_000, ...options })
}

/** A server of raw bytes: hands each connection to `serve`. */
async function startRawServer(serve: (socket: net.Socket, connection: number) => void) {
  let connections = 0
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket, (connections += 1))
  })
  const closeAllConnections = () => sockets.forEach((socket) => socket.destroy())
  return {
    connections: () => connections,
    ...(await listening(Object.assign(server, { closeAllConnections }))),
  }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test('sends a request exactly as written', async () => {
  let received = ''
  await using server = await startRawServer((socket) =>
    socket.on('data', (piece) => {
      received += piece.toString('latin1')
      if (received.includes('{"a":1}')) socket.end(OK)
    }),
  )
  const exchange = await probeOf(server.baseUrl, { headers: { 'X-Gate': 'open' } }).send(
    {
      path: '/v1/chat/completions?x=%41&y=a//b/../c',
      authorization: 'bearer\t "svc_sk_x" ',
      headers: { 'X-Odd': 'a  b', 'CONTENT-TYPE': 'text/plain', accept: '' },
      body: '{"a":1}',
    },
    signal,
  )
  const [head = '', body] = received.split('\r\n\r\n')
  expect(body).toBe('{"a":1}')
  const lines = head.split('\r\n')
  expect(lines[0]).toBe('POST /v1/chat/completions?x=%41&y=a//b/../c HTTP/1.1')
  expect(lines).toContain('Authorization: bearer\t "svc_sk_x" ')
  expect(lines).toContain('X-Odd: a  b')
  expect(lines).toContain('X-Gate: open')
  expect(lines).toContain('CONTENT-TYPE: text/plain')
  expect(lines).toContain('Content-Length: 7')
  expect(head).not.toMatch(/^accept:/im)
  for (const [name, value] of exchange.request.headers) expect(lines).toContain(`${name}: ${value}`)
})

test('sends the key by default, another header if given, and none for null', async () => {
  const seen: (string | undefined)[] = []
  await using server = await startTestServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end()
  })
  const probe = probeOf(server.baseUrl)
  await probe.send({ path: '/v1/models' }, signal)
  await probe.send({ path: '/v1/models', authorization: null }, signal)
  await probe.send({ path: '/v1/models', authorization: '' }, signal)
  await probeOf(server.baseUrl, { key: '' }).send({ path: '/v1/models' }, signal)
  expect(seen).toEqual(['Bearer svc_sk_test', undefined, '', undefined])
})

test('returns every byte of an answer, and headers separately and in order', async () => {
  await forAllAsyncWith(
    { numRuns: 30 },
    fc.uint8Array({ maxLength: 300 }),
    fc.array(fc.stringMatching(/^[!-~]{0,9}$/)),
    async (bytes, values) => {
      const headers = values.map((value) => `X-Value: ${value}\r\n`).join('')
      await using server = await startRawServer((socket) =>
        socket.once('data', () => {
          socket.write(`HTTP/1.1 418 Odd\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`)
          socket.end(bytes)
        }),
      )
      const { response } = await probeOf(server.baseUrl).send({ path: '/' }, signal)
      expect(response.status).toBe(418)
      expect(Buffer.from(response.body).equals(bytes)).toBe(true)
      expect(response.headers.filter(([name]) => name === 'X-Value').map(([, value]) => value)).toEqual(
        values,
      )
      expect(response.chunks.reduce((sum, { size }) => sum + size, 0)).toBe(bytes.length)
      expect(response.end).toBe('complete')
    },
  )
})

test('a path below a base address is kept', async () => {
  await using server = await startTestServer((request, response) => response.end(request.url))
  const exchange = await probeOf(`${server.baseUrl}/api/openai`).send({ path: '/v1/models' }, signal)
  expect(text(exchange)).toBe('/api/openai/v1/models')
  expect(exchange.request.path).toBe('/v1/models')
})

test('header, text and json read an answer', async () => {
  await using server = await startTestServer((_, response) =>
    sendJson(response, 200, { a: ['é'] }, { 'x-a': '1' }),
  )
  const exchange = await probeOf(server.baseUrl).send({ path: '/' }, signal)
  expect(header(exchange, 'X-A')).toBe('1')
  expect(header(exchange, 'x-b')).toBeUndefined()
  expect(json(exchange)).toEqual({ a: ['é'] })
  const broken = { ...exchange, response: { ...exchange.response, body: Buffer.from([0xc3]) } }
  expect([text(broken), json(broken)]).toEqual([undefined, undefined])
})

test('a pooled connection that the server has closed is replaced once, and the request sent again', async () => {
  let requests = 0
  await using server = await startRawServer((socket, connection) =>
    socket.on('data', () => {
      requests += 1
      // The first connection answers once and dies at the next request, as an idle one that was closed does.
      if (connection === 1 && requests === 2) socket.destroy()
      else socket.write(OK)
    }),
  )
  const probe = probeOf(server.baseUrl)
  await probe.send({ path: '/' }, signal)
  const second = await probe.send({ path: '/' }, signal)
  expect(text(second)).toBe('ok')
  expect(second.reconnected).toBe(true)
  expect(server.connections()).toBe(2)
})

test('a connection with a name is used by the requests of that name alone', async () => {
  await using server = await startRawServer((socket) => socket.on('data', () => socket.write(OK)))
  const probe = probeOf(server.baseUrl)
  for (const connection of ['own', undefined, 'own', undefined, 'own'])
    await probe.send({ path: '/', ...(connection === undefined ? {} : { connection }) }, signal)
  expect(server.connections()).toBe(2)
  probe.close()
})

test('an answer that switches to an offered protocol is its head alone', async () => {
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n\0\0\0'
  await using server = await startRawServer((socket) => socket.once('data', () => socket.write(switched)))
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
  const exchange = await probeOf(server.baseUrl).send({ path: '/', headers, body: '{}' }, signal)
  expect(exchange.response).toMatchObject({ status: 101, end: 'complete' })
})

test('a new connection that breaks is an error, and the request is not sent again', async () => {
  await using server = await startRawServer((socket) => socket.once('data', () => socket.destroy()))
  await expect(probeOf(server.baseUrl).send({ path: '/' }, signal)).rejects.toThrow(TransportError)
  expect(server.connections()).toBe(1)
})

test('a pooled connection that breaks after the first byte is an error', async () => {
  let requests = 0
  await using server = await startRawServer((socket) =>
    socket.on('data', () => {
      requests += 1
      if (requests === 1) socket.write(OK)
      else socket.write('HTTP/1.1 200', () => socket.destroy())
    }),
  )
  const probe = probeOf(server.baseUrl)
  await probe.send({ path: '/' }, signal)
  await expect(probe.send({ path: '/' }, signal)).rejects.toThrow(TransportError)
  expect(server.connections()).toBe(1)
})

test.each([
  ['silence', (socket: net.Socket) => void socket, /no answer within 0\.2 s/],
  ['malformed HTTP', (socket: net.Socket) => void socket.write('hello\r\n\r\n'), /not HTTP/],
])('%s is an error', async (_, serve, reason) => {
  await using server = await startRawServer((socket) => socket.once('data', () => serve(socket)))
  await expect(probeOf(server.baseUrl, { timeoutMs: 200 }).send({ path: '/' }, signal)).rejects.toThrow(
    reason,
  )
})

test('a refused connection is an error', async () => {
  const server = await startTestServer(() => {})
  await server[Symbol.asyncDispose]()
  await expect(probeOf(server.baseUrl).send({ path: '/' }, signal)).rejects.toThrow(
    'the connection was refused',
  )
})

test('an answer that breaks in its body is returned as far as it came', async () => {
  await using server = await startRawServer((socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => socket.destroy()),
    ),
  )
  const exchange = await probeOf(server.baseUrl).send({ path: '/' }, signal)
  expect([exchange.response.end, text(exchange)]).toEqual(['broken', 'abc'])
})

test.each([
  ['is reset', (socket: net.Socket) => socket.resetAndDestroy(), 'the connection was reset'],
  ['is closed', (socket: net.Socket) => socket.end(), undefined],
  [
    'goes on without a size',
    (socket: net.Socket) => socket.write('zz\r\n'),
    'what came is not HTTP: Parse Error: Invalid character in chunk size (HPE_INVALID_CHUNK_SIZE)',
  ],
] as const)('of a chunked answer whose connection %s, it is known how it broke', async (_, end, broken) => {
  const heard = Promise.withResolvers<void>()
  await using server = await startRawServer((socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    )
    void heard.promise.then(() => end(socket))
  })
  const listener = { head: () => {}, chunk: () => heard.resolve() }
  const exchange = await probeOf(server.baseUrl).send({ path: '/' }, signal, listener)
  expect([exchange.response.end, text(exchange), exchange.response.broken]).toEqual(['broken', 'abc', broken])
})

test('an answer with two framings is an error that shows what came', async () => {
  const head = 'HTTP/1.1 200 OK\r\nX-Odd: a: b\r\nContent-Length: 3\r\nTransfer-Encoding: chunked'
  await using server = await startRawServer((socket) =>
    socket.once('data', () => socket.end(`${head}\r\n\r\nabc`)),
  )
  const error: unknown = await probeOf(server.baseUrl)
    .send({ path: '/' }, signal)
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    message: expect.stringMatching(/^what came is not HTTP: .*\(HPE_INVALID_TRANSFER_ENCODING\)$/),
    received: {
      response: {
        status: 200,
        headers: [
          ['X-Odd', 'a: b'],
          ['Content-Length', '3'],
          ['Transfer-Encoding', 'chunked'],
        ],
        end: 'broken',
      },
    },
  })
})

test('an answer that never ends is cut by the time', async () => {
  await using server = await startTestServer((_, response) => response.write('abc'))
  const exchange = await probeOf(server.baseUrl, { timeoutMs: 1500 }).send({ path: '/' }, signal)
  expect([exchange.response.end, text(exchange)]).toEqual(['timeout', 'abc'])
})

test('interim answers are read over, up to a bound', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  await using server = await startRawServer((socket) =>
    socket.on('data', (bytes) => {
      const hints = Number(/\d+/.exec(bytes.toString())?.[0])
      socket.write(hint.repeat(hints) + OK)
    }),
  )
  const probe = probeOf(server.baseUrl)
  for (const hints of [0, 1, MAX_INTERIM_ANSWERS])
    expect(text(await probe.send({ path: `/${hints}` }, signal))).toBe('ok')
  await expect(probe.send({ path: `/${MAX_INTERIM_ANSWERS + 1}` }, signal)).rejects.toMatchObject({
    message: 'more than 1000 answers with a status of 1xx came, and no other',
    isLate: false,
  })
})

test('an answer without an end is cut by its size', async () => {
  await using server = await startTestServer((_, response) => {
    const piece = Buffer.alloc(1024 * 1024)
    const more = (): void => {
      if (!response.destroyed) response.write(piece, () => setImmediate(more))
    }
    more()
  })
  const { response } = await probeOf(server.baseUrl, { timeoutMs: 20_000 }).send({ path: '/' }, signal)
  expect(response.end).toBe('too-large')
  expect(response.body.length).toBeLessThan(bounds().answerBytes + 2 * 1024 * 1024)
})

/** Answers each request with chunks of one byte, without an end. */
function pourBytes(socket: net.Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
  const more = (): void => {
    while (!socket.destroyed && socket.write('1\r\na\r\n'.repeat(1000)));
  }
  socket.on('drain', more)
  more()
}

test('an answer of very many pieces is cut by its size, and takes little memory', async () => {
  await using server = await startRawServer((socket) => socket.once('data', () => pourBytes(socket)))
  const most = 512 * 1024
  const { response } = await probeOf(server.baseUrl, { timeoutMs: 20_000, bodies: { most } }).send(
    { path: '/' },
    signal,
  )
  expect([response.end, response.broken]).toEqual([
    'too-large',
    'the judge reads at most 0.5 MiB of an answer',
  ])
  expect(response.body.length + PIECE_BYTES * response.chunks.length).toBeLessThanOrEqual(most + 1024)
})

test.each(['\n', '\r', '\r\n'])(
  'a stream of very many small events, behind %j, is cut by its events',
  async (end) => {
    const events = `data: x${end}${end}`.repeat(10_000)
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${events.length}\r\n\r\n`
    await using server = await startRawServer((socket) =>
      socket.once('data', () => socket.end(head + events)),
    )
    const readOf = async (most: number) => {
      const { response } = await probeOf(server.baseUrl, { bodies: { most } }).send({ path: '/' }, signal)
      return response.end
    }
    const memory = events.length + 10_000 * EVENT_BYTES
    expect([await readOf(memory / 2), await readOf(memory + 100 * PIECE_BYTES)]).toEqual([
      'too-large',
      'complete',
    ])
  },
)

test('small transfer chunks do not make an answer too large', async () => {
  const chunks = '7\r\nabcdefg\r\n'.repeat(100_000)
  await using server = await startRawServer((socket) =>
    socket.once('data', () =>
      socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    ),
  )
  const probe = probeOf(server.baseUrl, { timeoutMs: 20_000, bodies: { most: 4 * 1024 * 1024 } })
  const { response } = await probe.send({ path: '/' }, signal)
  expect([response.end, response.body.length]).toEqual(['complete', 700_000])
})

test('open answers are cut when they hold too much together, and leave room when they have ended', async () => {
  const size = 512 * 1024
  let held = 0
  const free = Promise.withResolvers<void>()
  await using server = await startTestServer((request, response) => {
    response.writeHead(200, { 'content-length': size + 1 }).write(Buffer.alloc(size))
    if (request.url === '/alone') return response.end('a')
    if ((held += 1) === 4) free.resolve()
    return free.promise.then(() => response.end('a'))
  })
  const probe = probeOf(server.baseUrl, { bodies: { mostOpen: 1.5 * size } })
  const ends = async (paths: readonly string[]): Promise<readonly string[]> => {
    const exchanges = await Promise.all(paths.map((path) => probe.send({ path }, signal)))
    return exchanges.map(({ response }) => response.end)
  }
  expect(await ends(['/1', '/2', '/3', '/4'])).toContain('too-large')
  expect(await ends(['/alone'])).toEqual(['complete'])
  expect(await ends(['/alone'])).toEqual(['complete'])
})

test('a request with a limit of its own has it until the head, and its body has the limit of the run', async () => {
  await using server = await startTestServer((_, response) => {
    setTimeout(() => response.writeHead(200).write('abc'), 300)
  })
  const probe = probeOf(server.baseUrl, { timeoutMs: 200 })
  await expect(probe.send({ path: '/' }, signal)).rejects.toThrow('no answer within 0.2 s')
  const { response } = await probe.send({ path: '/', timeoutMs: 60_000 }, signal)
  expect([response.end, Buffer.from(response.body).toString()]).toEqual(['timeout', 'abc'])
})

test('an event stream that stays open after [DONE] is hung up on; one that speaks on is read on', async () => {
  await using server = await startTestServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\ndata: [DONE]\n\n')
    if (request.url === '/more') setImmediate(() => response.end('data: 2\n\n'))
  })
  const probe = probeOf(server.baseUrl)
  const open = await probe.send({ path: '/open' }, signal)
  expect([open.response.end, text(open)]).toEqual(['left-open', 'data: 1\n\ndata: [DONE]\n\n'])
  const impatient = probeOf(server.baseUrl, { timeoutMs: 1500 })
  const waited = await impatient.send({ path: '/open', openAfterDoneMs: 60_000 }, signal)
  expect(waited.response.end).toBe('timeout')
  const more = await probe.send({ path: '/more' }, signal)
  expect([more.response.end, text(more)]).toEqual(['complete', 'data: 1\n\ndata: [DONE]\n\ndata: 2\n\n'])
})

test('the judge hangs up after a number of pieces, and the server sees it', async () => {
  const closed = Promise.withResolvers<void>()
  await using server = await startTestServer((_, response) => {
    const timer = setInterval(() => response.write('data: x\n\n'), 20)
    response.on('close', () => {
      clearInterval(timer)
      closed.resolve()
    })
  })
  const { response } = await probeOf(server.baseUrl).send({ path: '/', abortAfterChunks: 2 }, signal)
  expect([response.end, response.chunks.length]).toEqual(['hung-up', 2])
  await closed.promise
})

test('pieces are kept apart by the time of their arrival', async () => {
  const arrived = Promise.withResolvers<void>()
  await using server = await startTestServer((_, response) => {
    response.write('a')
    void arrived.promise.then(() => response.end('b'))
  })
  const listener = { head: () => {}, chunk: () => arrived.resolve() }
  const { response, timings } = await probeOf(server.baseUrl).send({ path: '/' }, signal, listener)
  const [first, second] = response.chunks
  expect(response.chunks.map(({ size }) => size)).toEqual([1, 1])
  expect(second?.atMs).toBeGreaterThan(first?.atMs ?? Infinity)
  expect(timings.firstByteMs).toBeLessThan(timings.totalMs)
})

test('an answer that comes before the whole body was sent is read, not lost', async () => {
  await using server = await startRawServer((socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 400 Bad\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbig!', () =>
        socket.end(),
      ),
    ),
  )
  const exchange = await probeOf(server.baseUrl).send(
    { path: '/', body: Buffer.alloc(8 * 1024 * 1024, 'a') },
    signal,
  )
  expect([exchange.response.status, text(exchange)]).toEqual([400, 'big!'])
})

test('a large body arrives whole', async () => {
  await using server = await startTestServer((request, response) => response.end(String(request.text.length)))
  const probe = probeOf(server.baseUrl)
  for (const size of [0, 1, 65_535, 65_536, 65_537, 1_000_000]) {
    const exchange = await probe.send({ path: '/', body: 'a'.repeat(size) }, signal)
    expect(text(exchange)).toBe(String(size))
  }
})

test('an abort ends an exchange with its reason, before and within the answer', async () => {
  await using server = await startTestServer((request, response) => {
    if (request.url === '/begun') response.write('a')
  })
  for (const path of ['/silent', '/begun']) {
    const controller = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 100)
    await expect(probeOf(server.baseUrl).send({ path }, controller.signal)).rejects.toBe(reason)
  }
})
