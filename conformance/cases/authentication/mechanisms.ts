// A valid key anywhere but in the Authorization header is not accepted (AUTH-6).
import { type Case, check } from '../../runner/case.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import { status } from '../../../harness/verify/verify.ts'
import { type Endpoint, chat, endpoints, streamedChat } from '../requests/endpoints.ts'
import { requireAcceptedKey } from './every-endpoint.ts'
import { fakeKey } from '../requests/fake.ts'

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

const mechanisms: Readonly<
  Record<string, readonly [title: string, apply: Mechanism, on?: readonly Endpoint[]]>
> = {
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

const withoutHeader: readonly Case[] = Object.entries(mechanisms).map(([slug, [title, apply, on]]) =>
  check(`auth.${slug}`, 'AUTH-6', title).run(async (t) => {
    let judged = 0
    for (const endpoint of on ?? endpoints) {
      const anonymous = { ...endpoint.request(t), authorization: null }
      const exchange = await t.send(apply(anonymous, t.target.key))
      const due = (await t.send(anonymous)).response.status
      // AUTH-1 judges an endpoint that needs no key.
      if (due < 300) continue
      // A 400 is a refusal too; AUTH-7 judges that the request was checked first.
      t.expect(exchange, status(401, 400, due))
      judged += 1
    }
    if (judged === 0) t.inconclusive('no endpoint requires a key (AUTH-1)')
    await requireAcceptedKey(t)
  }),
)

/** The same beside a wrong key in the header. */
const besideWrong: readonly Case[] = Object.entries(mechanisms)
  // Basic credentials take the place of the wrong key.
  .filter(([slug]) => !slug.startsWith('basic'))
  .map(([slug, [title, apply, on]]) =>
    check(`auth.${slug}-beside-a-wrong-key`, 'AUTH-6', `${title}, beside a wrong key`).run(async (t) => {
      const authorization = `Bearer ${fakeKey(t.seed, slug)}`
      let judged = 0
      for (const endpoint of on ?? endpoints) {
        const wrong = { ...endpoint.request(t), authorization }
        const exchange = await t.send(apply(wrong, t.target.key))
        const { status: code } = exchange.response
        // AUTH-1 judges an endpoint that accepts a wrong key, and AUTH-4 one that refuses it in another way.
        const due = code === 401 || code === 400 ? code : (await t.send(wrong)).response.status
        if (due < 300) continue
        t.expect(exchange, status(401, 400, due))
        judged += 1
      }
      if (judged === 0) t.inconclusive('no endpoint refuses a wrong key (AUTH-1)')
      await requireAcceptedKey(t)
    }),
  )

export const mechanismCases: readonly Case[] = [...withoutHeader, ...besideWrong]
