// A valid key anywhere but in the Authorization header is not accepted (AUTH-6).
import { type Case, type CaseContext, type Variants, checkEach } from '../../case.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { status } from '../../../../../harness/verify/verify.ts'
import { type Endpoint, chat, endpoints, streamedChat } from '../requests/endpoints.ts'
import { requireAcceptedKey } from './every-endpoint.ts'
import { fakeKey } from '../requests/failing.ts'

/** Returns the request with the key in one place. */
type Mechanism = (request: RequestSpec, key: string) => RequestSpec

function queryParameter(name: string): Mechanism {
  return (request, key) => ({ ...request, path: `${request.path}?${name}=${encodeURIComponent(key)}` })
}

function headerField(name: string, value: (key: string) => string = (key) => key): Mechanism {
  return (request, key) => ({ ...request, headers: { ...request.headers, [name]: value(key) } })
}

function basic(credentials: (key: string) => string): Mechanism {
  return (request, key) => ({
    ...request,
    authorization: `Basic ${Buffer.from(credentials(key)).toString('base64')}`,
  })
}

const bearer = (key: string): string => `Bearer ${key}`
const COOKIES = ['api_key', 'token', 'access_token', 'session', 'authorization']
const cookies = (key: string): string => COOKIES.map((name) => `${name}=${key}`).join('; ')

const mechanisms: Variants<[apply: Mechanism, on?: readonly Endpoint[]]> = {
  'query-api-key': ['the query parameter `api_key`', queryParameter('api_key')],
  'query-apikey': ['the query parameter `apikey`', queryParameter('apikey')],
  'query-key': ['the query parameter `key`', queryParameter('key')],
  'query-token': ['the query parameter `token`', queryParameter('token')],
  'query-access-token': ['the query parameter `access_token`', queryParameter('access_token')],
  'x-api-key': ['the header `x-api-key`', headerField('x-api-key')],
  'api-key': ['the header `api-key`', headerField('api-key')],
  'x-auth-token': ['the header `x-auth-token`', headerField('x-auth-token')],
  'proxy-authorization': ['the header `proxy-authorization`', headerField('proxy-authorization', bearer)],
  'x-authorization': ['the header `x-authorization`', headerField('x-authorization', bearer)],
  cookie: ['the header `cookie`', headerField('cookie', cookies)],
  basic: ['Basic, the key as the password', basic((key) => `user:${key}`)],
  'basic-user': ['Basic, the key as the user', basic((key) => `${key}:`)],
  'body-member': [
    'a member `api_key` of the body',
    ({ body, ...request }, key) => ({
      ...request,
      body: `${String(body).slice(0, -1)},"api_key":${JSON.stringify(key)}}`,
    }),
    [chat, streamedChat],
  ],
}

/** Sends the key in this place, and these credentials in the header, to each endpoint. */
async function expectRefused(
  t: CaseContext,
  apply: Mechanism,
  on: readonly Endpoint[] = endpoints,
  authorization: string | null = null,
): Promise<void> {
  let judged = 0
  for (const endpoint of on) {
    const request = { ...endpoint.request(t), authorization }
    const exchange = await t.send(apply(request, t.target.key))
    const { status: code } = exchange.response
    const isRefused = authorization !== null && (code === 401 || code === 400)
    // AUTH-1 judges an endpoint that accepts these credentials alone, AUTH-4 one that refuses them in another way.
    const due = isRefused ? code : (await t.send(request)).response.status
    if (due < 300) continue
    // A 400 is a refusal too; AUTH-7 judges that the request was checked first.
    t.expect(exchange, status(401, 400, due))
    judged += 1
  }
  const what = authorization === null ? 'requires a key' : 'refuses a wrong key'
  if (judged === 0) t.inconclusive(`no endpoint ${what} (AUTH-1)`)
  await requireAcceptedKey(t)
}

/** Basic credentials take the place of a wrong key. */
const { basic: _, 'basic-user': __, ...besideKey } = mechanisms

export const mechanismCases: readonly Case[] = [
  ...checkEach('auth.*', 'AUTH-6', '*', mechanisms).run((t, apply, on) => expectRefused(t, apply, on)),
  ...checkEach('auth.*-beside-a-wrong-key', 'AUTH-6', '*, beside a wrong key', besideKey).run(
    (t, apply, on) => expectRefused(t, apply, on, `Bearer ${fakeKey(t.seed, 'beside')}`),
  ),
]
