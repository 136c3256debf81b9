// Keys: several are valid at once (KEY-3), revocation works immediately (KEY-4) and for good (KEY-5), and the API has
// no endpoint for keys (KEY-6). They start as the specification says (KEY-11).
import { KEY_PREFIX } from '../../../../../spec/protocol/key.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { MadeKey } from '../../../../../harness/keys/key-command.ts'
import { refused, status } from '../../../../../harness/verify/verify.ts'
import {
  type Endpoint,
  chat,
  endpoints,
  keyAccepted,
  modelList,
  modelRecord,
  requiredEndpoints,
  streamedChat,
} from '../requests/endpoints.ts'
import { requireKeyed } from '../authentication/every-endpoint.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { keyIfPossible } from '../requests/limited-key.ts'
import { fakeWord } from '../requests/failing.ts'

/** Concurrent requests, enough to reach several connections, workers and instances. */
const AT_ONCE = 8

/** How often a revoked key is tried. */
const ROUNDS = 3

/** When it is tried again: a cache may forget the revocation by then, in milliseconds. */
const LATER_MS = 3000

const invalidKey = refused(401, { code: 'invalid_api_key' })

function sendWith(t: CaseContext, endpoint: Endpoint, key: string): Promise<Exchange> {
  return t.send({ ...endpoint.request(t), authorization: `Bearer ${key}` })
}

/** Uses a key once, so that caches know it. It must be accepted, or its refusal shows nothing. */
async function useKey(t: CaseContext, endpoint: Endpoint, key: string): Promise<void> {
  const { status: code } = (await sendWith(t, endpoint, key)).response
  if (endpoint === modelRecord && code === 404) t.notApplicable('models have no records')
  if (code !== 200) t.inconclusive(`a good key was answered with ${code}, so a refusal of it shows nothing`)
}

/** Makes a key for a case that only adds to others; without a key command the case does not apply. */
async function makeKey(t: CaseContext): Promise<MadeKey> {
  const key = await keyIfPossible(t)
  return key ?? t.notApplicable('no key can be made without a key command: only given keys are judged')
}

const several: readonly Case[] = [
  ...requiredEndpoints.map((endpoint) =>
    check(`keys.two-at-once-${endpoint.slug}`, 'KEY-3', `two keys in turn on ${endpoint.title}`).run(
      async (t) => {
        const second = await t.target.secondKey()
        for (let round = 0; round < (t.quick ? 1 : 2); round++) {
          t.expect(await sendWith(t, endpoint, t.target.key), keyAccepted('the main key'))
          t.expect(await sendWith(t, endpoint, second), keyAccepted('the second key'))
        }
      },
    ),
  ),
  check('keys.creation-disables-none', 'KEY-3', 'a key, after another one was made').run(async (t) => {
    const earlier = await t.target.secondKey()
    await useKey(t, modelList, earlier)
    const { secret: later } = await makeKey(t)
    t.expect(await sendWith(t, modelList, later), keyAccepted('the later key'))
    t.expect(await sendWith(t, modelList, earlier), keyAccepted('the earlier key'))
    t.expect(await sendWith(t, modelList, t.target.key), keyAccepted('the main key'))
  }),
]

const atOnce: readonly Case[] = [
  // Concurrent requests for the model list are below: to make a key is what takes time.
  ...[chat, streamedChat, modelRecord].map((endpoint) =>
    check(
      `keys.revoked-then-${endpoint.slug}`,
      'KEY-4',
      `the first request after a revocation: ${endpoint.title}`,
    ).run(async (t) => {
      const key = await t.target.createKey()
      await useKey(t, endpoint, key.secret)
      await t.target.revokeKey(key.id)
      t.expect(await sendWith(t, endpoint, key.secret), invalidKey)
    }),
  ),
  check('keys.revoked-everywhere', 'KEY-4', `${AT_ONCE} requests at the same time after a revocation`).run(
    async (t) => {
      const key = await t.target.createKey()
      const all = (): Promise<Exchange[]> =>
        Promise.all(Array.from({ length: AT_ONCE }, () => sendWith(t, modelList, key.secret)))
      await useKey(t, modelList, key.secret)
      await all()
      await t.target.revokeKey(key.id)
      for (const exchange of await all()) t.expect(exchange, invalidKey)
    },
  ),
]

