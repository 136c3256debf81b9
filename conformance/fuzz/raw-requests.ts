// Requests byte by byte: valid ones, and ones that no client library sends.
import * as fc from 'fast-check'
import { type Attack, KEY_PLACE, lengthOf, type Piece } from './attack.ts'
import type { Body } from './chat-bodies.ts'

const CHAT = '/v1/chat/completions'

const head = (lines: readonly string[]): Piece => ({ text: [...lines, '', ''].join('\r\n') })

const WITH_KEY = [
  `POST ${CHAT} HTTP/1.1`,
  'Host: fuzz.test',
  `Authorization: Bearer ${KEY_PLACE}`,
  'Content-Type: application/json',
] as const

/** A head of these lines, and a body that they may or may not fit. */
const withBody = (lines: readonly string[], body: readonly Piece[]): readonly Piece[] => [
  head(lines),
  ...body,
]

/** A request as it should be, but for its body. */
export function request(body: readonly Piece[], ...more: readonly string[]): readonly Piece[] {
  return withBody([...WITH_KEY, `Content-Length: ${lengthOf(body)}`, 'Connection: close', ...more], body)
}

/** Requests that no client library sends. */
export function rawRequest(body: fc.Arbitrary<Body>): fc.Arbitrary<Attack> {
  const close = 'Connection: close'
  const raw = (kind: string, pieces: fc.Arbitrary<readonly Piece[]>): fc.Arbitrary<Attack> =>
    pieces.map((sent) => ({ kind, pieces: sent }))
  const times = fc.integer({ min: 1, max: 20_000 })
  return fc.oneof(
    raw(
      'no HTTP',
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 2_000 })
        .map((text) => [{ text: `${text}\r\n\r\n` }]),
    ),
    raw(
      'no HTTP',
      fc
        .constantFrom(
          '\r\n\r\nGET\r\n\r\n',
          '\x16\x03\x01\x02\x00\x01\r\n\r\n',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          'GET / HTTP/9.9\r\n\r\n',
          'GET  / HTTP/1.1\r\n\r\n',
        )
        .map((text) => [{ text }]),
    ),
    raw(
      'wrong length',
      fc
        .tuple(body, fc.constantFrom('-1', '1e3', '9'.repeat(30), '0x10', '1, 2', '99999999', '1'))
        .map(([{ pieces }, length]) => withBody([...WITH_KEY, close, `Content-Length: ${length}`], pieces)),
    ),
    raw(
      'two lengths',
      body.map(({ pieces }) => [
        head([...WITH_KEY, close, 'Content-Length: 2', 'Content-Length: 3']),
        ...pieces,
      ]),
    ),
    raw(
      'chunks',
      fc
        .tuple(
          fc.constantFrom(
            '5\r\n{}',
            'zz\r\n',
            '-1\r\n{}\r\n',
            'fffffffffffffffff\r\n',
            '2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n',
            '0\r\n\r\n',
          ),
          times,
        )
        .map(([text, count]) => [
          head([...WITH_KEY, close, 'Transfer-Encoding: chunked']),
          { text: '1\r\n \r\n', times: count },
          { text },
        ]),
    ),
    raw(
      'chunks and length',
      fc.constant([
        head([...WITH_KEY, close, 'Transfer-Encoding: chunked', 'Content-Length: 4']),
        { text: '0\r\n\r\nGET / HTTP/1.1\r\n\r\n' },
      ]),
    ),
    raw(
      'headers',
      times.map((count) => [
        { text: `${WITH_KEY.join('\r\n')}\r\n` },
        { text: 'X-{n}: a\r\n', times: count, numbered: true },
        { text: 'Connection: close\r\nContent-Length: 2\r\n\r\n{}' },
      ]),
    ),
    raw(
      'headers',
      times.map((count) => [
        { text: `GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: ` },
        { text: 'a=b; ', times: count },
        { text: '\r\n\r\n' },
      ]),
    ),
    raw(
      'path',
      times.map((count) => [
        { text: 'GET /' },
        { text: '%2e%2e/', times: count },
        { text: ` HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n` },
      ]),
    ),
    raw(
      'path',
      fc
        .constantFrom(
          '//',
          '*',
          '/v1/models/%ff',
          '/v1/models/__proto__',
          'http://a:b@c:99999/',
          '/v1/models?a[]=1&a[__proto__]=2',
        )
        .map((path) => [
          head([`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${KEY_PLACE}`, close]),
        ]),
    ),
    raw(
      'method',
      fc
        .constantFrom(
          'CONNECT a:1',
          `TRACE ${CHAT}`,
          `OPTIONS ${CHAT}`,
          'DELETE /v1/models',
          'PATCH /',
          'BREW /',
        )
        .map((line) => [head([`${line} HTTP/1.1`, 'Host: a', close])]),
    ),
    raw(
      'host',
      fc
        .constantFrom<readonly string[]>(
          [],
          ['Host: a', 'Host: b'],
          ['Host: '],
          ['Host: a b'],
          ['Host: \x7f@[::1'],
        )
        .map((lines) => [
          head(['GET /v1/models HTTP/1.1', ...lines, `Authorization: Bearer ${KEY_PLACE}`, close]),
        ]),
    ),
    raw(
      'key',
      fc
        .constantFrom(
          '',
          'Bearer',
          'Bearer svc_sk_',
          `Basic ${KEY_PLACE}`,
          `Bearer ${'a'.repeat(8_000)}`,
          `Bearer ${KEY_PLACE} `,
          `Bearer ${KEY_PLACE}x`,
          'Bearer é',
        )
        .map((value) => [
          head([
            `POST ${CHAT} HTTP/1.1`,
            'Host: a',
            `Authorization: ${value}`,
            'Content-Type: application/json',
            'Content-Length: 2',
            close,
          ]),
          { text: '{}' },
        ]),
    ),
    raw(
      'expect',
      fc
        .tuple(body, fc.constantFrom('100-continue', 'foo', ''))
        .map(([{ pieces }, value]) => request(pieces, `Expect: ${value}`)),
    ),
    raw(
      'encoding',
      body.map(({ pieces }) => request(pieces, 'Content-Encoding: gzip')),
    ),
    raw(
      'content type',
      fc
        .tuple(
          body,
          fc.constantFrom('text/plain', 'application/json; charset=utf-7', 'multipart/form-data', ','),
        )
        .map(([{ pieces }, type]) =>
          withBody(
            [...WITH_KEY.slice(0, 3), `Content-Type: ${type}`, `Content-Length: ${lengthOf(pieces)}`, close],
            pieces,
          ),
        ),
    ),
    raw(
      'upgrade',
      fc
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
    ),
    raw(
      'too large',
      fc
        .integer({ min: 1, max: 4 })
        .map((times) => request([{ text: ' '.repeat(1024), times: 4096 + times }, { text: '{}' }])),
    ),
  )
}
