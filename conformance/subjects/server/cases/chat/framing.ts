// A valid request in the HTTP framings of client libraries (CHAT-10).
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { completeAnswer } from '../../../../../harness/verify/verify.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { isSuccess, noted, post, shortBody, succeeded } from '../requests/chat-calls.ts'
import { requireOrdinary } from '../streaming/streamed-answers.ts'

/**
 * How long a connection is idle before it is used again, in milliseconds. A server may close it at the very moment of
 * the request, which no client can prevent, but not after both times.
 */
const IDLE_MS = [2200, 3000]

/** The headers of each framing: '' removes one. */
const framings: Variants<[headers: Readonly<Record<string, string>>]> = {
  charset: ['a content type with `charset=utf-8`', { 'content-type': 'application/json; charset=utf-8' }],
  chunked: [
    'a body of chunks, whose length is not announced',
    { 'content-length': '', 'transfer-encoding': 'chunked' },
  ],
  expect: ['`Expect: 100-continue`', { expect: '100-continue' }],
  upgrade: [
    '`Upgrade: h2c` with its settings',
    {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
    },
  ],
  'no-accept': ['no `Accept` header', { accept: '' }],
}

export const framingCases: readonly Case[] = [
  ...checkEach('chat.framing-*', 'CHAT-10', '*', framings).run(async (t, headers) => {
    const exchange = await framed(t, { headers })
    // A client that offers HTTP/2 reads the answer in it.
    if (exchange.response.status === 101) t.notApplicable('the service switches to the offered protocol')
    t.expect(exchange, succeeded, completeAnswer)
  }),
  check('chat.framing-upper-case-charset', 'CHAT-10', 'a content type with `charset=UTF-8`').run(
    async (t) => {
      const headers = { 'content-type': 'application/json; charset=UTF-8' }
      t.expect(await framed(t, { headers }), succeeded, completeAnswer)
    },
  ),
  check('chat.framing-streamed', 'CHAT-10', 'a streamed request in each of these framings').run(async (t) => {
    for (const [title, headers] of Object.values(framings)) {
      const exchange = await framed(t, { headers }, { stream: true })
      // A client that offers HTTP/2 reads the answer in it.
      if (exchange.response.status === 101) continue
      t.expect(exchange, noted(succeeded, title), completeAnswer)
    }
  }),
  check('chat.framing-idle', 'CHAT-10', 'a connection that was idle for some seconds')
    .with({ waits: true })
    .run(async (t: CaseContext) => {
      const connection = 'idle'
      let exchange: Exchange | undefined
      for (const idleMs of IDLE_MS) {
        await framed(t, { connection })
        await t.sleep(idleMs)
        exchange = await framed(t, { connection })
        t.expect(exchange, succeeded, completeAnswer)
        if (exchange.reconnected !== true) return
      }
      const seconds = IDLE_MS.map((ms) => ms / 1000).join(' and after ')
      t.assert(
        false,
        {
          expected: 'an answer on the idle connection, or its end before the next request',
          actual: `the connection closed by the request on it, after ${seconds} s`,
        },
        exchange,
      )
    }),
]

/** Sends a short valid request. Inconclusive if the service does not answer it in the usual framing either. */
async function framed(
  t: CaseContext,
  request: Partial<RequestSpec>,
  members: Members = {},
): Promise<Exchange> {
  const body = { ...(await shortBody(t)), ...members }
  const usual = () => requireOrdinary(t, members['stream'] === true)
  try {
    const exchange = await post(t, body, request)
    if (!isSuccess(exchange) && exchange.response.status !== 101) await usual()
    return exchange
  } catch (error) {
    if (error instanceof TransportError) await usual()
    throw error
  }
}
