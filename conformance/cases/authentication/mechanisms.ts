// A good key in any other place than the Authorization header lets nobody in (AUTH-6).
import { type Case, defineCase } from '../../runner/case.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import { status } from '../../../harness/verify/verify.ts'
import { chat, requiredEndpoints } from '../requests/endpoints.ts'
import { requireAcceptedKey } from './header-forms.ts'

interface Mechanism {
  readonly slug: string
  readonly title: string
  /** The request with the key in this place. */
  apply(request: RequestSpec, key: string): RequestSpec
  /** True where only a request with a body can carry the key. */
  readonly inBody?: true
}

function queryParameter(name: string): Mechanism {
  return {
    slug: `query-${name.replaceAll('_', '-')}`,
    title: `the query parameter \`${name}\``,
    apply: (request, key) => ({ ...request, path: `${request.path}?${name}=${encodeURIComponent(key)}` }),
  }
}

function headerField(name: string, value: (key: string) => string = (key) => key): Mechanism {
  return {
    slug: name,
    title: `the header \`${name}\``,
    apply: (request, key) => ({ ...request, headers: { ...request.headers, [name]: value(key) } }),
  }
}

function basic(slug: string, title: string, credentials: (key: string) => string): Mechanism {
  return {
    slug,
    title,
    apply: (request, key) => ({
      ...request,
      authorization: `Basic ${Buffer.from(credentials(key)).toString('base64')}`,
    }),
  }
}

const mechanisms: readonly Mechanism[] = [
  ...['api_key', 'apikey', 'key', 'token', 'access_token'].map(queryParameter),
  headerField('x-api-key'),
  headerField('api-key'),
  headerField('x-auth-token'),
  headerField('proxy-authorization', (key) => `Bearer ${key}`),
  headerField('x-authorization', (key) => `Bearer ${key}`),
  headerField('cookie', (key) =>
    ['api_key', 'token', 'access_token', 'session', 'authorization']
      .map((name) => `${name}=${key}`)
      .join('; '),
  ),
  basic('basic', 'Basic, the key as the password', (key) => `user:${key}`),
  basic('basic-user', 'Basic, the key as the user', (key) => `${key}:`),
  {
    slug: 'body-member',
    title: 'a member `api_key` of the body',
    inBody: true,
    apply: (request, key) => ({
      ...request,
      body: `${String(request.body).slice(0, -1)},"api_key":${JSON.stringify(key)}}`,
    }),
  },
]

export const mechanismCases: readonly Case[] = mechanisms.map((mechanism) =>
  defineCase({
    id: `auth.${mechanism.slug}`,
    requirement: 'AUTH-6',
    title: mechanism.title,
    async run(t) {
      const endpoints = mechanism.inBody ? [chat] : requiredEndpoints
      let judged = 0
      for (const endpoint of endpoints) {
        const anonymous = { ...endpoint.request(t), authorization: null }
        const exchange = await t.send(mechanism.apply(anonymous, t.target.key))
        const due = (await t.send(anonymous)).response.status
        // An endpoint that asks for no key at all is a matter of AUTH-1.
        if (due < 300) continue
        // A 400 lets nobody in either: that a check of the request came first is a matter of AUTH-7.
        t.expect(exchange, status(401, 400, due))
        judged += 1
      }
      if (judged === 0) t.inconclusive('no key is asked for at all (AUTH-1)')
      await requireAcceptedKey(t)
    },
  }),
)
