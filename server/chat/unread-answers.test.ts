// Clients that request answers and read none of them: what waits for them is bounded for their key and for the process.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createTestService } from '../app.fixture.ts'
import { Unread } from '../http/unread.ts'

const bounds = { unreadBytesPerKey: 3_000_000, unreadBytes: 5_000_000, answerBytes: 16_777_216 }

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

type Service = Awaited<ReturnType<typeof createTestService>>

/** Sends a request and reads nothing of its answer. */
function request({ port }: Service, secret: string, body: object): Socket {
  const text = JSON.stringify({ model: 'svc-0.1-echo', ...body })
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  sockets.push(socket)
  return socket
}

/** Requests whose answers are far larger than what sockets take. */
const ATTACKS: readonly (readonly [string, object])[] = [
  ['escaped characters', { messages: [{ role: 'user', content: '\u0001'.repeat(20_000) }], n: 128 }],
  [
    'alternatives',
    {
      messages: [{ role: 'user', content: '\u0001'.repeat(500) }],
      n: 128,
      logprobs: true,
      top_logprobs: 5,
    },
  ],
  ['text', { messages: [{ role: 'user', content: 'x'.repeat(500_000) }], n: 30 }],
]

describe.each(ATTACKS)('%s', (_, attack) => {
  test.each([false, true])('unread is bounded for the key (stream: %s)', async (stream) => {
    const service = await createTestService({ bounds, timeoutMs: 60_000 })
    for (let count = 0; count < 12; count += 1) request(service, service.secret, { ...attack, stream })
    await sleep(500)
    expect(service.unread.bytes).toBeLessThanOrEqual(bounds.unreadBytesPerKey)
    // Another key has its answers.
    const { secret } = await service.createKey()
    const other = { model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'x'.repeat(200_000) }] }
    const answer = await service.send('POST', '/v1/chat/completions', other, `Bearer ${secret}`)
    expect(answer.status).toBe(200)
    expect((await answer.text()).length).toBeGreaterThan(200_000)
    for (const socket of sockets.splice(0)) socket.destroy()
    await expect.poll(() => service.unread.bytes).toBe(0)
  })
})

test('the bound of a key is a 429 with Retry-After, that of the process a 503', async () => {
  const service = await createTestService({
    bounds: { ...bounds, unreadBytesPerKey: 600_000, unreadBytes: 1_000_000 },
  })
  const body = { model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'x'.repeat(500_000) }], n: 2 }
  const ofKey = await service.send('POST', '/v1/chat/completions', body)
  expect([ofKey.status, ofKey.headers.get('retry-after'), await ofKey.json()]).toMatchObject([
    429,
    '1',
    { error: { type: 'rate_limit_error', message: expect.stringContaining('600000 bytes') } },
  ])
  expect(service.unread.bytes).toBe(0)
  const others = service.unread.open('others')
  others.hold(600_000)
  const ofProcess = await service.send('POST', '/v1/chat/completions', { ...body, n: 1 })
  expect([ofProcess.status, ofProcess.headers.get('retry-after')]).toEqual([503, '1'])
  others.end()
  expect((await service.send('POST', '/v1/chat/completions', { ...body, n: 1 })).status).toBe(200)
})

test('a large answer is read whole, however slowly', async () => {
  const service = await createTestService({ bounds })
  const text = 'é"\u0001'.repeat(40_000)
  const body = { messages: [{ role: 'user', content: text }], n: 5 }
  const socket = request(service, service.secret, body)
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', (part: string) => {
    received += part
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  socket.resume()
  await expect.poll(() => received.endsWith('}}')).toBe(true)
  const [head = '', json = ''] = received.split('\r\n\r\n')
  expect(head).toContain(`content-length: ${Buffer.byteLength(json)}`)
  const { choices } = JSON.parse(json)
  expect(choices.map(({ message }: { message: { content: string } }) => message.content)).toEqual(
    Array(5).fill(text),
  )
  await expect.poll(() => service.unread.bytes).toBe(0)
})

test('what was held is freed once, however it ends', () => {
  const unread = new Unread({ unreadBytesPerKey: 100, unreadBytes: 150 })
  const [first, second] = [unread.open('a'), unread.open('a')]
  first.hold(60)
  expect(() => second.hold(41)).toThrow(expect.objectContaining({ status: 429 }))
  second.hold(40)
  expect(() => unread.open('b').hold(51)).toThrow(expect.objectContaining({ status: 503 }))
  first.free(1000)
  first.end()
  first.end()
  expect(unread.bytes).toBe(40)
  second.end()
  expect(unread.bytes).toBe(0)
})
