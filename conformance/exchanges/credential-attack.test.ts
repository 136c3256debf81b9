// Credentials by name, place and coding from a generator: none of them is left in a recording.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fc, forAllWith } from '../../spec/property.fixture.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import type { Headers } from '../../harness/http/exchange.ts'
import { createCaptureFile } from './capture-file.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

const folder = temporaryFolder()
let files = 0

interface Sent {
  readonly headers?: Headers
  readonly url?: string
  readonly body?: string | Buffer
}

function recorded({ headers = [], url = 'http://x/v1/models', body = '' }: Sent): string {
  const path = join(folder, `${(files += 1)}.jsonl`)
  const file = createCaptureFile(path, 'http://x', { flag: '--out' })
  const made = madeExchange({ requestHeaders: headers, requestBody: '' })
  const request = { ...made.request, url, path: new URL(url).pathname, body: Buffer.from(body) }
  file.write({ ...made, startedAtMs: 0, request })
  file.close()
  const text = readFileSync(path, 'utf8')
  const bodies = [...text.matchAll(/"bodyBase64":"([^"]*)"/g)].map(([, coded = '']) =>
    Buffer.from(coded, 'base64').toString('latin1'),
  )
  return text + bodies.join('\n')
}

const value = fc.stringMatching(/^[a-z][0-9][A-Za-z0-9]{14,30}$/)
const oneOf = (text: string) => fc.constantFrom(...text.split(' '))
const HEADERS =
  'Authorization Proxy-Authorization api-key apikey X-API-KEY x-goog-api-key Ocp-Apim-Subscription-Key X-Functions-Key x-functions-key X-Amz-Security-Token X-Vault-Token X-Vault-Wrap-Token PRIVATE-TOKEN JOB-TOKEN Deploy-Token CF-Access-Client-Secret CF-Access-Jwt-Assertion Cf-Access-Token X-Auth-Key X-Auth-Email-Key cf-aig-authorization Helicone-Auth Helicone-OpenAI-Api-Key X-Goog-Iap-Jwt-Assertion X-Forwarded-Access-Token X-Ms-Client-Secret X-Hub-Signature-256 X-Slack-Signature Stripe-Signature X-Shopify-Access-Token X-Portkey-Api-Key x-portkey-virtual-key DD-API-KEY DD-APPLICATION-KEY X-MBX-APIKEY X-Plex-Token X-CSRF-Token X-XSRF-TOKEN X-Session-Id X-Session-Token X-Password X-User-Password X-Passphrase X-Passcode X-Secret X-Client-Secret X-Credential X-JWT X-Bearer X-Refresh-Token X-Id-Token X-Access-Token anthropic-api-key xi-api-key x-rapidapi-key'
const FORMS = [
  '*',
  'Bearer *',
  'bearer  "*"',
  'Token token=*',
  'Token token="*", nonce="a"',
  'Digest username="u", response="*"',
  'OAuth oauth_token="*"',
  'AWS4-HMAC-SHA256 Credential=*/20260101/us, SignedHeaders=host, Signature=*',
  'Api-Key *',
  'ApiKey * trailing',
  '*, *',
  'key=*',
  'id:*',
  'v1 *',
  '{"key":"*"}',
  '[*]',
]
const PARAMETERS =
  'key api_key api-key apikey access_token token client_secret password code sas sig X-Amz-Signature X-Amz-Security-Token X-Amz-Credential X-Goog-Signature jwt auth subscription-key auth_token refresh_token id_token session sid session_id assertion client_assertion signature Signature pass passwd passphrase secret hapikey Ocp-Apim-Subscription-Key'
const MEMBERS =
  'api_key apiKey API_KEY apikey x-api-key password passwd passphrase client_secret clientSecret secret access_token accessToken refresh_token id_token authorization Authorization proxy-authorization private_key privateKey secret_access_key aws_secret_access_key SecretAccessKey aws_access_key_id credentials credential cookie Cookie set-cookie jwt X-Vault-Token PRIVATE-TOKEN github_token bot_token hf_token session_token sessionToken auth_token authToken token key signing_key encryption_key connection_string connectionString account_key AccountKey subscription_key Ocp-Apim-Subscription-Key Helicone-Auth bearer_token X-Session-Id csrf_token webhook_secret OPENAI_API_KEY DATABASE_PASSWORD'
const nested = (json: string, depth: number): string =>
  Array.from({ length: depth }).reduce<string>((inner) => JSON.stringify({ arguments: inner }), json)

const CODINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => JSON.stringify(JSON.stringify(text)),
]
const COMPRESSED: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
]

/** Every place of the table, by a label, for a value. */
function* places(secret: string): Generator<readonly [label: string, sent: Sent]> {
  for (const name of HEADERS.split(' '))
    for (const form of FORMS)
      for (const cased of [name.toLowerCase(), name.toUpperCase()])
        yield [`${cased}: ${form}`, { headers: [[cased, form.replaceAll('*', secret)]] }]
  for (const form of ['sid=*', '*', 'a=b; sid=*; c=d', '__Host-a="*"', 'a=b;*'])
    for (const name of ['Cookie', 'Set-Cookie'])
      if (name === 'Cookie' || !form.startsWith('a=b'))
        yield [`${name}: ${form}`, { headers: [[name, form.replaceAll('*', secret)]] }]
  for (const name of PARAMETERS.split(' ')) {
    for (const sign of ['?', '?a=1&', '?a=1;']) {
      const url = `http://x/v1/models${sign}${name}=${secret}&z=1`
      const coded = url.replaceAll('_', '%5F').replaceAll('-', '%2D')
      yield [url, { url }]
      yield [coded, { url: coded }]
      yield [`Referer ${url}`, { headers: [['Referer', url]] }]
      yield [`X-Next ${url}`, { headers: [['X-Next', url]] }]
      yield [`a text with ${url}`, { body: JSON.stringify({ image_url: { url }, text: `see ${url}.` }) }]
    }
    yield [`a form with ${name}`, { body: `${name}=${secret}&z=1` }]
    yield [`a form with a=1&${name}`, { body: `a=1&${name}=${secret}` }]
    for (const more of ['', '; filename="a"', '\r\nContent-Type: text/plain'])
      for (const end of ['\r\n', '\n']) {
        const part = `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${secret}\r\n--b--`
        yield [`a part ${name} ${JSON.stringify(more + end)}`, { body: part.replaceAll('\r\n', end) }]
      }
  }
  for (const user of ['u:*', '*', ':*', '*:x-oauth-basic']) {
    const url = `http://${user.replace('*', secret)}@x/v1/models`
    yield [url, { url }]
    yield [`Referer ${url}`, { headers: [['Referer', url]] }]
    yield [`a text with ${url}`, { body: JSON.stringify({ repository: url }) }]
  }
  for (const name of MEMBERS.split(' ')) {
    for (const depth of [0, 1, 2, 3])
      for (const space of ['', ' ', '\n  '])
        for (const scheme of /^(?:token|key)$/i.test(name) ? [''] : ['', 'Bearer ']) {
          const json = `{"tools":[{"headers":{"${name}":${space}"${scheme}${secret}"}}]}`
          yield [`depth ${depth} of ${json}`, { body: nested(json, depth) }]
          for (const [coding, compress] of COMPRESSED)
            if (depth === 0)
              yield [
                `${coding} of ${json}`,
                { headers: [['content-encoding', coding]], body: compress(json) },
              ]
        }
    const bodies = [
      JSON.stringify([[name, secret]]),
      JSON.stringify({ headers: [{ name, value: secret }] }),
      JSON.stringify({ [name]: [secret] }),
      JSON.stringify({ text: `export ${name}=${secret}\nrun` }),
      JSON.stringify({ text: `curl -H '${name}: ${secret}'` }),
      `{'${name}': '${secret}'}`,
      JSON.stringify({ text: `<${name}>${secret}</${name}>` }),
      `{"${name.replaceAll('_', '\\u005f')}":"${secret}"}`,
    ]
    for (const body of bodies) yield [body, { body }]
  }
}

test('a credential in every place, in plain', { timeout: 120_000 }, () => {
  const leaks = ['Hw4p8NtLs2dKq'].flatMap((secret) =>
    [...places(secret)].filter(([, sent]) => recorded(sent).includes(secret)).map(([label]) => label),
  )
  expect(leaks).toEqual([])
})

test('a credential that a body or an address repeats in a coding', () => {
  forAllWith({ numRuns: 500 }, value, oneOf(HEADERS), fc.constantFrom(...CODINGS), (secret, name, code) => {
    const coded = code(`${secret}`)
    const text = recorded({
      headers: [[name, secret]],
      body: `<${coded}>`,
      url: `http://x/v1/models?other=${encodeURIComponent(coded)}`,
    })
    expect(text).not.toContain(secret)
    expect(text).not.toContain(coded)
  })
})
