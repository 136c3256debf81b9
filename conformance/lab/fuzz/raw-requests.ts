// Requests byte by byte: valid ones, and ones that no client library sends.
import * as fc from 'fast-check'
import { type Attack, KEY_PLACE, lengthOf, type Piece } from './attack.ts'
import type { Body } from './chat-bodies.ts'

const CHAT = '/v1/chat/completions'

export const head = (lines: readonly string[]): Piece => ({ text: [...lines, '', ''].join('\r\n') })

export const POST = `POST ${CHAT} HTTP/1.1`
export const HOST = 'Host: fuzz.test'
export const KEY = `Authorization: Bearer ${KEY_PLACE}`
export const JSON_TYPE = 'Content-Type: application/json'
const WITH_KEY = [POST, HOST, KEY, JSON_TYPE]
export const CLOSE = 'Connection: close'

/** A request without a body. */
const bodiless = (line: string, ...lines: readonly string[]): readonly Piece[] => [
  head([`${line} HTTP/1.1`, ...lines, CLOSE]),
]

/** A valid request, except for its body. */
export function request(body: readonly Piece[], ...more: readonly string[]): readonly Piece[] {
  return [head([...WITH_KEY, `Content-Length: ${lengthOf(body)}`, CLOSE, ...more]), ...body]
}

type Raw = fc.Arbitrary<readonly Piece[]>

/** Requests that no client library sends. */
export function rawRequest(body: fc.Arbitrary<Body>): fc.Arbitrary<Attack> {
  const kinds = Object.entries(kindsOf(body)).flatMap(([kind, raws]) =>
    [raws].flat().map((raw) => raw.map((pieces): Attack => ({ kind, pieces }))),
  )
  return fc.oneof(...kinds)
}

const times = fc.integer({ min: 1, max: 20_000 })

/** The kinds of requests; a kind with two arbitraries is twice as frequent. */
function kindsOf(body: fc.Arbitrary<Body>): Readonly<Record<string, Raw | readonly Raw[]>> {
  /** A request with one of these values somewhere and a generated body. */
  const withBody = (
    values: readonly string[],
    make: (pieces: readonly Piece[], value: string) => readonly Piece[],
  ): Raw => fc.tuple(body, fc.constantFrom(...values)).map(([{ pieces }, value]) => make(pieces, value))
  return {
    'no HTTP': [
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2_000 }).map((text) => `${text}\r\n\r\n`),
      fc.constantFrom(...NO_HTTP),
    ].map((texts) => texts.map((text) => [{ text }])),
    'wrong length': withBody(LENGTHS, (pieces, length) => [
      head([...WITH_KEY, CLOSE, `Content-Length: ${length}`]),
      ...pieces,
    ]),
    'two lengths': body.map(({ pieces }) => [
      head([...WITH_KEY, CLOSE, 'Content-Length: 2', 'Content-Length: 3']),
      ...pieces,
    ]),
    chunks: fc.tuple(fc.constantFrom(...LAST_CHUNKS), times).map(([text, count]) => chunked(text, count)),
    'chunks and length': fc.constant([
      head([...WITH_KEY, CLOSE, 'Transfer-Encoding: chunked', 'Content-Length: 4']),
      { text: '0\r\n\r\nGET / HTTP/1.1\r\n\r\n' },
    ]),
    headers: [
      times.map((count) => [
        { text: `${WITH_KEY.join('\r\n')}\r\n` },
        { text: 'X-{n}: a\r\n', times: count, numbered: true },
        { text: `${CLOSE}\r\nContent-Length: 2\r\n\r\n{}` },
      ]),
      times.map((count) => [
        { text: `GET /v1/models HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\nCookie: ` },
        { text: 'a=b; ', times: count },
        { text: '\r\n\r\n' },
      ]),
    ],
    path: [
      times.map((count) => [
        { text: 'GET /' },
        { text: '%2e%2e/', times: count },
        { text: ` HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n\r\n` },
      ]),
      fc.constantFrom(...PATHS).map((path) => bodiless(`GET ${path}`, 'Host: a', KEY)),
    ],
    method: fc.constantFrom(...METHODS).map((line) => bodiless(line, 'Host: a')),
    host: fc.constantFrom(...HOSTS).map((lines) => bodiless('GET /v1/models', ...lines, KEY)),
    key: fc
      .constantFrom(...KEYS)
      .map((value) => [
        head([POST, 'Host: a', `Authorization: ${value}`, JSON_TYPE, 'Content-Length: 2', CLOSE]),
        { text: '{}' },
      ]),
    'header line': withBody(HEADER_LINES, (pieces, line) => request(pieces, line)),
    coding: withBody(CODINGS, (pieces, coding) => [
      head([...WITH_KEY, CLOSE, `Transfer-Encoding: ${coding}`]),
      ...pieces,
    ]),
    pipeline: fc.tuple(body, fc.integer({ min: 1, max: 50 })).map(([{ pieces }, count]) => {
      const first: Piece = { ...head(['GET /v1/models HTTP/1.1', 'Host: a', KEY]), times: count }
      return [first].concat(request(pieces))
    }),
    expect: withBody(['100-continue', 'foo', ''], (pieces, value) => request(pieces, `Expect: ${value}`)),
    encoding: body.map(({ pieces }) => request(pieces, 'Content-Encoding: gzip')),
    'content type': withBody(TYPES, (pieces, type) => [
      head([POST, HOST, KEY, `Content-Type: ${type}`, `Content-Length: ${lengthOf(pieces)}`, CLOSE]),
      ...pieces,
    ]),
    upgrade: fc
      .constantFrom('websocket', 'h2c')
      .map((name) => [
        head([
          'GET /v1/models HTTP/1.1',
          'Host: a',
          'Connection: Upgrade, close',
          `Upgrade: ${name}`,
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version: 13',
        ]),
      ]),
    'too large': fc
      .integer({ min: 1, max: 4 })
      .map((extra) => request([{ text: ' '.repeat(1024), times: 4096 + extra }, { text: '{}' }])),
  }
}

