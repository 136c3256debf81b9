import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toApiError } from './api-error.ts'
import { parseJson, readJsonBody } from './json-body.ts'
import { NodeCall } from './node-adapter.ts'
import { readBody } from './read-body.ts'

/** Answers each request with the JSON of its body. It never closes a connection on which a test sends its next request. */
const server = createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
  const call = new NodeCall(incoming, outgoing, { path: '/', parameters: {} })
  try {
    const value = await readJsonBody(call, { bodyBytes: 100, bodyValues: 20 })
    await call.send({ status: 200, headers: [], body: JSON.stringify({ value }) })
  } catch (error) {
    const failure = toApiError(error)
    await call.send({ status: failure.status, headers: [], body: failure.toJson() })
  }
})
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => void server.close().closeAllConnections())

async function post(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const { port } = server.address() as AddressInfo
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' }
  const answer = await fetch(`http://127.0.0.1:${port}/`, init)
  return { status: answer.status, body: await answer.json() }
}

test('what JSON.parse gives is what comes out, for every JSON value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('a name that stands twice in one object is refused, wherever the object lies', () => {
  // The objects below have members `b` and `y` of their own.
  const name = fc.string().filter((text) => text !== 'b' && text !== 'y')
  const twice = name.chain((name) => {
    const key = JSON.stringify(name)
    return fc
      .constantFrom(
        `{${key}:1,${key}:2}`,
        `[{"a":{${key}:1,"b":[],${key}:null}}]`,
        `{"x":[{${key} : {} ,"y":"}",${key}:{}}]}`,
      )
      .map((text) => ({ name, text }))
  })
  fc.assert(
    fc.property(twice, ({ name, text }) => {
      expect(() => parseJson(text)).toThrow(
        expect.objectContaining({ status: 400, code: 'duplicate_name', param: name.slice(0, 100) }),
      )
    }),
  )
})

test('the same name in two objects, or inside a string, is not a duplicate', () => {
  const text = String.raw`{"a":{"a":"\"a\":1,\"a\":2"},"b":[{"a":1},{"a":"\\"}]}`
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test.each([
  '',
  '{',
  '[1,]',
  '{"a":1,}',
  '{"a"',
  '"',
  '{"a":"\\"',
  'nul',
  '\uFEFF{}',
  '{"a":1}}',
  "{'a':1}",
  '{"a":\u0000}',
])('%j is a 400, not a crash', (text) => {
  expect(() => parseJson(text)).toThrow(expect.objectContaining({ status: 400, code: 'invalid_json' }))
})

test('nesting is bounded before anything recurses', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(parseJson(nested(128))).toBeInstanceOf(Array)
  expect(() => parseJson(nested(129))).toThrow(
    expect.objectContaining({ status: 400, code: 'nested_too_deeply' }),
  )
  expect(() => parseJson('['.repeat(4_000_000))).toThrow(
    expect.objectContaining({ code: 'nested_too_deeply' }),
  )
})

test('strings full of escapes take linear time', () => {
  const text = JSON.stringify({ a: '\\"'.repeat(500_000), b: '\\'.repeat(1_000_000) })
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test('a body is read whole, with or without its length in a header', async () => {
  expect(await post('{"a":"é"}')).toEqual({ status: 200, body: { value: { a: 'é' } } })
  const pieces = new Blob(['{"a":', '1}']).stream()
  expect(await post(pieces)).toEqual({ status: 200, body: { value: { a: 1 } } })
})

test('a body that arrives byte by byte costs the memory of its bytes', async () => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  // A byte from a socket holds the whole block that was read.
  const bytes = Readable.from(
    (function* () {
      for (let count = 0; count < 20_000; count += 1) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
        yield Buffer.alloc(64 * 1024, 'x').subarray(0, 1)
      }
    })(),
  )
  const body = await new Promise((resolve) => readBody(bytes as IncomingMessage, 1e6, resolve))
  expect(String(body)).toBe('x'.repeat(20_000))
  expect(most).toBeLessThan(400_000_000)
})

test('a body over the bound is a 400, with or without its length in a header', async () => {
  const body = JSON.stringify('x'.repeat(200))
  for (const given of [body, new Blob([body]).stream()]) {
    expect(await post(given)).toMatchObject({
      status: 400,
      body: { error: { code: 'body_too_large', message: expect.stringContaining('100 bytes') } },
    })
  }
  const declared = await post(body, { 'content-type': 'application/json', 'content-length': '202' })
  expect(declared).toMatchObject({ status: 400, body: { error: { code: 'body_too_large' } } })
})

test('bytes that are not UTF-8 are refused, not replaced', async () => {
  expect(await post(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_encoding' } },
  })
})

test.each([
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON;charset="UTF-8"', 200],
  ['application/json;', 200],
  ['application/json; charset=latin1', 200],
  ['application/json; profile="a;b"; odd', 200],
  ['application/json utf-8', 400],
  ['application/jsonp', 400],
  ['text/plain', 400],
  ['', 400],
])('content type %j: %d', async (contentType, status) => {
  expect((await post('{}', { 'content-type': contentType })).status).toBe(status)
})

test('a compressed body is refused by name', async () => {
  const answer = await post('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'unsupported_content_encoding' } } })
})

test('a body whose client has left before it is read fails', async () => {
  const late = createServer()
  await once(late.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((late.address() as AddressInfo).port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12')
  const [incoming, outgoing] = await once(late, 'request')
  socket.destroy()
  // `once` would add a listener for the error of the disconnection.
  await new Promise((resolve) => incoming.on('close', resolve))
  const call = new NodeCall(incoming, outgoing, { path: '/', parameters: {} })
  await expect(async () => call.body(100)).rejects.toMatchObject({ status: 400, code: 'incomplete_body' })
  late.close()
})
