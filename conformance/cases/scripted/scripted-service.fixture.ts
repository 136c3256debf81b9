// For tests of cases: a small service over `node:http` that is right in everything the cases ask about, apart from
// one fault that wraps it.
import { createHash, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorTypes } from '../../../spec/protocol/error.ts'
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'
import type { RequestLimit } from '../../../harness/target-facts.ts'
import { at, isRecord } from '../../../harness/verify/json-value.ts'

export interface Received {
  readonly method: string
  /** Path without the query, as it came. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Key {
  readonly id: string
  readonly secret: string
  readonly models: readonly string[] | null
  readonly limit: RequestLimit | null
  revoked: boolean
  windowEndsAt: number
  used: number
}

export type Handler = (request: Received) => Answer

/** Wraps the right service: changes the request, the answer, or answers instead of it. */
export type Fault = (request: Received, next: Handler, keys: Keys) => Answer

export interface Keys {
  readonly all: Key[]
  create(options?: { readonly models?: readonly string[]; readonly limit?: RequestLimit }): Key
  /** The active key with this secret. */
  find(secret: string): Key | undefined
}

export const MODELS = ['svc-0.1-Echo', 'org/svc-0.1-other']

export const rightly: Fault = (request, next) => next(request)

export function answer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const common = { 'content-type': 'application/json', 'x-request-id': randomUUID() }
  return { status, headers: { ...common, ...headers }, body: JSON.stringify(body) }
}

const types: Readonly<Record<number, string>> = errorTypes

export function refuse(
  status: number,
  code: string,
  message: string,
  more: { readonly param?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Answer {
  const error = { message, type: types[status] ?? 'api_error', code, param: more.param ?? null }
  return answer(status, { error }, more.headers)
}

/** A request with another `Authorization` header. */
export function withAuthorization(request: Received, authorization: string | undefined): Received {
  return { ...request, headers: { ...request.headers, authorization } }
}

/** Headers without one of them. */
export function without(headers: Answer['headers'], name: string): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))
}

/** The error of an answer, with some of its members changed. */
export function changeError(given: Answer, members: Readonly<Record<string, unknown>>): Answer {
  const body: unknown = JSON.parse(given.body)
  const error = at(body, 'error')
  return isRecord(error) ? { ...given, body: JSON.stringify({ error: { ...error, ...members } }) } : given
}

function createKeys(): Keys {
  const all: Key[] = []
  return {
    all,
    create({ models = null, limit = null } = {}) {
      const id = `key_${all.length + 1}`
      const secret = KEY_PREFIX + createHash('sha256').update(randomUUID()).digest('base64url')
      const key = { id, secret, models, limit, revoked: false, windowEndsAt: 0, used: 0 }
      all.push(key)
      return key
    },
    find: (secret) => all.find((key) => key.secret === secret && !key.revoked),
  }
}

function rightHandler(keys: Keys): Handler {
  return (request) => {
    if (!request.path.startsWith('/v1'))
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Hello</p>' }
    const { authorization } = request.headers
    if (authorization === undefined) return refuse(401, 'missing_api_key', 'No key was given.')
    const key = authorization.startsWith('Bearer ') ? keys.find(authorization.slice(7)) : undefined
    if (key === undefined) return refuse(401, 'invalid_api_key', 'The key is not valid.')
    return overLimit(key) ?? route(request, key)
  }
}

/** A fixed window that begins with its first request. */
function overLimit(key: Key): Answer | undefined {
  if (key.limit === null) return undefined
  const now = performance.now()
  if (now >= key.windowEndsAt) {
    key.windowEndsAt = now + key.limit.windowSeconds * 1000
    key.used = 0
  }
  key.used += 1
  if (key.used <= key.limit.requests) return undefined
  const seconds = (key.windowEndsAt - now) / 1000
  return refuse(429, 'rate_limit_exceeded', 'Too many requests.', {
    headers: { 'retry-after': (Math.ceil(seconds * 10) / 10).toFixed(1) },
  })
}

function route(request: Received, key: Key): Answer {
  const { method, path } = request
  const models = MODELS.filter((id) => key.models?.includes(id) ?? true)
  if (path === '/v1/models' && method === 'GET')
    return answer(200, { object: 'list', data: models.map(record) })
  if (path === '/v1/chat/completions' && method === 'POST') return complete(request.body, models)
  const id = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined || method !== 'GET') return refuse(404, 'unknown_url', 'There is no such path.')
  try {
    const known = models.find((model) => model === decodeURIComponent(id))
    return known === undefined ? noModel(id) : answer(200, record(known))
  } catch {
    return noModel('of that name')
  }
}

function record(id: string): unknown {
  return { id, object: 'model', created: 1_700_000_000, owned_by: 'tests' }
}

function noModel(id: string): Answer {
  return refuse(404, 'model_not_found', `There is no model '${id}'.`, { param: 'model' })
}

function complete(text: string, models: readonly string[]): Answer {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return refuse(400, 'invalid_json', 'The body is not JSON.')
  }
  const invalid = (param: string): Answer =>
    refuse(400, 'invalid_request_error', `The value of ${param} is missing or wrong.`, { param })
  const [model, messages, stream] = [at(body, 'model'), at(body, 'messages'), at(body, 'stream') ?? false]
  const [temperature, n] = [at(body, 'temperature') ?? 1, at(body, 'n') ?? 1]
  if (typeof model !== 'string') return invalid('model')
  if (!Array.isArray(messages) || messages.length === 0) return invalid('messages')
  for (const [index, message] of messages.entries())
    for (const member of ['role', 'content'])
      if (typeof at(message, member) !== 'string') return invalid(`messages[${index}].${member}`)
  if (typeof stream !== 'boolean') return invalid('stream')
  if (typeof temperature !== 'number' || temperature > 2) return invalid('temperature')
  if (n !== 1) return invalid('n')
  if (!models.includes(model)) return noModel(model)
  const content = at(messages.at(-1), 'content')
  if (stream) {
    const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] }
    const headers = { 'content-type': 'text/event-stream', 'x-request-id': randomUUID() }
    return { status: 200, headers, body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` }
  }
  const message = { role: 'assistant', content }
  return answer(200, { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] })
}

export interface Service extends AsyncDisposable {
  readonly baseUrl: string
  readonly keys: Keys
}

/** Starts the service with one fault on a free port. */
export async function startService(fault: Fault = rightly): Promise<Service> {
  const keys = createKeys()
  const right = rightHandler(keys)
  const server = http.createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const [path = '', query] = (incoming.url ?? '').split('?')
      const headers: Record<string, string | undefined> = {}
      for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value)
      const body = Buffer.concat(chunks).toString()
      const request = {
        method: incoming.method ?? '',
        path,
        query: new URLSearchParams(query),
        headers,
        body,
      }
      const given = fault(request, right, keys)
      outgoing.writeHead(given.status, given.headers).end(given.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
