// Deployments that are right, each odd in one way that the text allows: none is blamed for it.
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { type ConformanceOptions, type Report, runConformance } from './run-conformance.ts'
import { type Call, KEY, type Reply, rightly } from './cases/scripted/scripted-chat.fixture.ts'
import { startTestServer } from '../harness/http-server.fixture.ts'
import { createProbe } from '../harness/http/probe.ts'
import { MAX_BODY_BYTES } from '../harness/http/send-once.ts'
import type http from 'node:http'

interface Odd {
  /** Instead of the right reply, or before it. */
  readonly reply?: (call: Call, right: (call: Call) => Reply, nth: number) => Reply | Promise<Reply>
  /** Writes the reply. */
  readonly write?: (
    reply: Reply,
    response: http.ServerResponse,
    request: http.IncomingMessage,
    nth: number,
  ) => unknown
}

/** Judges a service that is right, apart from what is odd of it. */
async function judge(
  odd: Odd,
  options: ConformanceOptions = {},
): Promise<{ report: Report; calls: readonly Call[] }> {
  const calls: Call[] = []
  await using server = await startTestServer(async (request, response) => {
    const raw = Buffer.from(request.text)
    const call: Call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      raw,
      body: parsedOf(request.text),
    }
    calls.push(call)
    const nth = calls.length
    const reply = await (odd.reply?.(call, rightly, nth) ?? rightly(call))
    if (odd.write !== undefined) return odd.write(reply, response, request, nth)
    return response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  const report = await runConformance({
    baseUrl: server.baseUrl,
    profile: 'wire',
    credentials: { CONFORMANCE_API_KEY: KEY },
    seed: 1,
    runs: 3,
    ...options,
  })
  return { report, calls }
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failures = ({ checks }: Report): readonly string[] =>
  checks
    .filter(({ outcome }) => ['fail', 'error'].includes(outcome))
    .map(({ id, reason }) => `${id}: ${reason}`)

const open = ({ checks }: Report): readonly string[] =>
  checks.filter(({ outcome }) => outcome === 'inconclusive').map(({ id, reason }) => `${id}: ${reason}`)

const chat = (call: Call): boolean => call.path === '/v1/chat/completions'

test('a model that is loaded at the first request is late once', async () => {
  let cold = true
  const { report } = await judge(
    {
      async reply(call, right) {
        if (chat(call) && cold) await sleep(8_000)
        if (chat(call)) cold = false
        return right(call)
      },
    },
    { only: 'CHAT-1,CHAT-8,CHAT-9', timeoutMs: 5_000 },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
})

test('one request in seven breaks: it is sent again', async () => {
  const { report } = await judge(
    {
      write: (reply, response, request, nth) =>
        nth % 7 === 0
          ? request.socket.destroy()
          : response.writeHead(reply.status, reply.headers).end(reply.body),
    },
    { only: 'CHAT-*,WIRE-1,SDK-1', concurrency: 1 },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
})

test('a service that breaks every connection is blamed by the row that bounds that, and by no other', async () => {
  const { report } = await judge(
    {
      write: (reply, response, request) =>
        request.method === 'POST'
          ? request.socket.destroy()
          : response.writeHead(reply.status, reply.headers).end(reply.body),
    },
    { only: 'CHAT-1,CHAT-8,chat.random-bytes,WIRE-1,sdk.create' },
  )
  const rows = report.requirements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
  expect(rows).toEqual(['CHAT-9'])
})

test('a service without keys, behind a gateway with a header of its own, may say 429 to the library too', async () => {
  let limited = 0
  const { report, calls } = await judge(
    {
      reply(call, right) {
        if (call.headers['api-key'] !== 'the-key-of-the-gateway')
          return { status: 401, headers: {}, body: '{"error":{"message":"No."}}' }
        if (chat(call) && (limited += 1) % 3 === 2)
          return { status: 429, headers: { 'retry-after': '0.1' }, body: '{"error":{"message":"Later."}}' }
        const answer = right({ ...call, headers: { ...call.headers, authorization: `Bearer ${KEY}` } })
        // A gateway takes a bearer that it does not know for a wrong one.
        return call.headers.authorization === undefined ? answer : { ...answer, status: 401 }
      },
    },
    {
      only: 'sdk.create,sdk.create-stream,sdk.stream-helper,sdk.models-list',
      credentials: {},
      headers: { 'api-key': 'the-key-of-the-gateway' },
    },
  )
  expect(report.totals).toMatchObject({ pass: 4, fail: 0 })
  expect(calls.every(({ headers }) => headers.authorization === undefined)).toBe(true)
})

test.each(['gzip', 'br', 'deflate', 'raw deflate'])('answers that come in %s are read', async (coding) => {
  const encode = {
    gzip: zlib.gzipSync,
    br: zlib.brotliCompressSync,
    deflate: zlib.deflateSync,
    'raw deflate': zlib.deflateRawSync,
  }[coding]
  const { report, calls } = await judge(
    {
      write: (reply, response) =>
        response
          .writeHead(reply.status, { ...reply.headers, 'content-encoding': coding.replace('raw ', '') })
          .end(encode?.(reply.body)),
    },
    { only: 'CHAT-1,chat.echo-unicode,STREAM-1,STREAM-2,WIRE-1,sdk.create-stream' },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
  expect(calls.every(({ headers }) => headers['accept-encoding'] === 'identity')).toBe(true)
})

test('a compressed answer that grows without end is left at the bound of any other', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024))
  await using server = await startTestServer((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const probe = createProbe({ baseUrl: server.baseUrl, key: '', timeoutMs: 20_000 })
  const { response } = await probe.send({ path: '/' }, AbortSignal.timeout(20_000))
  probe.close()
  expect(response.end).toBe('too-large')
  expect(response.body.length).toBeLessThan(MAX_BODY_BYTES + 1024 * 1024)
})