const forGood: readonly Case[] = [
  ...endpoints.map((endpoint) =>
    check(
      `keys.revoked-stays-refused-${endpoint.slug}`,
      'KEY-5',
      `a revoked key, again and again, on ${endpoint.title}`,
    ).run(async (t) => {
      const key = await t.target.revokedKey()
      for (let round = 0; round < (t.quick ? 2 : ROUNDS); round++) {
        const exchange = await sendWith(t, endpoint, key)
        await requireKeyed(t, endpoint, exchange)
        t.expect(exchange, status(401))
      }
    }),
  ),
  check(
    'keys.revoked-later',
    'KEY-5',
    `a revoked key ${LATER_MS / 1000} s later, ${AT_ONCE} times at once on every endpoint`,
  )
    .with({ waits: true })
    .run(async (t) => {
      const old = await makeKey(t)
      await useKey(t, modelList, old.secret)
      await t.target.revokeKey(old.id)
      await sendWith(t, modelList, old.secret)
      await t.sleep(LATER_MS)
      for (const endpoint of requiredEndpoints) {
        const all = Array.from({ length: AT_ONCE }, () => sendWith(t, endpoint, old.secret))
        for (const exchange of await Promise.all(all)) t.expect(exchange, status(401))
      }
    }),
  check(
    'keys.revoked-after-use',
    'KEY-5',
    'a key that was used and then revoked, again and again, and after a new one was made',
  ).run(async (t) => {
    const old = await makeKey(t)
    await useKey(t, modelList, old.secret)
    // Each endpoint may have its own cache of keys.
    const used: Endpoint[] = []
    for (const endpoint of endpoints)
      if (isSuccess(await sendWith(t, endpoint, old.secret))) used.push(endpoint)
    await t.target.revokeKey(old.id)
    for (let round = 0; round < ROUNDS; round++)
      for (const endpoint of used) t.expect(await sendWith(t, endpoint, old.secret), status(401))
    const { secret } = await makeKey(t)
    await useKey(t, modelList, secret)
    t.expect(await sendWith(t, modelList, old.secret), status(401))
  }),
]

/** The paths that KEY-6 names. */
const keyPaths = [
  { slug: 'keys', path: '/v1/keys' },
  { slug: 'api-keys', path: '/v1/api_keys' },
  { slug: 'api-keys-hyphen', path: '/v1/api-keys' },
  { slug: 'organization-api-keys', path: '/v1/organization/api_keys' },
]

/** The statuses of an endpoint that does not exist. */
const ABSENT = [401, 404, 405, 501]

/** Nothing is there. If every unknown path is answered in the same way, ERR-5 is to blame. */
async function expectAbsent(t: CaseContext, request: RequestSpec): Promise<void> {
  const exchange = await t.send(request)
  const { status: code } = exchange.response
  const unknown = { ...request, path: `/v1/${fakeWord(t.seed, 'no such path')}` }
  if (!ABSENT.includes(code) && (await t.send(unknown)).response.status === code)
    t.inconclusive(`any path under /v1 is answered with ${code}, whether it exists or not (ERR-5)`)
  t.expect(exchange, status(...ABSENT))
}

const noEndpoint: readonly Case[] = [
  ...keyPaths.flatMap(({ slug, path }) => [
    check(`keys.no-list-at-${slug}`, 'KEY-6', `GET ${path}`).run((t) => expectAbsent(t, { path })),
    check(`keys.no-creation-at-${slug}`, 'KEY-6', `POST ${path}`).run((t) =>
      expectAbsent(t, { path, body: JSON.stringify({ name: 'touchstone' }) }),
    ),
  ]),
  check('keys.no-revocation', 'KEY-6', 'DELETE of a key by its id').run(async (t) => {
    // A service that can revoke keys does not find a fake id either, so an existing key is tried if possible.
    const id = encodeURIComponent((await keyIfPossible(t))?.id ?? 'key_1')
    for (const { path } of keyPaths) await expectAbsent(t, { method: 'DELETE', path: `${path}/${id}` })
  }),
]

function assertPrefix(t: CaseContext, key: string): void {
  if (key === '') t.notApplicable('the service needs no key')
  t.assert(key.startsWith(KEY_PREFIX), {
    expected: `a key that starts with ${KEY_PREFIX}`,
    actual: 'a key that starts otherwise; its value is not shown',
  })
}

const prefixes: readonly Case[] = [
  check('keys.given-prefix', 'KEY-11', 'the key of the run')
    .with({ sendsNothing: true })
    .run(async (t) => assertPrefix(t, t.target.key)),
  check('keys.made-prefix', 'KEY-11', 'a key that was made')
    .with({ sendsNothing: true })
    .run(async (t) => assertPrefix(t, (await makeKey(t)).secret)),
]

export const cases: readonly Case[] = [...several, ...atOnce, ...forGood, ...noEndpoint, ...prefixes]
