// Generated requests that are malformed or abusive, against a real process: none is answered with a 5xx, none hangs, none is
// remembered.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTurns } from '../../harness/waiting.ts'
import { type ServerProcess, startServerProcess } from '../server-process.fixture.ts'
import { hostileRequest, type Step } from './hostile-requests.fixture.ts'

const MAX_BODY_BYTES = 1_000_000

/** How long a request may take to arrive; what is slower is ended by the server. */
const REQUEST_TIMEOUT_SECONDS = 2

/** Maximum time until a connection is answered or closed, in milliseconds. The server looks every few seconds. */
const PATIENCE_MS = 20_000

/** Silence after which an answered connection is complete, in milliseconds. */
const SILENCE_MS = 250

/** Concurrent connections: nearly all of the time is waiting for a silent one. */
const ABREAST = 64

const REQUESTS = 400

let server: ServerProcess
let secret = ''

beforeAll(async () => {
  server = await startServerProcess({
    MAX_BODY_BYTES: String(MAX_BODY_BYTES),
    REQUEST_TIMEOUT_SECONDS: String(REQUEST_TIMEOUT_SECONDS),
    RATE_LIMIT_REQUESTS: '1000000',
  })
  secret = (await server.createKey()).secret
})
afterAll(() => server[Symbol.dispose]())

test('no 5xx, no hang, and memory stays flat', { timeout: 180_000, tags: 'slow' }, async () => {
  const seed = fc.readConfigureGlobal()?.seed ?? Date.now()
  const arbitrary = hostileRequest({ secret, model: 'svc-0.1-echo', maxBodyBytes: MAX_BODY_BYTES })
  const requests = fc.sample(arbitrary, { seed, numRuns: REQUESTS })
  const attackAll = async (): Promise<void> => {
    const wrong = await inTurns(requests, ABREAST, attack)
    expect({ seed, wrong: wrong.filter((problem) => problem !== undefined) }).toEqual({ seed, wrong: [] })
  }
  await attackAll()
  const before = residentMegabytes(server)
  await attackAll()
  expect(residentMegabytes(server) - before).toBeLessThan(64)
  expect(server.child.exitCode).toBeNull()
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
})

test('a body that arrives byte by byte costs the memory of its bytes', { tags: 'slow' }, async () => {
  using patient = await startServerProcess()
  const { secret } = await patient.createKey()
  const body = JSON.stringify({
    model: 'svc-0.1-echo',
    messages: [{ role: 'user', content: 'x'.repeat(MAX_BODY_BYTES / 2) }],
  })
  const chunks = `${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`
  const before = residentMegabytes(patient)
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, residentMegabytes(patient))), 20)
  const answers = Array.from({ length: 4 }, async () => {
    const socket = connect(Number(new URL(patient.url).port), '127.0.0.1')
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    socket.write(chunks)
    let status = ''
    for await (const data of socket) status ||= String(data).slice(0, 12)
    return status
  })
  expect(await Promise.all(answers)).toEqual(Array(4).fill('HTTP/1.1 200'))
  clearInterval(timer)
  expect(peak - before).toBeLessThan(150)
})

/** The problem with the reaction of the server, or undefined. */
async function attack(steps: readonly Step[]): Promise<string | undefined> {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true })
  let said = ''
  let heardAt = Infinity
  let closed = false
  socket.setEncoding('latin1')
  // A server that closes while bytes are on their way resets the connection: that is an answer too.
  socket
    .on('error', () => (closed = true))
    .on('close', () => (closed = true))
    .on('end', () => (closed = true))
  socket.on('data', (data: string) => {
    said += data
    heardAt = performance.now()
  })
  const began = performance.now()
  for (const step of steps) {
    if (closed) break
    await take(socket, step)
    if (step === 'reset') return undefined
  }
  const mayGoOn = (): boolean => heardAt === Infinity || performance.now() - heardAt < SILENCE_MS
  while (!closed && mayGoOn() && performance.now() - began < PATIENCE_MS) await sleep(20)
  const hung = !closed && said === ''
  socket.destroy()
  const sent = JSON.stringify(steps.map((step) => String(step).slice(0, 2000)))
  const statuses = [...said.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
  if (statuses.some((status) => status >= 500)) return `answered ${statuses.join(', ')}: ${sent}`
  if (said !== '' && statuses.length === 0) return `said ${JSON.stringify(said.slice(0, 100))}: ${sent}`
  return hung ? `no answer and no end within ${PATIENCE_MS} ms: ${sent}` : undefined
}

async function take(socket: Socket, step: Step): Promise<void> {
  if (typeof step === 'number') await sleep(step)
  else if (step === 'half-close') socket.end()
  else if (step === 'reset') socket.resetAndDestroy()
  else socket.write(typeof step === 'string' ? Buffer.from(step, 'latin1') : step)
}

/** Memory of the server after a moment without requests; read on Linux only, elsewhere it is not judged. */
function residentMegabytes({ child }: ServerProcess): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  } catch {
    return 0
  }
}
