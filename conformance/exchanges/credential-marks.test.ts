// No credential of a recording is written, and everything around it stays.
import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { createCredentialMarks } from './credential-marks.ts'

const key = fc.stringMatching(/^svc_sk_[A-Za-z0-9_-]{20,40}$/)

/** An exchange with the same body both ways, as it is written. */
function marked(
  requestHeaders: readonly (readonly [string, string])[],
  body = '',
  url = 'http://x/v1/models',
) {
  const headers = [['set-cookie', 'session=abcdefghijklmnop; Path=/; Max-Age=60']] as const
  const made = madeExchange({ requestHeaders, requestBody: body, headers, body })
  return createCredentialMarks().apply({ ...made, startedAtMs: 0, request: { ...made.request, url } })
}

test('a key is one mark of its length everywhere, and the other bytes stay', () => {
  forAll(
    key,
    fc.string(),
    fc.constantFrom('Bearer ', 'bearer  ', 'Bearer "', 'Token ', ''),
    (secret, text, scheme) => {
      const quote = scheme.endsWith('"') ? '"' : ''
      const body = JSON.stringify({ text, quoted: `the key ${secret}.` })
      const headers = [['Authorization', scheme + secret + quote]] as const
      const { request, response } = marked(headers, body, `http://x/v1/chat/completions?k=${secret}`)
      const mark = 'key-1'.padEnd(secret.length, '-')
      expect(request.headers).toEqual([['Authorization', scheme + mark + quote]])
      expect(request.url).toBe(`http://x/v1/chat/completions?k=${mark}`)
      expect(Buffer.from(request.body ?? []).toString()).toBe(body.replaceAll(secret, mark))
      expect(Buffer.from(response?.body ?? []).toString()).toBe(body.replaceAll(secret, mark))
    },
  )
})

test.each([
  ['Authorization', 'Basic dXNlcjpwYXNzd29yZA==', 'Basic key-1---------------'],
  ['X-Api-Key', '0123456789abcdef', 'key-1-----------'],
  ['Cookie', 'theme=dark-mode; sid=0123456789', 'theme=key-1----; sid=key-2-----'],
  ['Proxy-Authorization', 'Bearer abc', 'Bearer key-1'],
  ['Content-Type', 'application/json', 'application/json'],
  ['X-RateLimit-Remaining-Tokens', '1000', '1000'],
])('%s: %s', (name, value, expected) => {
  const { request } = marked([[name, value]])
  expect(request.headers).toEqual([[name, expected]])
})

test.each([
  ['{"api_key":"0123456789abcdef"}', '{"api_key":"key-1-----------"}'],
  ['{"id_token": "0123456789abcdef"}', '{"id_token": "key-1-----------"}'],
  ['{"token":"hello","max_tokens":12345678}', '{"token":"hello","max_tokens":12345678}'],
  ['mine is sk-proj-0123456789abc, ok?', 'mine is key-1----------------, ok?'],
])('a body %s', (body, expected) => {
  const { request } = marked([], body)
  expect(Buffer.from(request.body ?? []).toString()).toBe(expected)
})

test.each([
  [
    'a key without a known form is found wherever it stands later',
    '0a1b2c3d4e5f6a7b',
    'key-1-----------',
    true,
  ],
  ['an ordinary word is hidden in a header of credentials alone', 'EMPTY', 'key-1', false],
])('%s', (_, secret, mark, isEverywhere) => {
  const { request } = marked(
    Object.entries({ Authorization: `Bearer ${secret}`, 'X-Mine': secret }),
    `{"a":"${secret}"}`,
  )
  const later = isEverywhere ? mark : secret
  expect(request.headers).toEqual(Object.entries({ Authorization: `Bearer ${mark}`, 'X-Mine': later }))
  expect(Buffer.from(request.body ?? []).toString()).toBe(`{"a":"${later}"}`)
})

test('an address, and attributes of a cookie', () => {
  const { request, response } = marked([], '', 'http://x/v1/models?api_key=0123456789&n=1')
  expect(request.url).toBe('http://x/v1/models?api_key=key-1-----&n=1')
  expect(response?.headers).toEqual([['set-cookie', 'session=key-2-----------; Path=/; Max-Age=60']])
})
