import { expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../../spec/property.fixture.ts'
import { anyText } from '../../conformance/generate/hostile-text.ts'
import { CODED, CUT, recovered, surroundings } from '../../spec/protocol/coded.fixture.ts'
import { createRedactor } from './redact.ts'

const serviceKey = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/).map((rest) => `svc_sk_${rest}`)
/** Keys of other services: anything that fits into a header. */
const anyKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 64,
})
const secrets = fc.oneof(serviceKey, anyKey)
/** Keys of services that have no prefix. */
const plainKey = fc.stringMatching(/^[A-Za-z0-9_-]{12,64}$/)

/** Variants of a key that a case makes, in the encodings of requests and answers. */
const tampered: readonly ((key: string, at: number) => string)[] = [
  (key) => key,
  (key, at) => key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1),
  (key, at) => key.slice(0, Math.max(at, 8)),
  (key, at) => key.slice(Math.min(at, key.length - 8)),
  (key) => `${key}x`,
  (key) => `"${key}"`,
  (key) => key.toUpperCase(),
  (key) => key.toLowerCase(),
]
const carried: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `Bearer ${key}`,
  (key) => JSON.stringify({ error: { message: `no key ${key}.` } }),
  (key) => `/v1/models?api_key=${encodeURIComponent(key)}&x=1`,
  (key) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`,
  (key) => Buffer.from(JSON.stringify({ key })).toString('base64url'),
  (key) => `/v1/keys/${Buffer.from(key).toString('base64url')}`,
]

/** The pieces of a secret that a reader of a report recovers; a redaction mark ends a piece. */
const piecesIn = (redacted: string, secret: string): readonly string[] =>
  recovered(redacted.replaceAll('[redacted]', '\n'), secret)

test.each([...Object.entries(CODED), ...Object.entries(CUT)])(
  'nothing is recovered of a secret %s',
  (_, encode) => {
    forAll(fc.oneof(serviceKey, plainKey), surroundings, (key, [before, after]) => {
      const shown = createRedactor([key]).text(before + encode(key) + after)
      expect(piecesIn(shown, key)).toEqual([])
      expect(shown).toContain('[redacted]')
      expect(shown.startsWith(before.replace(/[\w+-]*$/, ''))).toBe(true)
      expect(shown.endsWith(after)).toBe(true)
    })
  },
)

test('the form of what is escaped stays', () => {
  forAll(serviceKey, fc.constantFrom(...Object.values(CODED)), (key, encode) => {
    const text = JSON.stringify({
      message: `two lines\n${encode(key)}\n"quoted"`,
      nested: JSON.stringify({ key }),
    })
    expect(JSON.parse(createRedactor([key]).text(text))).toMatchObject({
      message: expect.stringMatching(/^two lines\n.*\n"quoted"$/),
      nested: '{"key":"[redacted]"}',
    })
  })
})

test('no piece of a secret is left, however it was changed and carried', () => {
  const place = fc.record({
    secret: secrets,
    at: fc.nat({ max: 63 }),
    change: fc.constantFrom(...tampered),
    carry: fc.constantFrom(...carried),
  })
  forAllWith({ numRuns: 2000 }, place, ({ secret, at, change, carry }) => {
    const redactor = createRedactor([secret])
    const shown = carry(change(secret, at % secret.length))
    expect(piecesIn(redactor.text(shown), secret)).toEqual([])
    const bytes = redactor.bytes(Buffer.from(`\u00ff${shown}\n`, 'latin1'))
    expect(piecesIn(Buffer.from(bytes).toString('latin1'), secret)).toEqual([])
  })
})

test('what looks like a key of the service is not shown, known or not', () => {
  forAll(serviceKey, fc.constantFrom(...carried), (key, carry) => {
    expect(piecesIn(createRedactor().text(carry(key)), key.slice(7))).toEqual([])
  })
})

/** Keys that local servers are started with. */
const ordinaryKey = fc.constantFrom('k', 'abc', 'EMPTY', 'none', 'ollama', 'lm-studio', 'sk-no-key-required')

test('a key that is an ordinary word is hidden in every place of a credential', () => {
  const places: readonly ((key: string) => string)[] = [
    (key) => `Authorization: Bearer ${key}`,
    (key) => `authorization: ${key}`,
    (key) => JSON.stringify({ api_key: key }),
    (key) => JSON.stringify({ body: JSON.stringify({ 'x-api-key': key }) }),
    (key) => `/v1/models?api_key=${key}&x=1`,
    (key) => `curl -H 'api-key: ${key}'`,
    (key) => `OPENAI_API_KEY=${key}`,
  ]
  forAll(ordinaryKey, fc.constantFrom(...places), (key, place) => {
    const text = createRedactor([key]).text(place(key))
    expect(text).toBe(place('[redacted]'))
  })
})

test('the letters of an ordinary key stay elsewhere', () => {
  forAll(ordinaryKey, (key) => {
    const text = `{"max_tokens": 3, "token": "${key}", "system_fingerprint": "fp_${key}"}, ${key}: abc, Bearer x${key}x`
    expect(createRedactor([key, '']).text(text)).toBe(text)
  })
})

test('a header is hidden for its name or for a credential in its value, and shown otherwise', () => {
  const redactor = createRedactor()
  const hidden = [
    ['X-Api-Key', 'hunter2'],
    ['Authorization', 'Bearer hunter2'],
    ['cookie', 'a=b'],
    ['x-portkey-config', '{"provider":"openai","api_key":"hunter2"}'],
    ['x-route', 'https://user:hunter2@gateway.example'],
    ['x-note', 'Zk3v9QeWq1xR7tYb5nUo2mLc'],
  ] as const
  const shown = [
    ['x-portkey-provider', 'openai'],
    ['x-portkey-custom-host', 'http://127.0.0.1:5010/v1'],
    ['x-gate', 'open'],
  ] as const
  for (const [name, value] of [...hidden, ...shown]) redactor.addHeader(name, value)
  for (const [name, value] of hidden) expect(redactor.header(name.toUpperCase(), value)).toBe('[redacted]')
  for (const [name, value] of shown) expect(redactor.header(name, value)).toBe(value)
  expect(redactor.text('http://127.0.0.1:5010/v1/chat')).toBe('http://127.0.0.1:5010/v1/chat')
  expect(redactor.text('no key Zk3v9QeWq1xR7tYb5nUo2mLc')).toBe('no key [redacted]')
})

test('a text that was shown before is hidden once it is a secret, and shown once it is kept', () => {
  const redactor = createRedactor()
  const text = 'the word at-k3y-9x1z'
  expect(redactor.text(text)).toBe(text)
  redactor.add('at-k3y-9x1z')
  expect(redactor.text(text)).toBe('the word [redacted]')
  redactor.keep('at-k3y-9x1z')
  expect(redactor.text(text)).toBe(text)
})

test('a kept text, such as the address of the target, is shown whatever the secrets are', () => {
  const redactor = createRedactor(['http://127.0.0.1:8080'])
  redactor.keep('http://127.0.0.1:8080')
  expect(redactor.text('at http://127.0.0.1:8080/v1')).toBe('at http://127.0.0.1:8080/v1')
})

test.each(['upstream', 'completions', 'production'])(
  'a key with the word %s is hidden whole and in parts, and the word by itself only if the judge does not use it',
  (word) => {
    const key = `sk-hidden-${word}-9f8e7d6c5b4a`
    const { text } = createRedactor([key])
    const own = "no answer has the upstream's key: the completions of the gateway"
    expect(text(own)).toBe(own)
    expect(text(`Incorrect key: ${key}.`)).toBe('Incorrect key: [redacted].')
    for (const part of [`${word}-9f8e7d`, `n-${word}-9`, '8e7d6c5b', key.slice(0, -1), key.toUpperCase()])
      expect(text(`key=${part}`)).toBe('key=[redacted]')
    expect(text(`the ${word} is`)).toBe(word === 'production' ? 'the [redacted] is' : `the ${word} is`)
  },
)

/** Keys that people choose for a local server: words, perhaps with a short number. */
const wordyKey = fc
  .array(fc.constantFrom('test', 'key', 'my', 'api', 'secret', 'demo', 'local', 'llama', 'Dev', 'latest'), {
    minLength: 2,
    maxLength: 5,
  })
  .chain((words) => fc.constantFrom('', '-1', '-2027').map((number) => words.join('-') + number))
  .filter((key) => key.length >= 8)

test('the words of a key that consists of words stay', () => {
  const text =
    'latest-model greatest, x-api-key: local, the fastest known model; llama-3, secrets, a demonstration; -H "api-key:"'
  forAll(wordyKey, (key) => {
    // Nearly all of a key is hidden, too: `latest-m` of the key `latest-my`, also in `latest-model`.
    const nearlyAll = [key.slice(1), key.slice(0, -1)].map((part) => part.toLowerCase())
    fc.pre(!nearlyAll.some((part) => text.toLowerCase().includes(part)))
    expect(createRedactor([key]).text(text)).toBe(text)
  })
  expect(createRedactor(['test-key']).text('curl -d \'{"model":"latest-model"}\', the greatest')).toBe(
    'curl -d \'{"model":"latest-model"}\', the greatest',
  )
})

test('a whole key that consists of words is hidden in every coding, and so is nearly all of it', () => {
  forAll(wordyKey, fc.constantFrom(...Object.values(CODED)), surroundings, (key, encode, [before, after]) => {
    const { text } = createRedactor([key])
    for (const shown of [key, `x${key}`, key.toUpperCase()])
      expect(text(`key=${shown} `)).toBe('key=[redacted] ')
    for (const shown of [key.slice(1), key.slice(0, -1)])
      expect(text(`key=${shown} `)).toMatch(/^key=(?:\[redacted\])+ $/)
    expect(text(before + encode(key) + after)).toContain('[redacted]')
    expect(piecesIn(text(before + encode(key) + after), key)).toEqual([])
  })
})

test('nothing else is changed', () => {
  forAll(anyText({ maxLength: 200 }), fc.uint8Array(), (text, bytes) => {
    // 32 random bytes: no other text contains a piece of them by chance.
    const redactor = createRedactor(['svc_sk_Zk3v9QeWq1xR7tYb5nUo2mLc8pHs4dGa6fJi0wBzXyV'])
    expect(redactor.text(text)).toBe(text)
    expect(Buffer.from(redactor.bytes(bytes)).equals(bytes)).toBe(true)
  })
})

test('prose about keys stays readable', () => {
  const text = 'Keys start with `svc_sk_`, as svc_sk_…abcd does.'
  expect(createRedactor().text(text)).toBe(text)
})

const derived: readonly ((key: string, at: number) => string)[] = [
  ...tampered.slice(0, 2),
  (key) => key.slice(0, key.length / 2),
  (key) => key.slice(1),
  (key) => key + key,
]

test('nothing that is derived of a random key without a prefix is shown either', () => {
  // No word has a digit between letters.
  const key = plainKey.filter((text) => /[a-z]\d+[a-z]/i.test(text))
  const made = fc.record({ key, at: fc.nat({ max: 63 }), derive: fc.constantFrom(...derived) })
  forAllWith({ numRuns: 1000 }, made, fc.constantFrom(...carried), ({ key, at, derive }, carry) => {
    const shown = derive(key, at % key.length)
    fc.pre(shown.length >= 6 && !/^[-_]?[A-Za-z]+[-_]?$/.test(shown))
    const text = createRedactor([key]).text(carry(shown))
    expect(text).not.toContain(shown)
    expect(text).not.toContain(Buffer.from(shown).toString('base64url').slice(0, 16))
    expect(text).toContain('[redacted]')
  })
})
