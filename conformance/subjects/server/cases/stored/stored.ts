// Stored completions: `store: true` is refused by name, or the completion can be retrieved, listed, read, updated and deleted by
// its key alone (WIRE-33, AUTH-1).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import {
  type Verifier,
  bodyMember,
  jsonBody,
  showBody,
  status,
} from '../../../../../harness/verify/verify.ts'
import { contentOf } from '../../../../../harness/verify/verify-completion.ts'
import { namesField } from '../../../../contract/capabilities.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { PROMPT, isSuccess, messagesOf, named, plainAnswer, succeeded } from '../requests/chat-calls.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'
import { fakeKey, fakeWord } from '../requests/failing.ts'

/** A stored completion may need some time to appear: it is requested this often, with these pauses in milliseconds. */
const TRIES = 4
const PAUSE_MS = 1000

const METADATA = { purpose: 'conformance' }

/** The list, with more entries than its default. */
const LIST = `${CHAT_PATH}?limit=100&order=desc`

interface Stored {
  readonly id: string
  readonly path: string
  /** The answer that was stored. */
  readonly answer: Exchange
}

/** Sends a request until its answer holds, or the tries are over. */
async function eventually(t: CaseContext, request: RequestSpec, verifier: Verifier): Promise<Exchange> {
  for (let tries = 1; ; tries += 1) {
    const exchange = await t.send(request)
    if (tries === TRIES || verifier(exchange, t.target) === undefined) return exchange
    await t.sleep(PAUSE_MS)
  }
}

/** Requests a completion that is stored; undefined if the target refuses that without its name. */
async function requestStored(t: CaseContext): Promise<Exchange> {
  const exchange = await t.chat({ messages: messagesOf(PROMPT), store: true })
  if (exchange.response.status === 400 && namesField(exchange, 'store'))
    t.notApplicable('the target refuses `store: true` by name')
  return exchange
}

/** Judges a stored completion by `judge`, and deletes it. Not applicable if none can be retrieved. */
async function withStored(t: CaseContext, judge: (stored: Stored) => Promise<void>): Promise<void> {
  const answer = await requestStored(t)
  const id = at(json(answer), 'id')
  const path = `${CHAT_PATH}/${typeof id === 'string' ? encodeURIComponent(id) : ''}`
  const isThere = isSuccess(answer) && typeof id === 'string'
  if (!isThere || !isSuccess(await eventually(t, { path }, succeeded)))
    return t.notApplicable('no completion can be retrieved, which `stored.retrieved` judges')
  try {
    await judge({ id, path, answer })
  } finally {
    await t.send({ method: 'DELETE', path })
  }
}

function member(path: string, wanted: unknown): Verifier {
  return jsonBody(bodyMember(path, show(wanted), (value) => value === wanted))
}

/** The list in a body has an entry for which `holds` holds. */
function entry(what: string, holds: (entry: unknown) => boolean): Verifier {
  return (exchange) => {
    if (isSuccess(exchange) && listAt(json(exchange), 'data').some(holds)) return undefined
    return {
      expected: `data with ${what}`,
      actual: `status ${exchange.response.status}, ${showBody(exchange)}`,
    }
  }
}

const listed = (id: string): Verifier => entry(`the completion ${id}`, (one) => at(one, 'id') === id)
const message = entry('the message of the user', (one) => at(one, 'content') === PROMPT)

/** A completion that this key may not see. */
const invisible: Verifier = status(404, 403)

const sameContent =
  (answer: Exchange): Verifier =>
  (exchange) => {
    const [wanted, got] = [contentOf(answer), contentOf(exchange)]
    return wanted === got ? undefined : { expected: `the stored text ${show(wanted)}`, actual: show(got) }
  }

const storedCases: readonly Case[] = [
  check(
    'stored.retrieved',
    'WIRE-33',
    '`store: true`: refused by name, or the completion can be retrieved',
  ).run(async (t) => {
    const answer = await requestStored(t)
    if (!isSuccess(answer)) await plainAnswer(t)
    if (!isSuccess(answer)) t.expect(answer, status(400), named(['store']))
    const id = at(json(answer), 'id')
    if (typeof id !== 'string') return t.inconclusive('the completion has no id, which WIRE-1 judges')
    const path = `${CHAT_PATH}/${encodeURIComponent(id)}`
    const exchange = await eventually(t, { path }, succeeded)
    t.expect(exchange, succeeded, member('id', id), sameContent(answer))
    await t.send({ method: 'DELETE', path })
  }),
  check('stored.listed', 'WIRE-33', 'a stored completion in the list, and its messages').run((t) =>
    withStored(t, async ({ id, path }) => {
      t.expect(await eventually(t, { path: LIST }, listed(id)), listed(id))
      const messages = { path: `${path}/messages` }
      t.expect(await eventually(t, messages, message), message)
    }),
  ),
  check('stored.updated', 'WIRE-33', 'the metadata of a stored completion are updated').run((t) =>
    withStored(t, async ({ path }) => {
      const updated = member('metadata.purpose', METADATA.purpose)
      t.expect(await t.send({ path, body: JSON.stringify({ metadata: METADATA }) }), succeeded)
      t.expect(await eventually(t, { path }, updated), succeeded, updated)
    }),
  ),
  check('stored.deleted', 'WIRE-33', 'a stored completion is a 404 after it was deleted').run((t) =>
    withStored(t, async ({ path }) => {
      t.expect(await t.send({ method: 'DELETE', path }), succeeded)
      t.expect(await eventually(t, { path }, status(404)), status(404))
    }),
  ),
  check('stored.other-key', 'WIRE-33', 'a stored completion is invisible to another key').run(
    (t: CaseContext) =>
      withStored(t, async ({ id, path }) => {
        const authorization = `Bearer ${await t.target.secondKey()}`
        t.expect(await t.send({ path, authorization }), invisible)
        t.expect(await t.send({ path: `${path}/messages`, authorization }), invisible)
        const list = await t.send({ path: LIST, authorization })
        const isSeen = listed(id)(list, t.target) === undefined
        t.assert(!isSeen, { expected: 'no completion of another key', actual: showBody(list) }, list)
        await t.send({ method: 'DELETE', path, authorization })
        t.expect(await t.send({ path }), succeeded)
      }),
  ),
]

/** The refusal of a key at an address of stored completions. An address that does not exist may be a 404 or 405. */
async function expectClosed(t: CaseContext, authorization: string | null): Promise<void> {
  const path = `${CHAT_PATH}/${fakeWord(t.seed, 'stored completion')}`
  let judged = 0
  for (const address of [CHAT_PATH, path, `${path}/messages`]) {
    const exchange = await t.send({ path: address, authorization })
    const code = exchange.response.status
    // An address that exists for the key of the target must be closed to others.
    const isOffered = code === 401 || isSuccess(await t.send({ path: CHAT_PATH }))
    if (code >= 300 && !isOffered) continue
    judged += 1
    t.expect(exchange, status(401))
  }
  if (judged === 0) t.notApplicable('the target has no address of stored completions')
}

export const closedCases: readonly Case[] = [
  check('auth.stored-without-a-key', 'AUTH-1', 'the addresses of stored completions without a key').run((t) =>
    expectClosed(t, null),
  ),
  check(
    'auth.stored-with-an-unknown-key',
    'AUTH-1',
    'the addresses of stored completions with an unknown key',
  ).run((t) => expectClosed(t, `Bearer ${fakeKey(t.seed, 'stored')}`)),
]

export const cases: readonly Case[] = [...storedCases, ...closedCases]
