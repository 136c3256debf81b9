// The proxy passes every byte on as it came, and records what it saw.
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fc, forAllAsyncWith } from '../../../spec/property.fixture.ts'
import { listening } from '../../../harness/http-server.fixture.ts'
import type { RecordedExchange } from '../recorded-exchange.ts'
import { startCaptureProxy } from './capture-proxy.ts'

/** A service that gets each connection, a proxy before it, and what the proxy records. */
async function recording(serve: (socket: Socket) => void, path = '') {
  const sockets = new Set<Socket>()
  const service = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  const { port } = await listening(service)
  const records: RecordedExchange[] = []
  const host = `127.0.0.1:${port}`
  const proxy = await startCaptureProxy(`http://${host}${path}`, 0, (exchange) => records.push(exchange))
  onTestFinished(async () => {
    await proxy.end()
    for (const socket of sockets) socket.destroy()
    service.close()
  })
  return { host, records, port: Number(new URL(proxy.origin).port) }
}

/** A connection, and all bytes that it gets. */
function connectTo(port: number): Socket & { got(): Buffer } {
  const pieces: Buffer[] = []
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => {}).on('data', (piece: Buffer) => pieces.push(piece))
  return Object.assign(socket, { got: () => Buffer.concat(pieces) })
}

/** Waits until an assertion holds, also on a busy machine. */
const eventually = (assertion: () => void): Promise<void> => vi.waitFor(assertion, 10_000)

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.on('close', () => resolve()))

async function writeIn(socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    const piece = bytes.subarray(from, cut)
    from = Math.max(from, cut)
    if (piece.length === 0) continue
    socket.write(piece)
    await sleep(1)
  }
}

const POST = 'POST /v1/chat/completions?a=1 HTTP/1.1\r\n'
const cutsOf = (most: number) => fc.array(fc.integer({ min: 1, max: most }), { maxLength: 4 })

