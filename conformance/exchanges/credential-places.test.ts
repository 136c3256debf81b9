// No credential in a usual place reaches a recording: names of headers, parameters and members, and forms of keys.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import type { Headers } from '../../harness/http/exchange.ts'
import { createCredentialMarks } from './credential-marks.ts'

const SECRET = 'Zk3v9QeWq1xR7tYb5nUo2mLc'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'

interface Sent {
  readonly headers?: Headers
  readonly url?: string
  readonly body?: string | Buffer
}

/** Everything that a recording of this exchange has. */
function recorded({ headers = [], url = 'http://x/v1/models', body = '' }: Sent): string {
  const made = madeExchange({ requestHeaders: headers, requestBody: '' })
  const request = { ...made.request, url, path: new URL(url).pathname, body: Buffer.from(body) }
  const kept = createCredentialMarks().apply({ ...made, startedAtMs: 0, request }).request
  return JSON.stringify([kept.headers, kept.url, Buffer.from(kept.body ?? []).toString('latin1')])
}

const headerNames =
  'Authorization Proxy-Authorization api-key X-Api-Key Ocp-Apim-Subscription-Key X-Functions-Key X-Goog-Api-Key X-Amz-Security-Token X-Vault-Token Private-Token Job-Token X-GitLab-Token cf-aig-authorization CF-Access-Client-Secret Helicone-Auth X-Password X-Auth-Token X-Csrf-Token X-Session-Id X-Webhook-Signature X-Ms-Token-Aad-Access-Token'
const headerForms = [
  '*',
  'Bearer *',
  'Token token=*',
  'Digest username="u", response="*", realm="r"',
  'OAuth oauth_token="*", oauth_version="1.0"',
  'AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=*',
]
const parameters =
  'key api_key api-key access_token token client_secret password code sas sig X-Amz-Signature X-Amz-Security-Token jwt auth subscription-key'
const members =
  'api_key apiKey password client_secret secret access_token refresh_token id_token token authorization Authorization private_key secret_access_key credentials cookie jwt X-Api-Key'

test.each(headerNames.split(' '))('the header %s', (name) => {
  for (const form of headerForms)
    expect(recorded({ headers: [[name, form.replace('*', SECRET)]] })).not.toContain(SECRET)
})

test.each(['Cookie', 'Set-Cookie'])('%s', (name) => {
  expect(recorded({ headers: [[name, `sid=${SECRET}; Path=/`]] })).not.toContain(SECRET)
})

test.each(parameters.split(' '))('the parameter %s', (name) => {
  const url = `http://x/v1/models?a=1&${name}=${SECRET}`
  expect(recorded({ url })).not.toContain(SECRET)
  expect(recorded({ headers: [['Referer', url]] })).not.toContain(SECRET)
  expect(recorded({ body: `a=1&${name}=${SECRET}` })).not.toContain(SECRET)
  const part = `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${SECRET}\r\n--b--`
  expect(recorded({ body: part })).not.toContain(SECRET)
})

test.each(members.split(' '))('the member %s', (name) => {
  const body = JSON.stringify({ tools: [{ headers: { [name]: SECRET } }] })
  expect(recorded({ body })).not.toContain(SECRET)
  const headers: Headers = [['Content-Encoding', 'gzip']]
  expect(recorded({ headers, body: gzipSync(body) })).not.toContain(SECRET)
})

test.each([
  JWT,
  'AKIAIOSFODNN7EXAMPLE',
  'glpat-x9y8z7w6v5u4t3s2r1q0',
  'github_pat_11ABCDEFG0aBcDeFgHiJkL',
  'xoxb-123456789012-abcdefGHIJKL',
  'AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q',
  'hvs.CAESIJ1a2b3c4d5e6f7g8h9i0',
])('the form of %s', (key) => {
  expect(recorded({ body: JSON.stringify({ content: `use ${key} now` }) })).not.toContain(key)
})

test('a private key', () => {
  const text = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow9x\n'.repeat(20)}-----END RSA PRIVATE KEY-----`
  expect(recorded({ body: JSON.stringify({ text }) })).not.toContain('MIIEow9x')
})

test('the password of an address', () => {
  expect(recorded({ headers: [['X-Upstream', `https://u:${SECRET}@a.example/`]] })).toContain('X-Upstream')
  expect(recorded({ url: `http://u:${SECRET}@x/v1/models` })).not.toContain(SECRET)
})

test('texts, limits and log probabilities stay', () => {
  const shown = {
    logprobs: [{ token: ' understanding', logprob: -1 }],
    content: 'Your password must have a token.',
    max_tokens: 12_345_678,
  }
  const headers: Headers = [
    ['X-RateLimit-Remaining-Tokens', '123456'],
    ['WWW-Authenticate', 'Bearer realm="api"'],
  ]
  const text = recorded({ headers, body: JSON.stringify(shown) })
  expect(text).toContain(JSON.stringify(JSON.stringify(shown)).slice(1, -1))
  for (const [, value] of headers) expect(text).toContain(JSON.stringify(value))
})

test('the credentials that one body adds are bounded, and all are hidden', () => {
  const words = Array.from({ length: 20_000 }, (_, place) => `sk-abcdefgh${place.toString(36)}Zq9x1`)
  const text = recorded({ body: JSON.stringify({ content: words.join(' ') }) })
  expect(text).not.toMatch(/sk-abcdefgh/)
})
