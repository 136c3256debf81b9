// A key that a client sends in a wrong place, in whatever coding, is neither in the log nor in an answer (KEY-2, ERR-4).
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { CODED, recovered } from '../spec/protocol/coded.fixture.ts'
import { KEY_PREFIX, formatKey } from '../spec/protocol/key.ts'
import { startServerProcess } from './server-process.fixture.ts'

const LEAKED = formatKey(createHash('sha256').update('a leaked key').digest())

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const CHAT = '/v1/chat/completions'
const chat = (body: object): Sent => ({
  method: 'POST',
  path: CHAT,
  body: JSON.stringify({ model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'hi' }], ...body }),
})
const schema = (of: object): Sent =>
  chat({ response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: of } } })

/** Requests with a key in a wrong place. */
const places: Readonly<Record<string, (key: string) => Sent>> = {
  'a model in a path': (key) => ({ path: `/v1/models/${key}` }),
  'a path under /v1': (key) => ({ path: `/v1/${key}/chat/completions` }),
  'a path': (key) => ({ path: `/${key}` }),
  'a path of the dashboard': (key) => ({ path: `/dashboard/keys/${key}` }),
  'a search of the dashboard': (key) => ({ path: `/dashboard?q=${key}` }),
  'a page of the documentation': (key) => ({ path: `/docs/${key}` }),
  'a query': (key) => ({ path: `/v1/models?api_key=${key}` }),
  'a query of an unknown path': (key) => ({ path: `/v1/unknown?api_key=${key}` }),
  'a bare header': (key) => ({ headers: { authorization: key } }),
  'another scheme': (key) => ({ headers: { authorization: `Basic ${key}` } }),
  'a second word': (key) => ({ headers: { authorization: `Bearer ${key} ${key}` } }),
  'another header': (key) => ({ path: '/v1/unknown', headers: { 'x-api-key': key } }),
  'the name of a header': (key) => ({ path: '/v1/unknown', headers: { [key]: '1' } }),
  'a cookie': (key) => ({ path: '/dashboard', headers: { cookie: `session=${key}` } }),
  'a content type': (key) => ({ ...chat({}), headers: { 'content-type': key } }),
  'a content coding': (key) => ({ ...chat({}), headers: { 'content-encoding': key } }),
  'a host': (key) => ({ headers: { host: key } }),
  'an expectation': (key) => ({ headers: { expect: key } }),
  'a method': (key) => ({ method: key }),
  'a method of another case': (key) => ({ method: `PATCH`, path: `/v1/models/${key}` }),
  'a model': (key) => chat({ model: key }),
  'a model after other text': (key) => chat({ model: `${'x'.repeat(170)} ${key}` }),
  'a member': (key) => chat({ [key]: 1 }),
  'a nested member': (key) => chat({ messages: [{ role: 'user', content: 'hi', [key]: key }] }),
  'a role': (key) => chat({ messages: [{ role: key, content: 'hi' }] }),
  'a role after other text': (key) =>
    chat({ messages: [{ role: `${'x'.repeat(40)} ${key}`, content: 'hi' }] }),
  'a wrong type': (key) => chat({ temperature: key, max_tokens: key, stream: key }),
  'a choice of a tool': (key) => chat({ tool_choice: { type: 'function', function: { name: key } } }),
  'a name that is there twice': (key) => ({
    ...chat({}),
    body: `{"model":"m","messages":[{${JSON.stringify(key)}:1,${JSON.stringify(key)}:2}]}`,
  }),
  'a reference of a schema': (key) =>
    schema({ type: 'object', properties: { a: { $ref: `#/$defs/${key}` } } }),
  'a format of a schema': (key) => schema({ type: 'string', format: key }),
  'a pattern of a schema': (key) => schema({ type: 'string', pattern: `(?<${key}` }),
  'a keyword of a schema': (key) => schema({ type: key, [key]: key }),
  'a body that is not JSON': (key) => ({ ...chat({}), body: `{"model": ${key}` }),
  'a body that is a text': (key) => ({ ...chat({}), body: JSON.stringify(key) }),
  'a password of the dashboard': (key) => ({
    method: 'POST',
    path: '/dashboard/sign-in',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `password=${key}&next=${key}`,
  }),
}

test('no coding of a key reaches the log or an answer, from any wrong place', async () => {
  using server = await startServerProcess({ LOG_LEVEL: 'trace', RATE_LIMIT_REQUESTS: '1000000' })
  const { secret } = await server.createKey()
  const port = Number(new URL(server.url).port)

  /** Sends a request byte by byte as it is written here; resolves to all that comes back. */
  async function ask({ method = 'GET', path = '/v1/models', headers, body = '' }: Sent): Promise<string> {
    const all = {
      host: 'localhost',
      connection: 'close',
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (data: string) => (text += data))
    socket.on('error', () => {})
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    await once(socket, 'close')
    return text
  }

  const answers = new Map<string, string>()
  for (const [coding, encode] of Object.entries(CODED))
    await Promise.all(
      Object.entries(places).map(async ([place, request]) => {
        answers.set(`${place}, ${coding}`, await ask(request(encode(LEAKED))))
      }),
    )
  const closed = once(server.child, 'close')
  await server.end('SIGTERM')
  await closed

  const part = LEAKED.slice(KEY_PREFIX.length)
  const isLeak = (text: string): boolean => recovered(text, part).length > 0
  expect([...answers.values()].filter((answer) => answer === '')).toEqual([])
  expect([...answers].filter(([, answer]) => isLeak(answer))).toEqual([])
  expect(server.log.length).toBeGreaterThan(Object.keys(CODED).length * 10)
  expect(server.log.filter(isLeak)).toEqual([])
})
