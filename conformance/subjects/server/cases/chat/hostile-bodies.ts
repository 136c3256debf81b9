// Every request is answered, whatever its body: no server error, no hang, no broken connection (CHAT-9).
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { type Case, type CaseContext, check, checkEach } from '../../case.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { property } from '../../../../generate/property.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { type Verifier, completeAnswer, showBody } from '../../../../../harness/verify/verify.ts'
import { CHAT_PATH, MODELS_PATH } from '../requests/endpoints.ts'
import { oddBodies } from './odd-bodies.ts'
import { oddMessages, oddPaths } from './odd-messages.ts'
import { postRaw, shortBody, validBody } from '../requests/chat-calls.ts'

/** A body that a service may refuse by its size, in bytes. */
const LARGE_BODY_BYTES = 8 * 1024 * 1024

/** The number of attempts: a connection that is closed while a large body goes out may take the answer with it. */
const LARGE_BODY_ATTEMPTS = 3

/** Examples of a property on a model that does not echo: a body that is valid by chance costs it a whole answer. */
const FEW_RUNS = 20

/** The method of a path that every service has: any other may be one that it does not implement. */
function ownMethod(path: string): string | undefined {
  if (path === CHAT_PATH) return 'POST'
  return path === MODELS_PATH || path.startsWith(`${MODELS_PATH}/`) ? 'GET' : undefined
}

/** No 5xx but the 503 of overload, and the 501 for a method. */
export const notServerError: Verifier = (exchange) => {
  const { request, response } = exchange
  const { status } = response
  if (status < 500 || status === 503) return undefined
  if (status === 501 && request.method !== ownMethod(request.path)) return undefined
  return { expected: 'an answer below 500, or 503', actual: `status ${status}, ${showBody(exchange)}` }
}

const answered: readonly Verifier[] = [notServerError, completeAnswer]

/** Members that JSON values of every kind are tried for; messages among them. */
const members = `model messages stream temperature stop max_tokens tools tool_choice
  response_format logit_bias metadata stream_options`.split(/\s+/)

/** Fails unless every body of the property is answered. */
async function everyAnswered(t: CaseContext, bodies: fc.Arbitrary<string | Uint8Array>): Promise<void> {
  const runs = (await t.target.echoes()) ? t.runs : Math.min(t.runs, FEW_RUNS)
  await property(t, bodies, async (body) => t.expect(await postRaw(t, body), ...answered), { runs })
}

export const hostileBodyCases: readonly Case[] = [
  ...checkEach('chat.*', 'CHAT-9', '*', oddBodies).run(async (t, requests) => {
    for (const [body, headers] of requests(await shortBody(t)))
      t.expect(await postRaw(t, body, headers), ...answered)
  }),
  check('chat.random-bytes', 'CHAT-9', 'random bytes').run((t) =>
    everyAnswered(t, fc.uint8Array({ maxLength: 512 })),
  ),
  check('chat.damaged-body', 'CHAT-9', 'a valid body with one byte changed, anywhere').run(async (t) => {
    const valid = Buffer.from(JSON.stringify(await shortBody(t)))
    const change = fc.tuple(fc.nat(valid.length - 1), fc.nat(255))
    const changed = change.map(([at, byte]) => valid.with(at, byte))
    await everyAnswered(t, changed)
  }),
  check('chat.any-json', 'CHAT-9', 'any JSON value for any member').run(async (t) => {
    const valid = await shortBody(t)
    const member = fc.tuple(fc.constantFrom(...members), fc.jsonValue({ maxDepth: 3 }))
    const bodies = member.map(([name, value]) => JSON.stringify({ ...valid, [name]: value }))
    await everyAnswered(t, bodies)
  }),
  check('chat.any-message', 'CHAT-9', 'any JSON value in a message').run(async (t) => {
    const valid = await shortBody(t)
    const message = fc.dictionary(
      fc.constantFrom('role', 'content', 'name', 'tool_calls', 'tool_call_id'),
      fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('system', 'user', 'assistant', 'tool')),
    )
    const bodies = message.map((value) => JSON.stringify({ ...valid, messages: [value] }))
    await everyAnswered(t, bodies)
  }),
  check('chat.odd-messages', 'CHAT-9', 'messages with odd members').run(async (t) => {
    const valid = await shortBody(t)
    for (const messages of oddMessages)
      t.expect(await postRaw(t, JSON.stringify({ ...valid, messages })), ...answered)
  }),
  check('chat.odd-paths', 'CHAT-9', 'odd paths and methods').run(async (t) => {
    for (const [method, path] of oddPaths)
      t.expect(await t.send({ method, path, ...(method === 'GET' ? {} : { body: '{}' }) }), ...answered)
  }),
  check('chat.large-body', 'CHAT-9', `a body of ${LARGE_BODY_BYTES / 1024 / 1024} MiB`).run(async (t) => {
    // Not valid either, so that no model has to read it.
    const { messages: _, ...others } = validBody(t)
    const body = `${JSON.stringify(others).slice(0, -1)},"messages":"${'a'.repeat(LARGE_BODY_BYTES)}"}`
    const exchange = await largeBodyAnswer(t, body)
    // A refusal may quote the refused body. It is then too large for the judge, but not for a client.
    const isQuoted = exchange.response.status >= 400 && exchange.response.end === 'too-large'
    t.expect(exchange, ...(isQuoted ? [notServerError] : answered))
  }),
]

async function largeBodyAnswer(t: CaseContext, body: string): Promise<Exchange> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await postRaw(t, body)
    } catch (error) {
      if (!(error instanceof TransportError) || attempt === LARGE_BODY_ATTEMPTS) throw error
    }
  }
}

/** A path that is not a URI is not well-formed HTTP: a 5xx to it breaks no row. */
const isWellFormed = ({ request }: Exchange): boolean => !/%(?![0-9a-f]{2})/i.test(request.path)

/** A server may fail once for a reason of its own, but not again for the same request. */
function noFailureTwice(): Verifier {
  const failed = new Set<string>()
  return ({ request, response: { status } }) => {
    if (status < 500 || status === 501 || status === 503) return undefined
    const body = createHash('sha256')
      .update(request.body ?? '')
      .digest('base64')
    const key = `${request.method} ${request.path} ${body}`
    if (failed.has(key))
      return { expected: 'no 5xx for a request each time', actual: `status ${status} again` }
    failed.add(key)
    return undefined
  }
}

export const answeredObserver: Observer = observe(
  'chat.every-request-answered',
  'CHAT-9',
  'an answer to every request, and no 5xx twice to one of them',
)
  .with({ includesBroken: true, ofHead: true })
  .on(isWellFormed)
  .compare(noFailureTwice)