export const NO_HTTP = [
  '\r\n\r\nGET\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/9.9\r\nConnection: close\r\n\r\n',
  'GET  / HTTP/1.1\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.1 extra\r\nConnection: close\r\n\r\n',
  'get / http/1.1\r\n\r\n',
  'SSH-2.0-OpenSSH_9.2\r\n\r\n',
]

const LENGTHS = ['', '-1', '+5', 'five', '5, 5', '1e3', '9'.repeat(30), '0x10', '1, 2', '99999999', '1']

/** Codings that two readers of one request may understand differently. */
const CODINGS = [
  'xchunked',
  'chunked, identity',
  'identity, chunked',
  '\u000bchunked',
  'chunked;q=1',
  'gzip, chunked',
  'chunked\r\nTransfer-Encoding: chunked',
]

/** Headers that are malformed, folded, spaced, duplicated, long, or meant for a proxy. */
const HEADER_LINES = [
  'No-Colon',
  ': no name',
  'Bad Name: x',
  'X\u0000: y',
  'X: a\u0000b',
  'X: a\rb',
  'X: a\nb',
  'X: a\r\n folded',
  'X: y\r\n Transfer-Encoding: chunked',
  'Content-Length : 5',
  'Transfer-Encoding : chunked',
  'Connection: authorization',
  'Range: bytes=0-',
  'X-Forwarded-For: 127.0.0.1\r\nX-Original-URL: /dashboard\r\nForwarded: for=_x',
  'X-HTTP-Method-Override: DELETE',
  'Authorization: Bearer second',
  'Trailer: Authorization',
  `X: ${'a'.repeat(200_000)}`,
  `${'N'.repeat(20_000)}: x`,
]

const TYPES = ['text/plain', 'application/json; charset=utf-7', 'multipart/form-data', ',']

const LAST_CHUNKS = [
  '5\r\n{}',
  'zz\r\n',
  '-1\r\n{}\r\n',
  'fffffffffffffffff\r\n',
  '2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n',
  '0\r\n\r\n',
]

function chunked(last: string, count: number): readonly Piece[] {
  const start = head([...WITH_KEY, CLOSE, 'Transfer-Encoding: chunked'])
  return [start, { text: '1\r\n \r\n', times: count }, { text: last }]
}

const PATHS = [
  '//',
  '/v1/../v1/models',
  '/v1\\models',
  '/dashboard/../v1/models',
  '/v1/models#',
  '/v1/models/%00',
  `/v1/models?${'a=b&'.repeat(3_000)}`,
  '*',
  '/v1/models/%ff',
  '/v1/models/__proto__',
  'http://a:b@c:99999/',
  '/v1/models?a[]=1&a[__proto__]=2',
]

const METHODS = ['CONNECT a:1', `TRACE ${CHAT}`, `OPTIONS ${CHAT}`, 'DELETE /v1/models', 'PATCH /', 'BREW /']

const HOSTS: readonly (readonly string[])[] = [
  [],
  ['Host: a', 'Host: b'],
  ['Host: '],
  ['Host: a b'],
  ['Host: \x7f@[::1'],
]

const KEYS = [
  '',
  'Bearer',
  'Bearer svc_sk_',
  `Basic ${KEY_PLACE}`,
  `Bearer ${'a'.repeat(8_000)}`,
  `Bearer ${KEY_PLACE} `,
  `Bearer ${KEY_PLACE}x`,
  'Bearer é',
]
