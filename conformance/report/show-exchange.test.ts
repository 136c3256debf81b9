import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../../spec/property.fixture.ts'
import { anyText } from '../generate/hostile-text.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { EVIDENCE_CHARS, type ShowOptions, curlLine, showExchange } from './show-exchange.ts'

const options: ShowOptions = {
  redactor: createRedactor(),
  maxBodyChars: EVIDENCE_CHARS,
}

test('a body is text if it is UTF-8, else base64, and can be restored from either', () => {
  const bodies = fc.oneof(
    fc.uint8Array(),
    anyText().map((text) => new TextEncoder().encode(text)),
  )
  forAll(bodies, (bytes) => {
    const { response } = showExchange(madeExchange({ body: bytes }), options)
    const shown =
      response?.bodyBase64 === undefined
        ? Buffer.from(response?.body ?? '')
        : Buffer.from(response.bodyBase64, 'base64')
    expect(shown.equals(bytes)).toBe(true)
    expect(response).not.toHaveProperty('bodyCutFromBytes')
  })
})

test('a long body is cut between characters, and says so', () => {
  const short = { ...options, maxBodyChars: 10 }
  forAll(fc.nat({ max: 3 }), (shift) => {
    const body = `${'a'.repeat(shift)}${'\u{1F600}'.repeat(20)}`
    const { response } = showExchange(madeExchange({ body }), short)
    expect(response?.bodyCutFromBytes).toBe(Buffer.byteLength(body))
    expect(body.startsWith(response?.body ?? '!')).toBe(true)
  })
})

test('a secret at the place of the cut is not shown', () => {
  const secret = 'a-secret-that-is-long'
  const hiding = { ...options, redactor: createRedactor([secret]), maxBodyChars: 20 }
  for (let before = 0; before < 20; before++) {
    const { response } = showExchange(madeExchange({ body: '.'.repeat(before) + secret }), hiding)
    expect(response?.body).not.toMatch(/a-se/)
  }
})

test('headers stay in order and apart; those of --header are named and not shown', () => {
  const exchange = madeExchange({
    requestHeaders: [
      ['X-Gate-Key', 'open'],
      ['x-a', '1'],
    ],
    headers: [
      ['Set-Cookie', 'a'],
      ['Set-Cookie', 'b'],
    ],
  })
  const redactor = createRedactor()
  redactor.addHeader('x-gate-key', 'open')
  const shown = showExchange(exchange, { ...options, redactor })
  expect(shown.request.headers).toEqual([
    ['X-Gate-Key', '[redacted]'],
    ['x-a', '1'],
  ])
  expect(shown.response?.headers).toEqual([
    ['Set-Cookie', 'a'],
    ['Set-Cookie', 'b'],
  ])
})

/** The arguments and the input of curl on each of these lines, as a shell reads them. */
function wordsOf(lines: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const curl = `curl() { printf '%s\\0' "$@"; case " $* " in *' @- '*) cat; printf '\\0';; esac; printf 'END\\0'; }`
  const { stdout } = spawnSync('bash', ['-c', [curl, ...lines].join('\n')], {
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...env },
  })
  return stdout
    .toString()
    .split('END\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1))
}

const lineOf = (requestBody: string): string =>
  curlLine(madeExchange({ requestBody }).request, new Map(), options) ?? ''

test('the curl line, read by a shell, sends the body, whatever is in it', () => {
  const part = fc.oneof(anyText(), fc.constantFrom("'", '"', '\\', '$HOME', '`x`', '\n', '\u0085', '!'))
  const text = fc.array(part, { minLength: 1 }).map((parts) => parts.join('').replaceAll('\0', ''))
  forAllWith({ numRuns: 10 }, fc.array(text, { minLength: 20, maxLength: 20 }), (bodies) => {
    const sent = wordsOf(bodies.map(lineOf)).map((words) => words.at(-1))
    expect(sent).toEqual(bodies)
  })
})

test('a body with a NUL, or of no text, goes through the input of curl', () => {
  expect(lineOf('a\0b')).toBe(`printf %s YQBi | base64 -d | ${lineOf('x').replace("'x'", '@-')}`)
  const request = madeExchange({ requestBody: Buffer.from([0xff, 0x41]) }).request
  expect(curlLine(request, new Map(), options)).toMatch(/^printf %s \/0E= \| base64 -d \| curl /)
  const [words] = wordsOf([lineOf("it's\0")])
  expect(words?.slice(-4)).toEqual(['--data-binary', '@-', "it's", ''])
})

test('a request whose body is longer than a report shows has no curl line, which would name a file that does not exist', () => {
  const lineOfBody = (requestBody: string) =>
    curlLine(madeExchange({ requestBody }).request, new Map(), { ...options, maxBodyChars: 10 })
  expect(lineOfBody('x'.repeat(11))).toBeUndefined()
  expect(lineOfBody('x'.repeat(10))).toMatch(/--data-binary 'x{10}'$/)
})

test('the curl line names a key by its variable, and the shell puts it there', () => {
  const key = 'key-with-"quotes"-and-$HOME'
  const { request } = madeExchange({
    method: 'DELETE',
    requestHeaders: [
      ['Host', 'h'],
      ['Accept', '*/*'],
      ['Authorization', `Bearer  "${key}" `],
      ['X-Made', 'svc_sk_aaaaaaaaaaaa'],
    ],
  })
  const variableOf = new Map([[key, 'CONFORMANCE_SECOND_KEY']])
  const line = curlLine(request, variableOf, { ...options, redactor: createRedactor([key]) }) ?? ''
  expect(line).not.toContain('quotes')
  expect(line).not.toContain('aaaa')
  const [words] = wordsOf([line], { CONFORMANCE_SECOND_KEY: key })
  expect(words).toEqual([
    '-sS',
    '-i',
    '-X',
    'DELETE',
    'http://127.0.0.1:8080/v1/chat/completions',
    '-H',
    `Authorization: Bearer  "${key}" `,
    '-H',
    'X-Made: [redacted]',
  ])
})

test('the letters of an ordinary key stay in other headers and in other keys', () => {
  const redactor = createRedactor(['k'])
  const request = {
    ...madeExchange({
      requestHeaders: [
        ['Authorization', 'Bearer k'],
        ['x-note', 'take it'],
      ],
    }).request,
  }
  const variables = new Map([['k', 'CONFORMANCE_API_KEY']])
  const line = curlLine(request, variables, { ...options, redactor })
  expect(line).toContain('"Authorization: Bearer $CONFORMANCE_API_KEY"')
  expect(line).toContain("'x-note: take it'")
  const other = { ...request, headers: [['Authorization', `Bearer svc_sk_${'kA1'.repeat(14)}`]] as const }
  expect(curlLine(other, variables, { ...options, redactor })).toContain("'Authorization: Bearer [redacted]'")
})
