// A small chat service for tests in its own process, correct except for the weakness that WEAKNESS names.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** How long the event loop stands still, in milliseconds, and the memory that leaks with each request, in bytes. */
const STALL_MS = 700
/** The size of a swollen answer, in bytes. */
const SWOLLEN_BYTES = 200_000
const LEAK_BYTES = 4 * 1024 * 1024
/** A request of an attack that does not read its answer, which is several times as large. */
const UNREAD = /^\{"model":"m","n":4,"messages":\[\{"role":"user","content":"word /
/** How long a refused client may read its refusal, and the client of that attack its answer, in milliseconds. */
const REFUSED_MS = 200
const UNREAD_MS = 1_000

const weakness = process.env['WEAKNESS']
const leaked: Buffer[] = []
let healthChecks = 0

const refusal = JSON.stringify({
  error: { message: 'This is not right.', type: 'invalid_request_error', code: 'invalid', param: null },
})

function answer(request: http.IncomingMessage, response: http.ServerResponse, body: string): void {
  const send = (status: number, text: string): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  if (request.url === '/healthz') {
    healthChecks += 1
    return send(weakness === 'loses' && healthChecks % 2 === 0 ? 503 : 200, '{}')
  }
  const isHostile = body.length > 200
  if (weakness === 'leaks') leaked.push(Buffer.alloc(LEAK_BYTES, 1))
  if (weakness === 'fails' && isHostile) return send(500, refusal)
  if (weakness === 'bare' && isHostile) return send(400, '{"detail":"no"}')
  if (weakness === 'hangs' && isHostile) return
  if (weakness === 'closes' && isHostile) return void response.destroy()
  if (weakness === 'cuts' && isHostile) {
    response.writeHead(200, { 'content-length': 100 }).write('{')
    return void setTimeout(() => response.destroy(), 20)
  }
  if (weakness === 'stalls' && isHostile)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS)
  // A client that does not read keeps such an answer, and with it its connection.
  if (UNREAD.test(body)) {
    const late = setTimeout(() => weakness !== 'waits' && response.destroy(), UNREAD_MS)
    response.on('close', () => clearTimeout(late))
    return send(200, body.repeat(4))
  }
  if (weakness === 'swells' && isHostile) return send(200, JSON.stringify('x'.repeat(SWOLLEN_BYTES)))
  return body.startsWith('{"model"') ? send(200, '{}') : send(400, refusal)
}

/** The latest answer of each connection. */
const latest = new WeakMap<Duplex, http.ServerResponse>()

const server = http.createServer(
  { requestTimeout: 3_000, connectionsCheckingInterval: 100, requireHostHeader: false },
  (request, response) => {
    latest.set(request.socket, response)
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => answer(request, response, Buffer.concat(pieces).toString()))
  },
)
/** The connections that were refused. */
const refused = new WeakSet<Duplex>()

function refuse(_: unknown, socket: Duplex): void {
  if (refused.has(socket)) return
  refused.add(socket)
  // The answers to earlier requests come first.
  const earlier = latest.get(socket)
  if (earlier?.req.complete && !earlier.writableFinished) earlier.once('close', () => refuseNow(socket))
  else refuseNow(socket)
}

function refuseNow(socket: Duplex): void {
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Length: ${refusal.length}\r\nConnection: close\r\n\r\n${refusal}`,
  )
  if (weakness !== 'keeps') setTimeout(() => socket.destroy(), REFUSED_MS)
}
server.on('clientError', refuse)
server.on('connect', (request, socket) => {
  if (weakness !== 'dies') socket.on('error', () => undefined)
  // A reset is noticed by reading.
  socket.resume()
  refuse(request, socket)
})
server.on('checkExpectation', (request: http.IncomingMessage, response: http.ServerResponse) => {
  request.resume()
  response.writeHead(400, { connection: 'close' }).end(refusal)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
