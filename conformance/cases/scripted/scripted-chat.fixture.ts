// For tests of cases: a chat service over `node:http` whose model echoes and that is right in everything these cases
// ask about, apart from one fault that wraps it. Whole: what a fault edits is what the service writes.
import { createHash, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseChatCompletionRequest } from '../../../spec/schemas/parse-request.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { encodeRecord } from '../../../spec/protocol/sse.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'
import { refuse } from './scripted-service.fixture.ts'

export const ECHO = 'svc-0.1-echo'
export const KEY = `svc_sk_${createHash('sha256').update('main').digest('base64url')}`

/** A request as the service reads it. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly raw: Buffer
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Breaks the connection before the answer (0) or after so many bytes of its body, or never answers (-1). */
  readonly cutAfter?: number
}

export type Service = (call: Call) => Reply

/** Wraps the right service: changes the request, the answer, or answers instead of it. */
export type Fault = (call: Call, right: Service) => Reply

type Json = Record<string, unknown>

/** Fields that the service takes; the rest it refuses by name. */
const TAKEN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'user',
  'service_tier',
])

const jsonHeaders = { 'content-type': 'application/json' }

export function reply(body: unknown, status = 200): Reply {
  return { status, headers: jsonHeaders, body: JSON.stringify(body) }
}

/** The right service. */
export const rightly: Service = (call) => {
  const { authorization } = call.headers
  if (authorization === undefined) return refuse(401, 'missing_api_key', 'No key was given.')
  if (authorization !== `Bearer ${KEY}`) return refuse(401, 'invalid_api_key', 'The key is not valid.')
  const record = { id: ECHO, object: 'model', created: 1_700_000_000, owned_by: 'tests' }
  if (call.method === 'GET' && call.path === '/v1/models') return reply({ object: 'list', data: [record] })
  if (call.method === 'GET' && call.path === `/v1/models/${ECHO}`) return reply(record)
  if (call.method !== 'POST' || call.path !== CHAT_PATH) return refuse(404, 'unknown_url', 'No such path.')
  return complete(call)
}

function complete({ body, headers }: Call): Reply {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return refuse(400, 'encoding', 'No encodings.')
  if (body === undefined) return refuse(400, 'invalid_json', 'The body is not JSON.')
  const parsed = parseChatCompletionRequest(body)
  if ('issue' in parsed) {
    const { code, message, param } = parsed.issue
    return refuse(400, code, message, param === null ? {} : { param })
  }
  const { request } = parsed
  const lacking = Object.entries(request).find(([name, value]) => value !== null && !TAKEN.has(name))?.[0]
  if (lacking !== undefined)
    return refuse(400, 'unsupported', `'${lacking}' is not supported.`, { param: lacking })
  if (/"type":"(image_url|input_audio|file)"/.test(JSON.stringify(request.messages)))
    return refuse(400, 'unsupported', 'Only text.', { param: 'messages[0].content[1]' })
  if (request.model !== ECHO) return refuse(404, 'model_not_found', 'No such model.')
  return request.stream ? streamed(request) : plain(request)
}

interface Echo {
  readonly tokens: readonly string[]
  readonly reason: 'stop' | 'length'
}

function echoOf(request: ChatCompletionRequest): Echo {
  const content = request.messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const text =
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('')
  const all = Array.from(text)
  const within = all.slice(
    0,
    Math.min(request.max_tokens ?? Infinity, request.max_completion_tokens ?? Infinity),
  )
  const stops = [request.stop ?? []].flat()
  const places = stops.map((stop) => within.join('').indexOf(stop)).filter((place) => place !== -1)
  if (places.length > 0)
    return { tokens: Array.from(within.join('').slice(0, Math.min(...places))), reason: 'stop' }
  return { tokens: within, reason: within.length < all.length ? 'length' : 'stop' }
}

function usageOf(request: ChatCompletionRequest, { tokens }: Echo) {
  const completion = tokens.length * (request.n ?? 1)
  return { prompt_tokens: 7, completion_tokens: completion, total_tokens: 7 + completion }
}

function head(object: string, request: ChatCompletionRequest) {
  const tier = request.service_tier === undefined ? {} : { service_tier: 'default' }
  const created = Math.floor(Date.now() / 1000)
  return { id: `chatcmpl-${randomUUID()}`, object, created, model: ECHO, ...tier }
}

function indexes(request: ChatCompletionRequest): readonly number[] {
  return Array.from({ length: request.n ?? 1 }, (_, index) => index)
}

