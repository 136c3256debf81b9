// The scripted service: one HTTP server for all scenarios, each under a path of its own, `/s/NAME`, and a second one on
// another host that an answer may redirect to. It answers by attempt as the script says, whatever the key, and
// records what it saw on a monotonic clock.
import { once } from 'node:events'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Headers, SentRequest } from '../../../harness/http/exchange.ts'
import { at } from '../../../harness/verify/json-value.ts'
import { answer, jsonReply } from './answers.ts'
import type { Asked, Reply, Step } from './reply.ts'

/** The least time between a request and its answer: requests that were sent together overlap, as at any service. */
const THINKING_MS = 20
/** How long requests of a scenario that wants several at once wait for each other, in milliseconds. */
const GATHER_MS = 12_000
/** The most that is read of a request, and how many requests of a scenario are kept. */
const MAX_BODY_BYTES = 1024 * 1024
const MAX_REQUESTS = 400
/** The pace of an endless answer, in milliseconds, and its most pieces: a minute and more. */
const TICK_MS = 50
const MAX_TICKS = 2_000

/** What the service needs to know of a scenario. */
export interface Served {
  readonly script: readonly Step[]
  /** Where completions are asked for: a path, from the root. */
  readonly path: string
  readonly text: string
  readonly model: string
  /** So many requests are answered together. */
  readonly together: number
}

/** A request and its answer while they happen. Times are of `performance.now()`. */
export interface Call {
  readonly kind: 'attempt' | 'stray' | 'elsewhere'
  readonly arrivedMs: number
  readonly request: SentRequest
  reply?: {
    readonly status: number
    readonly headers: Headers
    readonly pieces: Uint8Array[]
    readonly end: Reply['end']
    readonly firstByteMs: number
    lastByteMs?: number
  }
  hungUpMs?: number
}

