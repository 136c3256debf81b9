// No credential of a recording is written, and everything around it stays.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { CODED, CUT, recovered, surroundings } from '../../spec/protocol/coded.fixture.ts'
import { withinTime } from '../../harness/bounds/within-time.ts'
import { createCredentialMarks } from './credential-marks.ts'

/** Keys that have no other form of a key in them backwards. */
const key = fc
  .stringMatching(/^svc_sk_[A-Za-z0-9_-]{20,40}$/)
  .filter((text) => !/[-_](?:ks|kp|ksg|fh|iax|phg)-/.test(text))

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

const bodyOf = (body: string, key?: string): string => {
  const headers = key === undefined ? [] : [['Authorization', `Bearer ${key}`] as const]
  return Buffer.from(marked(headers, body).request.body ?? []).toString()
}

describe.each([...Object.entries(CODED), ...Object.entries(CUT)])('a key %s', (name, encode) => {
  test('is one mark of its credential and of its length, and nothing of it is recovered', () => {
    forAll(key, surroundings, (secret, [before, after]) => {
      const body = before + encode(secret) + after
      const shown = bodyOf(body, secret)
      expect(recovered(shown.replaceAll(/key-\d+-*/g, '\n'), secret)).toEqual([])
      expect(Buffer.byteLength(shown)).toBe(Buffer.byteLength(body))
      expect(shown.startsWith(before)).toBe(true)
      expect(shown.endsWith(after)).toBe(true)
      // These have the form of another key.
      if (name !== 'the first twelve characters' && name !== 'in lower case')
        expect(new Set(shown.match(/key-\d+/g))).toEqual(new Set(['key-1']))
    })
  })

  test.skipIf(name in CUT)('is a mark although its credential is not known', () => {
    forAll(key, surroundings, (secret, [before, after]) => {
      const shown = bodyOf(before + encode(secret) + after).replaceAll(/key-\d+-*/g, '\n')
      expect(recovered(shown, secret.slice(7))).toEqual([])
    })
  })
})

test.each(['in hex', 'in upper case', 'percent-encoded'])('a key %s is its mark each time', (name) => {
  forAll(key, (secret) => {
    const marks = createCredentialMarks([secret])
    const coded = CODED[name]?.(secret) ?? ''
    for (let times = 0; times < 2; times++)
      expect(marks.text(`<${coded}>`)).toBe(`<${'key-1'.padEnd(coded.length, '-')}>`)
    expect(marks.text(`<${secret.slice(-12)}>`)).toBe('<key-1------->')
  })
})

test('a key that is the beginning of another keeps its own mark', () => {
  const plain = fc.stringMatching(/^[a-z]\d[A-Z0-9]{20,40}$/)
  forAll(fc.oneof(key, plain), (secret) => {
    const marks = createCredentialMarks([secret, `${secret}x`, secret.toUpperCase()])
    const [whole, longer] = ['key-1', 'key-2'].map((mark, more) => mark.padEnd(secret.length + more, '-'))
    expect(marks.text(`${secret}x ${secret}`)).toBe(`${longer} ${whole}`)
  })
})

test('a key before an escaped line end is the key', () => {
  forAll(key, (secret) => {
    const marks = createCredentialMarks([secret])
    const mark = 'key-1'.padEnd(secret.length, '-')
    expect(marks.text(`"a\\n${secret}\\nb"`)).toBe(`"a\\n${mark}\\nb"`)
  })
})

test('a longer key than a known one is another', () => {
  forAll(key, (secret) => {
    const marks = createCredentialMarks([secret])
    expect(marks.text(`${secret}x`)).toBe('key-2'.padEnd(secret.length + 1, '-'))
  })
})

/** Values of cookies, headers and members in which words and numbers of other text stand. */
const WORDS = [
  'accepted-all-categories',
  'dark-mode',
  'GA1.1.1234567890.1700000000',
  'My-Long-Development-Key',
]

test('the words and numbers of a credential stay elsewhere', () => {
  const marks = createCredentialMarks(WORDS)
  const text =
    '{"model":"m","created":1700000000,"content":"accepted all categories, in dark mode: long development"}'
  expect(marks.text(text)).toBe(text)
  for (const [index, word] of WORDS.entries())
    expect(marks.text(word)).toBe(`key-${index + 1}`.padEnd(word.length, '-'))
})

test('credentials beyond the most that are known are forgotten, the oldest first', () => {
  const secrets = Array.from({ length: 3000 }, (_, index) =>
    createHash('sha256').update(String(index)).digest('base64url'),
  )
  const given = 'Qm7xT2vKp9ZrWdHc4nB8'
  const marks = createCredentialMarks([given])
  for (const secret of secrets) marks.of(secret)
  const [first = '', last = ''] = [secrets[0], secrets.at(-1)]
  expect(marks.text(`${first} ${last}`)).toBe(`${first} ${'key-3001'.padEnd(43, '-')}`)
  // The operator gave it.
  expect(marks.text(given)).toBe('key-1'.padEnd(20, '-'))
})

test('a credential that is known later is found in a body that came before', () => {
  const marks = createCredentialMarks()
  const secret = 'Qm7xT2vKp9ZrWdHc4nB8'
  const made = madeExchange({ body: `{"said":"${secret}"}` })
  const said = () => {
    const { response } = marks.apply({ ...made, startedAtMs: 0 })
    return Buffer.from(response?.body ?? []).toString()
  }
  expect(said()).toContain(secret)
  const mark = marks.of(secret)
  expect(said()).toBe(`{"said":"${mark}"}`)
})

/** A search that takes longer is ended, in milliseconds: one pass takes a hundred. */
const HANG_MS = 30_000

// A pattern that starts again at each character of a run would take minutes here.
test.each(['a', 'aB3-', 'token', 'a=', '"a":', 'key ', '\\u0000', ': padding\n'])(
  'a long text of %j is searched once',
  (piece) => {
    // The address is behind it: all that is before is searched for a name, and then for its places.
    const text = `${piece.repeat(400_000 / piece.length)} http://a.example`
    const marks = createCredentialMarks([`svc_sk_${'x1'.repeat(20)}`])
    expect(withinTime(HANG_MS, () => marks.text(text))).toHaveLength(text.length)
  },
)

test('the signature of a thought is a part of an answer, and that of an address a credential', () => {
  const marks = createCredentialMarks()
  const signature = 'c2lnbmVkIGJ5IDEyMzQ1Njc4OTA='
  const body = JSON.stringify({ extra_content: { google: { thought_signature: signature } }, signature })
  expect(marks.text(body)).toBe(body)
  expect(marks.text(`http://a.example/?X-Amz-Signature=${signature}`)).not.toContain(signature)
})
