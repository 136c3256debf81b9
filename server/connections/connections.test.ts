// Connections on real sockets: each ends however its client behaves, none ends the process, and their number is bounded.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestService, type TestServiceOptions } from '../app.fixture.ts'
import type { Deltas, Engine } from '../engines/engine.ts'

/** A client whose half of a connection stays open until it is closed here. */
interface Client {
  readonly socket: Socket
  /** All that has arrived. */
  text: string
}

async function listen(options: TestServiceOptions = {}) {
  const service = await createTestService({ requestTimeoutSeconds: 1, ...options })
  const { server, port, secret } = service
  const clients = new Set<Client>()
  function closeClients(): void {
    for (const { socket } of clients) socket.destroy()
  }
  onTestFinished(() => {
    closeClients()
    server.close().closeAllConnections()
  })

  async function open(bytes = ''): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const client = { socket, text: '' }
    clients.add(client)
    socket
      .setEncoding('latin1')
      .on('data', (data: string) => (client.text += data))
      .on('error', () => {})
    await once(socket, 'connect')
    socket.write(bytes)
    return client
  }

  const connections = promisify(server.getConnections.bind(server))
  const count = () => connections()
  const head = (key: string, ...lines: readonly string[]) =>
    ['POST /v1/chat/completions HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, ...lines, '', ''].join(
      '\r\n',
    )
  const post = (body: object, key = secret) => {
    const text = JSON.stringify(body)
    return head(key, 'Content-Type: application/json', `Content-Length: ${text.length}`) + text
  }
  return { ...service, open, closeClients, count, head, post }
}

/** An engine that sends one delta, then waits for `goOn`. */
function waitingEngine() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let started = 0
  async function* generate(): AsyncGenerator<Deltas> {
    started += 1
    yield [{ type: 'text', index: 0, text: 'first' }]
    await promise
    yield [{ type: 'finish', index: 0, reason: 'stop' }]
    yield [{ type: 'usage', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]
  }
  const models = [{ id: 'slow', created: 0, ownedBy: 'test' }]
  const engine: Engine = { models, generate, close: async () => {} }
  return { engine, goOn: resolve, started: () => started }
}

const ALIVE = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const LAST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'

