// Deployments that are right, each odd in one way that the text allows: none is blamed for it.
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import type { Handler } from '../fixtures/faulty/behaviour.ts'
import { bodyOfCall, isChat, withKey } from '../fixtures/faulty/calls.ts'
import { asError, limited, refuseFields } from '../fixtures/faulty/error-edits.ts'
import { chain, editAnswer, editCompletion, editRequest } from '../fixtures/faulty/edits.ts'
import { type Call, header, readBody, withBody, withHeader } from '../fixtures/faulty/call-and-answer.ts'
import { without } from '../fixtures/faulty/json-types.ts'
import { startTestServer } from '../harness/http-server.fixture.ts'
import { createProbe } from '../harness/http/probe.ts'
import { bounds } from '../harness/bounds/bounds.ts'
import { ECHO } from './subjects/server/cases/scripted/service.fixture.ts'
import { type Start, startService } from './subjects/server/cases/scripted/start-service.fixture.ts'
import { type ConformanceOptions, type Report, runConformance } from './run-conformance.ts'

/** Judges the scripted service behind an odd behaviour. */
async function judge(
  odd: Start,
  options: ConformanceOptions = {},
): Promise<{ report: Report; calls: readonly Call[] }> {
  const calls: Call[] = []
  await using service = await startService((tools) => {
    const handler = odd(tools)
    return (call, forward) => {
      if (!call.url.startsWith('/dashboard')) calls.push(call)
      return handler(call, forward)
    }
  })
  const report = await runConformance({
    baseUrl: service.baseUrl,
    profile: 'wire',
    credentials: { CONFORMANCE_API_KEY: service.key },
    seed: 1,
    runs: 3,
    ...options,
  })
  return { report, calls }
}

const failures = ({ checks }: Report): readonly string[] =>
  checks
    .filter(({ outcome }) => ['fail', 'error'].includes(outcome))
    .map(({ id, reason }) => `${id}: ${reason}`)

const open = ({ checks }: Report): readonly string[] =>
  checks.filter(({ outcome }) => outcome === 'inconclusive').map(({ id, reason }) => `${id}: ${reason}`)

