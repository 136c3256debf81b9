// Services that break below HTTP: each answers the list of models, and everything else in its own bad way.
import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { listening } from '../../../../harness/http-server.fixture.ts'
import { at, parseJson } from '../../../../harness/json-value.ts'

/** A request as it arrived; `nth` counts from 1. */
export interface Received {
  readonly nth: number
  readonly line: string
  readonly isStream: boolean
}

/** Answers a request on its connection, or does not. */
export type HostileAnswer = (socket: net.Socket, request: Received) => void

const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const PIECE = Buffer.alloc(64 * 1024, 'a')

function head(more: string, type = 'application/json'): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${more}\r\n`
}

/** A complete answer with this body. */
export function whole(body: string | Buffer, more = '', type?: string): Buffer {
  return Buffer.concat([
    Buffer.from(head(`Content-Length: ${Buffer.byteLength(body)}\r\n${more}`, type)),
    Buffer.from(body),
  ])
}

/** Writes without an end, as fast as the client reads. */
function pour(socket: net.Socket, piece: Buffer | string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

/** Writes one byte again and again. */
function drip(socket: net.Socket, everyMs: number, byte: string): void {
  const timer = setInterval(() => socket.write(byte), everyMs)
  socket.on('close', () => clearInterval(timer))
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const named = { id: 'c-1', created: 1_700_000_000, model: 'm-1' }

/** Answers every chat request the same. */
export const answerWell: HostileAnswer = (socket, { line, isStream }) => {
  if (line.startsWith('GET /v1/models'))
    return void socket.write(whole('{"object":"list","data":[{"id":"m-1","object":"model"}]}'))
  if (!isStream) {
    const choice = { index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }
    return void socket.write(
      whole(JSON.stringify({ ...named, object: 'chat.completion', choices: [choice], usage })),
    )
  }
  const chunk = (delta: object, reason: string | null): string => {
    const choices = [{ index: 0, delta, finish_reason: reason }]
    return `data: ${JSON.stringify({ ...named, object: 'chat.completion.chunk', choices })}\n\n`
  }
  const events = `${chunk({ role: 'assistant', content: 'OK' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`
  socket.write(whole(events, '', 'text/event-stream'))
}

const BOMB = gzipSync(Buffer.alloc(256 * 1024 * 1024))

/** Each way to break, by its name. */
export const WAYS = {
  'closes before the head': (socket) => void socket.end(),
  'resets before the head': (socket) => void socket.resetAndDestroy(),
  'resets within the head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.resetAndDestroy())
  },
  'resets after the head': (socket) => {
    socket.write(head('Content-Length: 10\r\n'), () => socket.resetAndDestroy())
  },
  'answers HTTP/0.9': (socket) => void socket.end('{"object":"list"}'),
  'is an SSH server': (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'answers in TLS': (socket) => void socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])),
  'is silent': () => {},
  'drips the head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
    drip(socket, 50, 'a')
  },
  'sends a head without an end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Long: ')
    pour(socket, PIECE)
  },
  'says continue without an end': (socket) => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  'drips the body': (socket) => {
    socket.write(head(CHUNKED, 'text/event-stream'))
    drip(socket, 50, '1\r\nd\r\n')
  },
  'sends a body without an end': (socket) => {
    socket.write(head(''))
    pour(socket, PIECE)
  },
  'sends small chunks without an end': (socket) => {
    socket.write(head(CHUNKED, 'text/event-stream'))
    pour(socket, '1\r\nd\r\n'.repeat(4096))
  },
  'sends a bomb': (socket) => void socket.write(whole(BOMB, 'Content-Encoding: gzip\r\n')),
  'sends less than it announces': (socket) => void socket.end(`${head('Content-Length: 99\r\n')}{}`),
  'sends wrong chunks': (socket) => void socket.end(`${head(CHUNKED)}zz\r\n{}\r\n0\r\n\r\n`),
} as const satisfies Readonly<Record<string, HostileAnswer>>

/** Starts a service; `answer` gets every request but those for the list of models. `requests` counts all of them. */
export async function startHostileService(answer: HostileAnswer, { listsModels = true } = {}) {
  let requests = 0
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      for (;;) {
        const end = received.indexOf('\r\n\r\n') + 4
        const length = Number(/^content-length: *(\d+)/im.exec(received.slice(0, end))?.[1] ?? 0)
        if (end < 4 || received.length < end + length) return
        const isStream = at(parseJson(received.slice(end, end + length)), 'stream') === true
        const [line = ''] = received.split('\r\n', 1)
        received = received.slice(end + length)
        requests += 1
        const isList = listsModels && line.startsWith('GET /v1/models ')
        const request = { nth: requests, line, isStream }
        if (isList) answerWell(socket, request)
        else answer(socket, request)
      }
    })
  })
  const closeAllConnections = (): void => sockets.forEach((socket) => socket.destroy())
  const started = await listening(Object.assign(server, { closeAllConnections }))
  return { requests: () => requests, ...started }
}
