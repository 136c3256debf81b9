// Deployments that are right, each odd in one way that the text allows: none is blamed for it.
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { type ConformanceOptions, type Report, runConformance } from './run-conformance.ts'
import { type Call, KEY, type Reply, rightly } from './cases/scripted/scripted-chat.fixture.ts'
import { startTestServer } from '../harness/http-server.fixture.ts'
import { createProbe } from '../harness/http/probe.ts'
import { MAX_BODY_BYTES } from '../harness/http/send-once.ts'
import { at, isRecord } from '../harness/verify/json-value.ts'
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

test('a model that is loaded at the first request is late once', { tags: 'slow' }, async () => {
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

test('one request in seven breaks: it is sent again', { tags: 'slow' }, async () => {
  const { report } = await judge(
    {
      write: (reply, response, request, nth) =>
        nth % 7 === 0
          ? request.socket.destroy()
          : response.writeHead(reply.status, reply.headers).end(reply.body),
    },
    { only: 'CHAT-1,CHAT-4,CHAT-7,CHAT-8,WIRE-1,SDK-1', concurrency: 1 },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
})

test(
  'a service that breaks every connection is blamed by the row that bounds that, and by no other',
  { tags: 'slow' },
  async () => {
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
  },
)

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

/** A model that talks: it does not echo, and thinks for so many tokens before it says a word. */
const talking =
  (thought: number) =>
  (call: Call, right: (call: Call) => Reply): Reply => {
    const answer = right(call)
    if (!chat(call) || answer.status !== 200 || !String(answer.body).startsWith('{')) return answer
    const most = Number(at(call.body, 'max_completion_tokens') ?? Infinity)
    const content = most > thought ? '{"a":1}' : ''
    const choice = {
      index: 0,
      message: { role: 'assistant', content },
      finish_reason: content === '' ? 'length' : 'stop',
    }
    return { ...answer, body: JSON.stringify({ ...JSON.parse(String(answer.body)), choices: [choice] }) }
  }

/** Takes `max_completion_tokens` alone, as the newer models of the original do. */
const withoutMaxTokens = (call: Call, right: (call: Call) => Reply): Reply =>
  chat(call) && at(call.body, 'max_tokens') !== undefined
    ? {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          error: {
            message: "Use 'max_completion_tokens'.",
            type: 'invalid_request_error',
            param: 'max_tokens',
            code: 'x',
          },
        }),
      }
    : right(call)

/** `response_format` is taken: the scripted service refuses it. */
const inJson = (call: Call, right: (call: Call) => Reply): Reply => {
  if (!isRecord(call.body)) return right(call)
  const { response_format: _, ...others } = call.body
  return right({ ...call, body: others })
}

test('a model that thinks is given twice the tokens until its answer comes to an end', async () => {
  const reply = (call: Call, right: (call: Call) => Reply): Reply =>
    withoutMaxTokens(call, (own) => inJson(own, (inner) => talking(3000)(inner, right)))
  const { report, calls } = await judge({ reply }, { only: 'wire.json-object' })
  expect([failures(report), open(report)]).toEqual([[], []])
  const asked = calls.filter(({ body }) => at(body, 'response_format') !== undefined)
  expect(asked.map(({ body }) => at(body, 'max_completion_tokens')).slice(-4)).toEqual([
    512, 1024, 2048, 4096,
  ])

  const endless = await judge(
    {
      reply: (call, right) =>
        withoutMaxTokens(call, (own) => inJson(own, (inner) => talking(1e9)(inner, right))),
    },
    { only: 'wire.json-object' },
  )
  expect([failures(endless.report), open(endless.report)]).toEqual([
    [],
    [expect.stringContaining('was cut, also at 8192')],
  ])
  expect(endless.report.exitCode).toBe(3)
})

test(
  'no chat request that a model could answer at length goes out without a bound',
  { timeout: 40_000, tags: 'slow' },
  async () => {
    const reply = (call: Call, right: (call: Call) => Reply): Reply =>
      withoutMaxTokens(call, (own) => talking(0)(own, right))
    const { calls } = await judge({ reply }, { only: 'CHAT-*,WIRE-10,STREAM-13,STREAM-8,WIRE-6' })
    const bounds = ['max_tokens', 'max_completion_tokens']
    const unbounded = calls.filter(
      ({ body }) =>
        isRecord(body) &&
        chat({ path: '/v1/chat/completions' } as Call) &&
        !bounds.some((bound) => Object.hasOwn(body, bound)),
    )
    // Damaged bytes are sent unchanged.
    expect(unbounded.filter(({ body }) => Number(at(body, 'n') ?? 1) > 1)).toEqual([])
    expect(unbounded.length).toBeLessThan(20)
    for (const { body } of calls)
      if (Number(at(body, 'n')) > 100)
        expect(Number(at(body, 'max_completion_tokens'))).toBeLessThanOrEqual(2)
  },
)

test('a model that has the name of the reference echo model is not taken for it', async () => {
  const reply = (call: Call, right: (call: Call) => Reply): Reply => {
    if (!isRecord(call.body)) return right(call)
    // Its tokens are others: the ids of two characters take nothing out.
    const { logit_bias: _, ...others } = call.body
    return right({ ...call, body: others })
  }
  const { report } = await judge({ reply }, { only: 'wire.logit-bias-removes' })
  expect(report.totals).toMatchObject({ fail: 0, 'not-applicable': 1 })
})
