// Deployments that are right, each odd in one way that the text allows: none is blamed for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type ConformanceOptions, type Report, runConformance } from './run-conformance.ts'
import { type Call, KEY, type Reply, rightly } from './cases/scripted/scripted-chat.fixture.ts'
import { startTestServer } from '../harness/http-server.fixture.ts'
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
        if (chat(call) && cold) await sleep(2_500)
        if (chat(call)) cold = false
        return right(call)
      },
    },
    { only: 'CHAT-1,CHAT-8,CHAT-9', timeoutMs: 1000 },
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