test('a client that never closes its half is answered and closed', async () => {
  const service = await listen({ connections: { closeGraceMs: 50 } })
  const { open, count, head, secret } = service
  /** The bytes of each kind and the statuses of its answers. */
  const kinds: Readonly<Record<string, readonly [bytes: string, statuses: string]>> = {
    nothing: ['', '400'],
    'half a head': ['POST /v1/chat', '400'],
    'half a body': [`${head(secret, 'Content-Length: 900000')}{`, '400'],
    'half a body with a wrong key': [`${head('wrong', 'Content-Length: 900000')}{`, '401'],
    'half a chunk': [`${head(secret, 'Transfer-Encoding: chunked')}ffff\r\nab`, '400'],
    'half a chunk with a wrong key': [`${head('wrong', 'Transfer-Encoding: chunked')}ffff\r\nab`, '401'],
    'malformed HTTP': ['GET\r\n\r\n', '400'],
    'a head that is too long': [`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, '400'],
    'malformed HTTP after a request': [`${ALIVE}GET\r\n\r\n`, '200 400'],
    CONNECT: [CONNECT, '400'],
    'CONNECT after a request': [ALIVE + CONNECT, '200 400'],
    'no body after an expectation': [
      head(secret, 'Content-Length: 900000', 'Expect: 100-continue'),
      '100 400',
    ],
    'an unknown expectation': [head(secret, 'Content-Length: 900000', 'Expect: a'), '400'],
    'a last request': [LAST, '200'],
  }

  async function statusesOf(bytes: string, isDripping: boolean): Promise<string> {
    const client = await open(bytes)
    const { socket } = client
    while (!socket.readableEnded && !socket.destroyed) {
      if (isDripping) socket.write('x')
      await sleep(20)
    }
    return [...client.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status).join(' ')
  }

  const all = Object.entries(kinds).flatMap(([kind, [bytes, statuses]]) =>
    [false, true].map((isDripping) => ({ kind, isDripping, bytes, statuses })),
  )
  const answers = await Promise.all(
    all.map(async ({ bytes, isDripping, ...rest }) => ({
      ...rest,
      isDripping,
      statuses: await statusesOf(bytes, isDripping),
    })),
  )
  expect(answers).toEqual(all.map(({ kind, isDripping, statuses }) => ({ kind, isDripping, statuses })))
  await expect.poll(count).toBe(0)
})

test('no bytes, pauses and ends of a client end the process', { timeout: 60_000 }, async () => {
  const service = await listen({ connections: { closeGraceMs: 20, writeTimeoutMs: 500 } })
  const { open, count, head, post, secret } = service
  const chat = { model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'x'.repeat(3000) }] }
  const valid = [
    post(chat),
    post({ ...chat, stream: true }),
    post(chat, 'svc_sk_wrong'),
    head(secret, 'Content-Length: 900000', 'Expect: 100-continue'),
    head(secret, 'Content-Length: 900000', 'Expect: other'),
    `${head(secret, 'Transfer-Encoding: chunked')}5\r\n{    \r\n0\r\n\r\n`,
    `${CONNECT}bytes`,
    'GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbytes',
    ALIVE,
  ]
  const bytes = fc.oneof(
    fc.constantFrom(...valid),
    fc.tuple(fc.constantFrom(...valid), fc.double({ min: 0, max: 1, noNaN: true })).map(cut),
    fc.string({ unit: 'binary', maxLength: 300 }),
  )
  const client = fc.record({
    parts: fc.array(bytes, { minLength: 1, maxLength: 3 }),
    pauseMs: fc.constantFrom(0, 0, 1, 10, 100),
    reads: fc.boolean(),
    ending: fc.constantFrom('end', 'half end', 'reset', 'destroy', 'none'),
  })

  await fc.assert(
    fc.asyncProperty(fc.array(client, { minLength: 5, maxLength: 20 }), async (clients) => {
      await Promise.all(
        clients.map(async ({ parts, pauseMs, reads, ending }) => {
          const { socket } = await open()
          if (!reads) socket.pause()
          for (const part of parts) {
            if (socket.writable) socket.write(part, 'latin1')
            await sleep(pauseMs)
          }
          if (ending === 'end') socket.allowHalfOpen = false
          if (ending === 'end' || ending === 'half end') socket.end()
          if (ending === 'reset') socket.resetAndDestroy()
          if (ending === 'destroy') socket.destroy()
        }),
      )
      const observer = await open(ALIVE)
      await expect.poll(() => observer.text).toContain('alive')
    }),
    { numRuns: 15 },
  )
  service.closeClients()
  await expect.poll(count).toBe(0)
})

describe('a reader that stops', () => {
  const large = { model: 'svc-0.1-echo', n: 16, messages: [{ role: 'user', content: 'x'.repeat(500_000) }] }

  test.each([
    ['a plain answer', large],
    ['a stream', { ...large, stream: true }],
  ])('of %s is closed by the write timeout, long before the time for an answer', async (_, body) => {
    const { open, count, post, createKey } = await listen({
      timeoutMs: 600_000,
      bounds: { answerBytes: 1e9 },
      connections: { writeTimeoutMs: 300 },
    })
    const { secret } = await createKey()
    const { socket } = await open(post(body, secret))
    socket.pause()
    await expect.poll(count, { timeout: 10_000 }).toBe(0)
  })

  test('is not the client of an engine that is silent for longer', async () => {
    const { engine, goOn } = waitingEngine()
    const { server, open, post } = await listen({ engines: [engine], connections: { writeTimeoutMs: 50 } })
    const timedOut = once(server, 'timeout')
    const client = await open(
      post({ model: 'slow', stream: true, messages: [{ role: 'user', content: 'a' }] }),
    )
    await timedOut
    goOn()
    await expect.poll(() => client.text).toContain('[DONE]')
  })
})

test('what a refused client still sends is discarded up to a bound, so that it can read its answer', async () => {
  const discarded = 1_000_000
  const { open, count, head, secret } = await listen({
    requestTimeoutSeconds: 60,
    connections: { maxDiscardedBytes: discarded, closeGraceMs: 600_000 },
  })
  const kinds = {
    'a body over the limit': head(secret, 'Content-Length: 1000000000000'),
    'a body without a key': head('', 'Content-Length: 1000000000000'),
    'chunks over the limit': `${head(secret, 'Transfer-Encoding: chunked')}fffffffff\r\n`,
    'bytes behind malformed HTTP': 'GET\r\n\r\n',
    'bytes behind CONNECT': CONNECT,
    'a head that is too long': `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`,
    'bytes behind the last request': LAST,
  }

  /** A client that reads only after it has sent most of what is discarded: a reset would have taken the answer along. */
  async function answerTo(bytes: string): Promise<string | undefined> {
    const client = await open(bytes)
    const { socket } = client
    socket.pause()
    for (let sent = 0; sent < discarded * 0.8; sent += 10_000) {
      socket.write('x'.repeat(10_000))
      await sleep(1)
    }
    socket.resume()
    await expect.poll(() => client.text, { timeout: 10_000 }).toMatch(/\}$/)
    await flood(client)
    return /^HTTP\/1\.1 (\d+) /.exec(client.text)?.[1]
  }

  /** Sends without a pause until the connection is closed. */
  async function flood({ socket }: Client): Promise<void> {
    while (!socket.destroyed) {
      socket.write('x'.repeat(100_000))
      await sleep(1)
    }
  }

  const statuses = await Promise.all(
    Object.entries(kinds).map(async ([kind, bytes]) => [kind, await answerTo(bytes)]),
  )
  expect(Object.fromEntries(statuses)).toEqual({
    'a body over the limit': '400',
    'a body without a key': '401',
    'chunks over the limit': '400',
    'bytes behind malformed HTTP': '400',
    'bytes behind CONNECT': '400',
    'a head that is too long': '400',
    'bytes behind the last request': '200',
  })
  await Promise.all(Object.values(kinds).map(async (bytes) => flood(await open(bytes))))
  await expect.poll(count).toBe(0)
})

describe('a bound on open connections', () => {
  const isClosed = ({ socket }: Client): boolean => socket.readableEnded || socket.destroyed
  const idle = async (service: Awaited<ReturnType<typeof listen>>) => {
    const client = await service.open(ALIVE)
    await expect.poll(() => client.text).toContain('alive')
    return client
  }

  test.each([
    ['in all', { maxConnections: 3, maxConnectionsPerAddress: 100 }],
    ['of one address', { maxConnections: 100, maxConnectionsPerAddress: 3 }],
  ])('%s closes the one that has been idle for the longest time', async (_, connections) => {
    const service = await listen({ requestTimeoutSeconds: 60, connections })
    const first = await idle(service)
    const silent = await service.open()
    const last = await idle(service)
    first.socket.write(ALIVE)
    await expect.poll(() => first.text.match(/alive/g)).toHaveLength(2)

    const fourth = await idle(service)
    await expect.poll(() => isClosed(silent)).toBe(true)
    const fifth = await idle(service)
    await expect.poll(() => isClosed(last)).toBe(true)
    expect([first, fourth, fifth].map(isClosed)).toEqual([false, false, false])
    expect(await service.count()).toBe(3)
  })

  test('closes a connection whose request is still arriving before one that waits for its answer', async () => {
    const { engine, goOn, started } = waitingEngine()
    const service = await listen({
      engines: [engine],
      requestTimeoutSeconds: 60,
      connections: { maxConnections: 2 },
    })
    const body = service.post({ model: 'slow', messages: [{ role: 'user', content: 'a' }] })
    const waiting = await service.open(body)
    const arriving = await service.open(body.slice(0, -1))
    await expect.poll(started).toBe(1)
    const third = await service.open(body)
    await expect.poll(() => isClosed(arriving)).toBe(true)
    await expect.poll(started).toBe(2)
    // All are at work now.
    const fourth = await service.open(body)
    await expect.poll(() => isClosed(fourth)).toBe(true)
    goOn()
    for (const client of [waiting, third]) await expect.poll(() => client.text).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('of one address does not count trusted proxies', async () => {
    const connections = { maxConnectionsPerAddress: 1, trustedProxies: () => true }
    const service = await listen({ requestTimeoutSeconds: 60, connections })
    const clients = [await idle(service), await idle(service), await idle(service)]
    expect(clients.map(isClosed)).toEqual([false, false, false])
  })
})

function cut([text, share]: readonly [string, number]): string {
  return text.slice(0, Math.floor(text.length * share))
}
