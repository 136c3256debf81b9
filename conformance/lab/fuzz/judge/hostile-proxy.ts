// A hostile service, or a hostile gateway: a proxy before a good service that sends some answers in a hostile way, and for a
// gateway also some requests. Its answer to a request depends on the seed and on the request alone.
import http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chances, chancesOf } from './chances.ts'
import { type GoodAnswer, type SendStep, WAYS, wellSent } from './hostile-answers.ts'
import { hostileBody } from './hostile-bodies.ts'

export interface ProxyOptions {
  readonly seed: number
  /** The address of the good service, without `/v1`. */
  readonly origin: string
  /** The key for it; left out: that of the request. */
  readonly key?: string
  /** Whether requests become hostile too. */
  readonly isGateway?: boolean
  /** Whether it passes everything on unchanged. */
  readonly isGood?: boolean
}

/** The most of a good answer that is kept, in bytes. */
const MOST_ANSWER_BYTES = 1024 * 1024

/** The longest wait for a good answer, in milliseconds. */
const GOOD_TIMEOUT_MS = 5_000

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export async function startHostileProxy({
  seed,
  origin,
  key,
  isGateway = false,
  isGood = false,
}: ProxyOptions) {
  const own = chancesOf('proxy', seed)
  // Mostly good, so that a run gets far; some services are hostile from the first byte.
  const share = isGood ? 0 : own.pick([0.02, 0.05, 0.1, 0.1, 0.2, 0.4, 1])
  const names = Object.keys(WAYS)
  // All ways, or a single one, with which the judge gets further.
  const chosen = own.happens(0.5) ? names : [names[own.below(names.length)] ?? 'contents', 'contents']
  // Real services have the same fault in each answer, or in each of a kind, so that every check meets it.
  const steady = own.happens(0.4) ? own.pick(['all', 'streams', 'streams', 'plain'] as const) : undefined
  const counts = { requests: 0, hostile: 0 }
  const kinds = new Map<string, number>()
  const sockets = new Set<Socket>()
  const seen = new Map<string, number>()
  const agent = new http.Agent({ keepAlive: true })

  /** Makes the choices for a request; a repeated request gets other choices. */
  function chancesFor({ method, url, body }: Asked): Chances {
    const request = `${method} ${url} ${body.toString('latin1')}`
    const nth = (seen.get(request) ?? 0) + 1
    seen.set(request, nth)
    return chancesOf('request', seed, nth, request)
  }

  /** The way in which an answer is sent, and its choices; undefined if it is sent well. */
  function wayFor(good: GoodAnswer, chances: Chances): readonly [name: string, chances: Chances] | undefined {
    if (isGood) return undefined
    if (steady === undefined)
      return chances.happens(share)
        ? [chosen[chances.below(chosen.length)] ?? 'contents', chances]
        : undefined
    if (good.isStream ? steady === 'plain' : steady === 'streams') return undefined
    const same = chancesOf('steady', seed)
    return [names[same.below(names.length)] ?? 'contents', same]
  }

  async function answer(incoming: http.IncomingMessage, socket: Socket): Promise<void> {
    const asked = await askedBy(incoming)
    counts.requests += 1
    const chances = chancesFor(asked)
    const isFirst = isGateway && chances.happens(share)
    const sent = isFirst ? { ...asked, body: hostileBody(asked.body, false, chances) } : asked
    const good = await goodAnswer(origin, sent, key, agent)
    const way = wayFor(good, chances)
    if (way === undefined) return perform(socket, [wellSent(good)])
    const [name, choices] = way
    counts.hostile += 1
    kinds.set(name, (kinds.get(name) ?? 0) + 1)
    await perform(socket, WAYS[name]?.(good, choices) ?? [])
  }

  const server = http.createServer({ maxHeaderSize: 2 ** 20 }, (incoming, response) => {
    const { socket } = incoming
    // The answer is written directly to the socket, because the HTTP server would refuse most of it.
    response.on('error', () => undefined)
    answer(incoming, socket).catch(() => socket.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    counts,
    kinds,
    async close(): Promise<void> {
      server.close()
      for (const socket of sockets) socket.destroy()
      agent.destroy()
    },
  }
}

async function askedBy(incoming: http.IncomingMessage): Promise<Asked> {
  const pieces: Buffer[] = []
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
  const { method = 'GET', url = '/', headers } = incoming
  return { method, url, headers, body: Buffer.concat(pieces) }
}

/** Returns the answer of the good service, or a 502 if there is none. */
function goodAnswer(
  origin: string,
  { method, url, headers, body }: Asked,
  key: string | undefined,
  agent: http.Agent,
): Promise<GoodAnswer> {
  const {
    'transfer-encoding': _,
    'content-length': __,
    expect: ___,
    host: ____,
    connection: _____,
    ...others
  } = headers
  return new Promise((resolve) => {
    const fail = (): void => resolve({ status: 502, headers: [], body: Buffer.alloc(0), isStream: false })
    const outgoing = http.request(
      new URL(url.startsWith('/') ? url : '/', origin),
      {
        method,
        agent,
        headers: {
          ...others,
          ...(body.length > 0 ? { 'content-length': body.length } : {}),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
      },
      (incoming) => {
        const pieces: Buffer[] = []
        let size = 0
        const whole = (): void => {
          const { rawHeaders: raw } = incoming
          resolve({
            status: incoming.statusCode ?? 0,
            headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : [])),
            body: Buffer.concat(pieces),
            isStream: /event-stream/.test(incoming.headers['content-type'] ?? ''),
          })
        }
        incoming.on('data', (piece: Buffer) => {
          pieces.push(piece)
          size += piece.length
          if (size > MOST_ANSWER_BYTES) outgoing.destroy()
        })
        incoming.on('end', whole).on('close', whole).on('error', whole)
      },
    )
    outgoing.setTimeout(GOOD_TIMEOUT_MS, () => outgoing.destroy()).on('error', fail)
    outgoing.end(body)
  })
}

/** Performs the steps, as far as the client reads them. */
async function perform(socket: Socket, steps: readonly SendStep[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return
    if (Buffer.isBuffer(step)) socket.write(step)
    else if (step === 'end') socket.end()
    else if (step === 'reset') socket.resetAndDestroy()
    else if (step === 'silence') return
    else if ('waitMs' in step) await sleep(step.waitMs)
    else await pour(socket, step.pour, step.times)
  }
}

async function pour(socket: Socket, bytes: Buffer, times: number): Promise<void> {
  const together = Math.max(1, Math.floor(65_536 / Math.max(1, bytes.length)))
  const block = Buffer.concat(Array.from({ length: Math.min(together, times) }, () => bytes))
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  for (let written = 0; written < times && !socket.destroyed; written += together)
    if (!socket.write(block)) await once(socket, 'drain', { signal: closed.signal }).catch(() => undefined)
}