export interface ScriptedService {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Opens a scenario's address. A second call under one name begins afresh. */
  open(name: string, served: Served): void
  /** What came for a scenario, in the order of arrival. */
  calls(name: string): readonly Call[]
  /** Resolves at the next request or end of an answer of the scenario, or when the signal is aborted. */
  next(name: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

interface Room {
  readonly served: Served
  readonly calls: Call[]
  readonly changed: Set<() => void>
  gathered: PromiseWithResolvers<void>
}

export interface ServiceOptions {
  /** The port of the scenarios; any free one unless given. */
  readonly port?: number
  /** Hears of every request and every end of an answer. */
  readonly onCall?: (name: string) => void
  /** Answers what is under no scenario's path, as a page; returns whether it did. */
  readonly onOther?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Starts the service on the loopback interface. */
export async function startScriptedService(options: ServiceOptions = {}): Promise<ScriptedService> {
  const rooms = new Map<string, Room>()

  function tell(name: string): void {
    const room = rooms.get(name)
    for (const resolve of room?.changed ?? []) resolve()
    room?.changed.clear()
    options.onCall?.(name)
  }

  function handle(isElsewhere: boolean) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const arrivedMs = performance.now()
      const url = request.url ?? '/'
      const name = /^\/s\/([a-z0-9-]+)(?:[/?]|$)/.exec(url)?.[1] ?? ''
      const room = rooms.get(name)
      if (room === undefined || room.calls.length >= MAX_REQUESTS) {
        if (room !== undefined || isElsewhere || options.onOther?.(request, response) !== true) {
          request.resume()
          send404(response)
        }
        return
      }
      const isCompletion = request.method === 'POST' && pathOf(url) === room.served.path
      const call: Call = {
        kind: isElsewhere ? 'elsewhere' : isCompletion ? 'attempt' : 'stray',
        arrivedMs,
        request: {
          method: request.method ?? '',
          url: `http://${request.headers.host ?? ''}${url}`,
          path: url,
          headers: pairs(request.rawHeaders),
          body: Buffer.alloc(0),
        },
      }
      room.calls.push(call)
      const body = await read(request)
      Object.assign(call.request, { body })
      response.on('close', () => {
        if (!response.writableFinished && call.reply?.end !== 'cut') call.hungUpMs = performance.now()
        tell(name)
      })
      tell(name)
      await sleep(THINKING_MS)
      const attempts = room.calls.filter(({ kind }) => kind === 'attempt')
      if (call.kind === 'attempt' && attempts.length <= room.served.together)
        await gather(room, attempts.length)
      await write(
        response,
        call,
        replyTo(room, call, attempts.indexOf(call), elsewhere.origin + `/s/${name}`),
      )
    }
  }

  const own = await listen(handle(false), '127.0.0.1', options.port ?? 0)
  const elsewhere = await listen(handle(true), '127.0.0.2', 0).catch(() => listenAsLocalhost(handle(true)))

  return {
    origin: own.origin,
    open(name, served) {
      rooms.set(name, { served, calls: [], changed: new Set(), gathered: Promise.withResolvers() })
    },
    calls: (name) => rooms.get(name)?.calls ?? [],
    async next(name, signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { changed } = rooms.get(name) ?? {}
      changed?.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (!signal.aborted) await promise
      changed?.delete(resolve)
    },
    async close() {
      await Promise.all([own, elsewhere].map(({ close }) => close()))
    },
  }
}

/** Waits until as many requests as the scenario wants have come, or no longer than `GATHER_MS`. */
async function gather(room: Room, arrived: number): Promise<void> {
  if (arrived >= room.served.together) room.gathered.resolve()
  const bound = new AbortController()
  await Promise.race([
    room.gathered.promise,
    sleep(GATHER_MS, undefined, { signal: bound.signal }).catch(() => undefined),
  ])
  bound.abort()
}

function replyTo({ served }: Room, call: Call, attempt: number, elsewhere: string): Reply {
  const body = parse(call.request.body)
  const asked: Asked = {
    model: served.model,
    stream: at(body, 'stream') === true,
    includeUsage: at(at(body, 'stream_options'), 'include_usage') === true,
    tools: Array.isArray(at(body, 'tools')),
    text: served.text,
    elsewhere,
  }
  if (call.kind === 'elsewhere') return answer(asked)
  if (call.kind === 'stray') {
    if (call.request.method === 'GET' && /\/models\/?$/.test(pathOf(call.request.path)))
      return jsonReply(200, {
        object: 'list',
        data: [{ id: served.model, object: 'model', created: 0, owned_by: 'touchstone' }],
      })
    const error = {
      message: 'There is nothing here.',
      type: 'invalid_request_error',
      code: 'unknown_url',
      param: null,
    }
    return jsonReply(404, { error })
  }
  const step = served.script[Math.min(attempt, served.script.length - 1)] ?? answer
  return step(asked)
}

async function write(response: ServerResponse, call: Call, reply: Reply): Promise<void> {
  if (response.destroyed || reply.end === 'silent') return
  const { status, headers, pieces, end } = reply
  const firstByteMs = performance.now()
  const size = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)
  // In several pieces the length is not told before: the answer is chunked, as streams are.
  const length = end === 'complete' && pieces.length < 2 ? { 'content-length': size } : {}
  response.writeHead(status, { ...headers, ...length })
  const sent: Uint8Array[] = []
  call.reply = { status, headers: Object.entries(headers), pieces: sent, end, firstByteMs }
  for (const [position, { bytes, afterMs }] of pieces.entries()) {
    if (afterMs > 0) await sleep(afterMs)
    if (response.destroyed) return
    if (position === pieces.length - 1 && end === 'complete') break
    sent.push(bytes)
    response.write(bytes)
  }
  if (end === 'complete') {
    const last = pieces.at(-1)?.bytes
    if (last !== undefined) sent.push(last)
    // Taken before the bytes leave: a wait can be measured too long by a busy machine, never too short.
    call.reply.lastByteMs = performance.now()
    response.end(last)
    return
  }
  if (end === 'cut') {
    // What was written must have left before the connection is broken.
    await new Promise<void>((resolve) => response.write('', () => resolve()))
    await sleep(THINKING_MS)
    call.reply.lastByteMs = performance.now()
    response.destroy()
    return
  }
  const tick = pieces.at(-1)?.bytes ?? Buffer.from(' ')
  for (let ticks = 0; ticks < MAX_TICKS && !response.destroyed; ticks += 1) {
    await sleep(TICK_MS)
    response.write(tick)
  }
  response.destroy()
}

/** The body, as far as it is not too long. What the client broke off is as long as it came. */
async function read(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size <= MAX_BODY_BYTES) pieces.push(piece)
    }
  } catch {
    // The client closed the connection: its request ends here.
  }
  return Buffer.concat(pieces)
}

function parse(body: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(body ?? []).toString('utf8'))
  } catch {
    return undefined
  }
}

/** The path of a request's target, without its query. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

function pairs(raw: readonly string[]): Headers {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
}

function send404(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no scenario here.\n')
}

interface Listening {
  readonly origin: string
  close(): Promise<void>
}

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  host: string,
  port: number,
): Promise<Listening> {
  const server: Server = createServer((request, response) => void handler(request, response))
  // Programs keep connections between attempts; a wait of a script must not find one closed.
  server.keepAliveTimeout = 120_000
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    origin: `http://${host}:${taken}`,
    async close() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

/** Where a machine has one loopback address only, another host is the other name of it. */
async function listenAsLocalhost(handler: Parameters<typeof listen>[0]): Promise<Listening> {
  const listening = await listen(handler, '127.0.0.1', 0)
  return { ...listening, origin: listening.origin.replace('127.0.0.1', 'localhost') }
}