test('bytes arrive unchanged in whatever pieces, and are recorded', { timeout: 60_000 }, async () => {
  const oneOf = fc.record({
    sent: fc.uint8Array({ maxLength: 300 }),
    answered: fc.uint8Array({ maxLength: 300 }),
    isChunked: fc.boolean(),
    cuts: cutsOf(300),
    answerCuts: cutsOf(300),
    repeats: fc.integer({ min: 1, max: 3 }),
  })
  await forAllAsyncWith({ numRuns: 25 }, oneOf, async (one) => {
    const { sent, answered, isChunked, cuts, answerCuts, repeats } = one
    const chunk = (body: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
    const framed = isChunked
      ? Buffer.concat([...(answered.length === 0 ? [] : [chunk(answered)]), Buffer.from('0\r\n\r\n')])
      : Buffer.from(answered)
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `content-length: ${answered.length}`
    const answer = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nX-Odd:  b\r\n${framing}\r\n\r\n`), framed])
    const repeated = (one: Buffer): Buffer => Buffer.concat(Array<Buffer>(repeats).fill(one))
    const pieces: Buffer[] = []
    let missing = 0
    const { host, port, records } = await recording((socket) => {
      socket.on('data', (piece: Buffer) => {
        pieces.push(piece)
        missing -= piece.length
        if (missing === 0) void writeIn(socket, repeated(answer), answerCuts)
      })
    })
    const request = (to: string): Buffer =>
      Buffer.concat([
        Buffer.from(`${POST}X-B: 2\r\nhOsT: ${to}\r\nX-A:1\r\nContent-Length: ${sent.length}\r\n\r\n`),
        sent,
      ])
    missing = repeats * request(host).length
    const client = connectTo(port)
    // Several requests on one connection, the next before the answer to the first.
    await writeIn(client, repeated(request(`127.0.0.1:${port}`)), cuts)
    await eventually(() => expect(records).toHaveLength(repeats))
    expect(Buffer.concat(pieces)).toEqual(repeated(request(host)))
    await eventually(() => expect(client.got()).toEqual(repeated(answer)))
    client.destroy()
    for (const { request: recorded, response } of records) {
      expect(Buffer.from(recorded.body ?? [])).toEqual(Buffer.from(sent))
      expect(recorded.headers.map(([name]) => name)).toEqual(['X-B', 'hOsT', 'X-A', 'Content-Length'])
      expect(response).toMatchObject({ status: 200, end: 'complete' })
      expect(Buffer.from(response?.body ?? [])).toEqual(Buffer.from(answered))
    }
  })
})

const REQUEST = `${POST}Host: x\r\nContent-Length: 2\r\n\r\n{}`
const OK = 'HTTP/1.1 200 OK\r\n'

/** A client whose request has been sent through the proxy, and what is recorded of it. */
async function asked(serve: (socket: Socket) => void, path?: string) {
  const { host, port, records } = await recording(serve, path)
  const client = connectTo(port)
  client.write(REQUEST)
  async function recorded(): Promise<RecordedExchange | undefined> {
    await eventually(() => expect(records).toHaveLength(1))
    return records[0]
  }
  return { host, client, recorded }
}

test('a path of the service stands before each path', async () => {
  const { client, host, recorded } = await asked((socket) => {
    socket.on('data', (piece) => socket.end(`${OK}\r\n${piece.toString().split('\r\n', 1)[0]}`))
  }, '/team/a')
  await once(client, 'end')
  client.end()
  expect(client.got().toString()).toContain('POST /team/a/v1/chat/completions?a=1 HTTP/1.1')
  expect((await recorded())?.request).toMatchObject({
    url: `http://${host}/team/a/v1/chat/completions?a=1`,
    path: '/v1/chat/completions?a=1',
  })
})

test.each([
  ['/v1', '/v1/chat/completions?a=1', '/v1/chat/completions?a=1'],
  ['/api/v3', '/v1/chat/completions?a=1', '/api/v3/chat/completions?a=1'],
  ['/llm/', '/v1/chat/completions?a=1', '/llm/chat/completions?a=1'],
  ['/name/?api-version=1', '/v1/chat/completions?a=1', '/name/chat/completions?api-version=1&a=1'],
  // As a client names them that has the address of the service with another host.
  ['/api/v3', '/api/v3/chat/completions?a=1', '/api/v3/chat/completions?a=1'],
  ['/team/a', '/team/a/v1/models', '/team/a/v1/models'],
  ['/name/?api-version=1', '/name/models?api-version=1', '/name/models?api-version=1'],
  // Outside of the API.
  ['/api/v3', '/healthz', '/api/healthz'],
])('a service at %s gets %s as %s, and it is recorded as an operation', async (address, sent, received) => {
  const { host, port, records } = await recording((socket) => {
    socket.on('data', (piece) => socket.end(`${OK}\r\n${piece.toString().split('\r\n', 1)[0]}`))
  }, address)
  const client = connectTo(port)
  client.write(`GET ${sent} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(client, 'end')
  client.end()
  expect(client.got().toString()).toContain(`GET ${received} HTTP/1.1`)
  await eventually(() => expect(records).toHaveLength(1))
  expect(records[0]?.request.url).toBe(`http://${host}${received}`)
  expect(records[0]?.request.path).toMatch(sent === '/healthz' ? /^\/healthz$/ : /^\/v1\//)
})

test.each([true, false])(
  'an answer before the body of its request is recorded, and the body: %s',
  async (isSent) => {
    const { port, records } = await recording((socket) => {
      socket
        .once('data', () => socket.write(`${OK}content-length: 2\r\n\r\nno`))
        .on('end', () => socket.end())
    })
    const client = connectTo(port)
    client.write(REQUEST.slice(0, -2))
    await eventually(() => expect(client.got().toString()).toMatch(/no$/))
    if (isSent) client.write('{}')
    else client.destroy()
    await eventually(() => expect(records).toHaveLength(1))
    const [{ request, response } = {}] = records
    expect(Buffer.from(request?.body ?? []).toString()).toBe(isSent ? '{}' : '')
    expect(response).toMatchObject({ status: 200, end: 'complete' })
  },
)

test('each piece of a stream is passed on when it comes, and recorded', async () => {
  const isReceived = Promise.withResolvers<void>()
  const { client, recorded } = await asked((socket) => {
    socket.on('data', async () => {
      socket.write(`${OK}content-type: text/event-stream\r\n\r\ndata: 1\n\n`)
      await isReceived.promise
      socket.end('data: 2\n\n')
    })
  })
  await eventually(() => expect(client.got().toString()).toMatch(/data: 1\n\n$/))
  isReceived.resolve()
  await once(client, 'end')
  const { chunks = [], end } = (await recorded())?.response ?? {}
  expect(chunks.map(({ size }) => size)).toEqual([9, 9])
  expect(chunks[1]?.atMs).toBeGreaterThan(chunks[0]?.atMs ?? Infinity)
  expect(end).toBe('complete')
})

test('a body that is compressed is passed on as it is, and recorded as it was written', async () => {
  const coded = gzipSync('{"a":1}')
  const head = `${OK}content-encoding: gzip\r\ncontent-length: ${coded.length}\r\n\r\n`
  const { client, recorded } = await asked((socket) => {
    socket.on('data', () => socket.write(Buffer.concat([Buffer.from(head), coded])))
  })
  expect(Buffer.from((await recorded())?.response?.body ?? []).toString()).toBe('{"a":1}')
  await eventually(() => expect(client.got().subarray(-coded.length)).toEqual(coded))
})

describe('the end of one side is the end of the other', () => {
  test('a client that sends no more still gets its answer', async () => {
    const { client, recorded } = await asked((socket) => {
      socket.on('end', () => socket.end(`${OK}content-length: 2\r\n\r\nok`)).resume()
    })
    client.end()
    await once(client, 'end')
    expect(client.got().toString()).toMatch(/ok$/)
    expect((await recorded())?.response?.end).toBe('complete')
  })

  test('a request without an end arrives without an end', async () => {
    const got: Buffer[] = []
    const { port, records } = await recording((socket) => {
      socket.on('data', (piece: Buffer) => got.push(piece)).on('end', () => socket.end())
    })
    const client = connectTo(port)
    client.end('GET /v1/mod')
    await once(client, 'end')
    expect(Buffer.concat(got).toString()).toBe('GET /v1/mod')
    expect(records).toEqual([])
  })

  test('the service sees that a client disconnects', async () => {
    const left = Promise.withResolvers<void>()
    const { client, recorded } = await asked((socket) => {
      socket.on('close', () => left.resolve())
      socket.on('data', () => socket.write(`${OK}\r\ndata: 1\n\n`))
    })
    await eventually(() => expect(client.got().toString()).toContain('data: 1'))
    client.resetAndDestroy()
    await left.promise
    expect((await recorded())?.response?.end).toBe('hung-up')
  })

  test('the client sees that a service breaks off', async () => {
    const { client, recorded } = await asked((socket) => {
      socket.on('data', async () => {
        socket.write(`${OK}content-length: 100\r\n\r\nhalf`)
        await eventually(() => expect(client.got().toString()).toMatch(/half$/))
        socket.resetAndDestroy()
      })
    })
    await closed(client)
    expect((await recorded())?.response).toMatchObject({ status: 200, end: 'broken' })
  })

  test('a service that is not there', async () => {
    const { client, recorded } = await asked((socket) => socket.destroy())
    await closed(client)
    expect(await recorded()).toMatchObject({ response: null, error: expect.any(String) })
  })
})

test.each(['\x16\x03\x01 no HTTP\r\n\r\n', '\x16\x03\x01', 'ssh 2.0', '\x00'])(
  'bytes that are not HTTP pass at once, and are not recorded: %j',
  async (bytes) => {
    const { port, records } = await recording((socket) => socket.pipe(socket))
    const client = connectTo(port)
    client.write(bytes, 'latin1')
    await eventually(() => expect(client.got().toString('latin1')).toBe(bytes))
    client.end()
    await once(client, 'end')
    expect(records).toEqual([])
  },
)

test('after an upgrade both sides speak another protocol', async () => {
  const { port, records } = await recording((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
      socket.pipe(socket)
    })
  })
  const client = connectTo(port)
  client.write('GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  await eventually(() => expect(client.got().toString()).toMatch(/\r\n\r\n$/))
  client.write('GET')
  await eventually(() => expect(client.got().toString()).toMatch(/\r\n\r\nGET$/))
  client.end()
  await once(client, 'end')
  expect(records).toMatchObject([{ response: { status: 101 } }])
})

test('a client that does not read stops the service from writing', async () => {
  let written = 0
  const block = Buffer.alloc(1 << 20)
  const { port } = await recording((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pump = (): void => {
        while (written < 400 && socket.write(block)) written += 1
      }
      socket.on('drain', pump)
      pump()
    })
  })
  const client = net.connect({ port, host: '127.0.0.1' }).pause()
  client.write(REQUEST)
  await eventually(() => expect(written).toBeGreaterThan(0))
  await sleep(300)
  expect(written).toBeLessThan(40)
  client.destroy()
})