function plain(request: ChatCompletionRequest): Reply {
  const echo = echoOf(request)
  const message = { role: 'assistant', content: echo.tokens.join(''), refusal: null }
  const choices = indexes(request).map((index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: echo.reason,
  }))
  return reply({ ...head('chat.completion', request), choices, usage: usageOf(request, echo) })
}

function streamed(request: ChatCompletionRequest): Reply {
  const echo = echoOf(request)
  const common = head('chat.completion.chunk', request)
  const all = indexes(request)
  const withUsage = request.stream_options?.include_usage === true
  const usage = withUsage ? { usage: null } : {}
  const chunk = (index: number, delta: object, reason: string | null = null) => ({
    ...common,
    choices: [{ index, delta, finish_reason: reason }],
    ...usage,
  })
  const records = [
    ...all.map((index) => chunk(index, { role: 'assistant', content: '' })),
    ...echo.tokens.flatMap((content) => all.map((index) => chunk(index, { content }))),
    ...all.map((index) => chunk(index, {}, echo.reason)),
    ...(withUsage ? [{ ...common, choices: [], usage: usageOf(request, echo) }] : []),
  ]
  return stream([...records.map((record) => JSON.stringify(record)), '[DONE]'])
}

/** An event stream of these records. */
export function stream(records: readonly string[]): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: records.map(encodeRecord).join(''),
  }
}

export function isStream({ headers }: Reply): boolean {
  return headers['content-type'] === 'text/event-stream'
}

/** A fault in what a completion says: `edit` changes its parsed body. */
export function inCompletion(edit: (completion: Json, call: Call) => unknown): Fault {
  return (call, right) => {
    const given = right(call)
    const isCompletion = call.path === CHAT_PATH && given.status === 200 && !isStream(given)
    return isCompletion
      ? { ...given, body: JSON.stringify(edit(JSON.parse(String(given.body)), call)) }
      : given
  }
}

/** A fault in the choices of a completion. */
export function inChoices(edit: (choice: Json) => unknown): Fault {
  return inCompletion((completion) => ({
    ...completion,
    choices: Array.isArray(completion['choices']) ? completion['choices'].map(edit) : [],
  }))
}

/** A fault in the text of an event stream. */
export function inStream(edit: (text: string, call: Call) => string | Uint8Array): Fault {
  return (call, right) => {
    const given = right(call)
    return isStream(given) ? { ...given, body: edit(String(given.body), call) } : given
  }
}

/** A fault in the records of an event stream, each without its frame; `[DONE]` is one of them. */
export function inRecords(edit: (records: readonly string[], call: Call) => readonly string[]): Fault {
  return inStream((text, call) => {
    const records = text.split('\n\n').filter((block) => block !== '')
    return edit(
      records.map((block) => block.slice('data: '.length)),
      call,
    )
      .map(encodeRecord)
      .join('')
  })
}

/** A fault in the chunks of an event stream: each is replaced by as many as `edit` gives. */
export function inChunks(edit: (chunk: Json, place: number, last: number) => readonly unknown[]): Fault {
  return inRecords((records) =>
    records.flatMap((record, place) =>
      record === '[DONE]'
        ? [record]
        : edit(JSON.parse(record), place, records.length - 2).map((chunk) => JSON.stringify(chunk)),
    ),
  )
}

/** A fault in how a request is read: `edit` changes its parsed body before the right service sees it. */
export function inRequest(edit: (body: Json, call: Call) => unknown): Fault {
  return (call, right) => {
    const { body } = call
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    return right(isObject ? { ...call, body: edit({ ...body }, call) } : call)
  }
}

/** How an answer goes out, and when. */
export type Delivery = (outgoing: http.ServerResponse, answer: Reply, call: Call) => void | Promise<void>

const atOnce: Delivery = (outgoing, { status, headers, body, cutAfter }) => {
  if (cutAfter === -1) return
  if (cutAfter === 0) return void outgoing.destroy()
  outgoing.writeHead(status, headers)
  if (cutAfter === undefined) return void outgoing.end(body)
  outgoing.write(body.slice(0, cutAfter), () => outgoing.destroy())
}

export interface RunningService extends AsyncDisposable {
  readonly baseUrl: string
}

/** Starts the service with one fault on a free port. */
export async function startChat(
  fault: Fault = (call, right) => right(call),
  deliver: Delivery = atOnce,
): Promise<RunningService> {
  const server = http.createServer(async (incoming, outgoing) => {
    const raw = await bytesOf(incoming).catch(() => undefined)
    // The judge has hung up.
    if (raw === undefined) return
    const call = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      raw,
      body: parsed(raw.toString()),
    }
    await deliver(outgoing, fault(call, rightly), call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bytesOf(incoming: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece)
  return Buffer.concat(pieces)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