test('a model that is loaded at the first request is late once', { tags: 'slow' }, async () => {
  const { report } = await judge(
    () => {
      let cold = true
      return async (call, forward) => {
        if (isChat(call) && cold) await sleep(8_000)
        if (isChat(call)) cold = false
        return forward(call)
      }
    },
    { only: 'CHAT-1,CHAT-8,CHAT-9', timeoutMs: 5_000, warmUpMs: 20_000 },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
})

test('one request in seven breaks: it is sent again', { tags: 'slow' }, async () => {
  const { report } = await judge(
    () => {
      let count = 0
      return async (call, forward) => {
        if ((count += 1) % 7 === 0) throw new Error('this request breaks')
        return forward(call)
      }
    },
    { only: 'CHAT-1,CHAT-4,CHAT-7,CHAT-8,WIRE-1,SDK-1', concurrency: 1 },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
})

test('a service that breaks every connection is blamed by one row alone', { tags: 'slow' }, async () => {
  const { report } = await judge(
    () => async (call, forward) => {
      if (isChat(call)) throw new Error('every chat breaks')
      return forward(call)
    },
    { model: ECHO, only: 'CHAT-1,CHAT-8,chat.random-bytes,WIRE-1,sdk.create' },
  )
  const rows = report.requirements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
  expect(rows).toEqual(['CHAT-9'])
})

test('a service without keys, behind a gateway with a header of its own, may say 429 to the library too', async () => {
  const { report, calls } = await judge(
    ({ key }) => {
      let chats = 0
      return async (call, forward) => {
        const answer = await forward(withKey(call, key))
        if (header(call, 'api-key') !== 'the-key-of-the-gateway')
          return asError(answer, 401, { message: 'No.' })
        if (isChat(call) && (chats += 1) % 3 === 2) return limited(answer, 0.1)
        // A gateway takes a bearer that it does not know for a wrong one.
        return header(call, 'authorization') === undefined ? answer : { ...answer, status: 401 }
      }
    },
    {
      only: 'sdk.create,sdk.create-stream,sdk.stream-helper,sdk.models-list',
      credentials: {},
      headers: { 'api-key': 'the-key-of-the-gateway' },
    },
  )
  expect(report.totals).toMatchObject({ pass: 4, fail: 0 })
  expect(calls.every((call) => header(call, 'authorization') === undefined)).toBe(true)
})

test.each(['gzip', 'br', 'deflate', 'raw deflate'] as const)('answers in %s are read', async (coding) => {
  const encode = {
    gzip: zlib.gzipSync,
    br: zlib.brotliCompressSync,
    deflate: zlib.deflateSync,
    'raw deflate': zlib.deflateRawSync,
  }[coding]
  const { report, calls } = await judge(
    () =>
      editAnswer(
        () => true,
        async (answer) =>
          withHeader(
            withBody(answer, encode(await readBody(answer.body))),
            'content-encoding',
            coding.replace('raw ', ''),
          ),
      ),
    { only: 'CHAT-1,chat.echo-unicode,STREAM-1,STREAM-2,WIRE-1,sdk.create-stream' },
  )
  expect([failures(report), open(report)]).toEqual([[], []])
  expect(calls.every((call) => header(call, 'accept-encoding') === 'identity')).toBe(true)
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
  expect(response.body.length).toBeLessThan(bounds().answerBytes + 1024 * 1024)
})

/**
 * A model that does not echo, and thinks for a number of tokens before its answer. It takes `max_completion_tokens` alone, as
 * the newer models of the original do.
 */
function talking(thought: number): Handler {
  const talk = editCompletion((body, call) => {
    const most = Number(bodyOfCall(call)?.['max_completion_tokens'] ?? Infinity)
    const content = most > thought ? '{"a":1}' : ''
    const message = { role: 'assistant', content }
    return { ...body, choices: [{ index: 0, message, finish_reason: content === '' ? 'length' : 'stop' }] }
  })
  return chain(refuseFields(['max_tokens']), talk)
}

test('a model that thinks is given four times the tokens until its answer comes to an end', async () => {
  const { report, calls } = await judge(() => talking(3000), { only: 'wire.json-object' })
  expect([failures(report), open(report)]).toEqual([[], []])
  const asked = calls.map(bodyOfCall).filter((body) => body?.['response_format'] !== undefined)
  expect(asked.map((body) => body?.['max_completion_tokens']).slice(-3)).toEqual([512, 2048, 8192])

  // The context of the model ends before its answer does: nothing is wrong with the service.
  const short: Handler = (call, forward) =>
    Number(bodyOfCall(call)?.['max_completion_tokens']) > 1024
      ? refuseFields(['max_completion_tokens'])(call, forward)
      : talking(3000)(call, forward)
  const cut = await judge(() => short, { only: 'wire.json-object,sdk.parse-response-format' })
  expect(failures(cut.report)).toEqual([])
  expect(open(cut.report)).toEqual([
    expect.stringContaining('a bound of 2048 tokens is refused'),
    expect.stringContaining('a bound of 2048 tokens is refused'),
  ])

  const endless = await judge(() => talking(1e9), { only: 'wire.json-object' })
  expect([failures(endless.report), open(endless.report)]).toEqual([
    [],
    [expect.stringContaining('was cut, also at 8192')],
  ])
  expect(endless.report.exitCode).toBe(3)
})

test('no request that may have a long answer is unbounded', { timeout: 40_000, tags: 'slow' }, async () => {
  const { calls } = await judge(() => talking(0), { only: 'CHAT-*,WIRE-10,STREAM-13,STREAM-8,WIRE-6' })
  const bodies = calls.map(bodyOfCall).filter((body) => body !== undefined)
  const bounds = ['max_tokens', 'max_completion_tokens']
  const unbounded = bodies.filter((body) => !bounds.some((bound) => Object.hasOwn(body, bound)))
  // Damaged bytes are sent unchanged.
  expect(unbounded.filter(({ n }) => Number(n ?? 1) > 1)).toEqual([])
  expect(unbounded.length).toBeLessThan(20)
  for (const { n, max_completion_tokens: bound } of bodies)
    if (Number(n) > 100) expect(Number(bound)).toBeLessThanOrEqual(2)
})

test('a model that has the name of the reference echo model is not taken for it', async () => {
  // Its tokens are others: the ids of two characters take nothing out.
  const ignoring = editRequest((body) => without(body, 'logit_bias'))
  const { report } = await judge(() => ignoring, { only: 'wire.logit-bias-removes' })
  expect(report.totals).toMatchObject({ fail: 0, 'not-applicable': 1 })
})
