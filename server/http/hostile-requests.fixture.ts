// Malformed and abusive requests, as bytes and pauses: broken, smuggling, oversized, slow, half-open. For the
// test that none of them is a 5xx, hangs, or costs memory. One list, which is added to at its end.
import { gzipSync } from 'node:zlib'

/** One step on a connection: bytes are written, a number is a pause in milliseconds. */
export type Step = Uint8Array | string | number | 'half-close' | 'reset'

export interface Hostile {
  readonly name: string
  readonly steps: readonly Step[]
}

export interface HostileOptions {
  /** A valid key, so that a body is looked at. */
  readonly secret: string
  readonly model: string
  /** The most bytes that the server takes as a body. */
  readonly maxBodyBytes: number
}

const PATH = '/v1/chat/completions'

function many<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item)
}

export function hostileRequests({ secret, model, maxBodyBytes }: HostileOptions): Hostile[] {
  const auth = `Authorization: Bearer ${secret}`
  const json = 'Content-Type: application/json'
  const good = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] })

  const head = (line: string, ...headers: string[]): string =>
    [line, 'Host: localhost', auth, ...headers, '', ''].join('\r\n')
  const post = (body: string | Uint8Array, ...headers: string[]): Step[] => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    return [head(`POST ${PATH} HTTP/1.1`, json, ...headers, `Content-Length: ${bytes.length}`), bytes]
  }
  const chunked = (body: string, ...headers: string[]): Step[] => [
    head(`POST ${PATH} HTTP/1.1`, json, 'Transfer-Encoding: chunked', ...headers) + body,
  ]
  const named = (group: string, entries: Readonly<Record<string, readonly Step[]>>): Hostile[] =>
    Object.entries(entries).map(([name, steps]) => ({ name: `${group}: ${name}`, steps }))
  const each = (
    group: string,
    values: readonly string[],
    steps: (value: string) => readonly Step[],
  ): Hostile[] =>
    values.map((value, place) => ({
      name: `${group} ${place + 1}: ${JSON.stringify(value.slice(0, 60))}`,
      steps: steps(value),
    }))

  const requestLines = each(
    'request line',
    [
      'G',
      'GET',
      'GET /',
      'GET / HTTP/9.9',
      'GET / HTTP/1',
      'GET / HTTP/0.9',
      'GET  /v1/models  HTTP/1.1',
      'get /v1/models HTTP/1.1',
      'GET /v1/models HTTP/1.1 extra',
      'GET\t/v1/models\tHTTP/1.1',
      'GET /v1/models http/1.1',
      ' GET /v1/models HTTP/1.1',
      'PRI * HTTP/2.0',
      'GET v1/models HTTP/1.1',
      'GET //v1/models HTTP/1.1',
      'GET /v1/../v1/models HTTP/1.1',
      'GET /v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1',
      'GET /v1/models/../../../../etc/passwd HTTP/1.1',
      'GET /v1/models/%00 HTTP/1.1',
      'GET /v1/models/%ff%fe HTTP/1.1',
      'GET /v1/models/%zz HTTP/1.1',
      'GET /v1/models/% HTTP/1.1',
      'GET /v1\\models HTTP/1.1',
      'GET /v1/models# HTTP/1.1',
      'GET /v1/models?a[]=%00&%=1 HTTP/1.1',
      'GET http://example.invalid/v1/models HTTP/1.1',
      'GET http://[::1/v1/models HTTP/1.1',
      'GET http://user:pw@localhost/v1/models HTTP/1.1',
      'GET ftp://x/ HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'CONNECT localhost:443 HTTP/1.1',
      'CONNECT /v1/models HTTP/1.1',
      'TRACE /v1/models HTTP/1.1',
      'PROPFIND /v1/models HTTP/1.1',
      'FOO /v1/models HTTP/1.1',
      'HEAD /v1/chat/completions HTTP/1.1',
      'DELETE /v1/models/x HTTP/1.1',
      'PUT /v1/chat/completions HTTP/1.1',
      `GET /${'a'.repeat(8000)} HTTP/1.1`,
      `GET /${'a'.repeat(70_000)} HTTP/1.1`,
      `GET /v1/models/${'%41'.repeat(2000)} HTTP/1.1`,
      `GET /v1/models?${'a=b&'.repeat(3000)} HTTP/1.1`,
      `${'A'.repeat(5000)} / HTTP/1.1`,
      'GET /v1/models/\u0001 HTTP/1.1',
      'GET /dashboard/../v1/models HTTP/1.1',
    ],
    (line) => [head(line)],
  )

  const headers = each(
    'header',
    [
      'Content-Length: -1',
      'Content-Length: +5',
      'Content-Length: 5, 5',
      'Content-Length: 5, 6',
      'Content-Length: 0x10',
      'Content-Length: 1e3',
      'Content-Length: 99999999999999999999',
      'Content-Length: ',
      'Content-Length: five',
      'Content-Length : 5',
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Transfer-Encoding: xchunked',
      'Transfer-Encoding: chunked, identity',
      'Transfer-Encoding: identity, chunked',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: \u000bchunked',
      'Transfer-Encoding : chunked',
      'Transfer-Encoding: chunked;q=1',
      'transfer-encoding:\tchunked',
      'Transfer-Encoding: gzip, chunked',
      'X: y\r\n Transfer-Encoding: chunked',
      'Host: other',
      'Host: a b',
      'Host: [',
      'Host: localhost:99999',
      `Host: ${'h'.repeat(10_000)}`,
      'Host:',
      'No-Colon',
      ': no name',
      'Bad Name: x',
      'X\u0000: y',
      'X: a\u0000b',
      'X: a\rb',
      'X: a\nb',
      ' Folded: at the start',
      'X: a\r\n folded',
      'X: \u00ff\u00fe',
      `X: ${'a'.repeat(20_000)}`,
      `X: ${'a'.repeat(200_000)}`,
      Array.from({ length: 3000 }, (_, index) => `X-${index}: y`).join('\r\n'),
      Array.from({ length: 500 }, () => 'Cookie: a=b').join('\r\n'),
      `${'N'.repeat(20_000)}: x`,
      'Expect: 100-continue',
      'Expect: 200-ok',
      'Expect: 100-continue\r\nContent-Length: 10',
      'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13',
      'Connection: close, keep-alive',
      'Connection: authorization',
      'Keep-Alive: timeout=999999',
      'Range: bytes=0-',
      'If-Match: *',
      'X-HTTP-Method-Override: DELETE',
      'X-Forwarded-For: 127.0.0.1',
      'X-Original-URL: /dashboard',
      'Forwarded: for=_x',
      'Authorization: Bearer second',
      'Proxy-Authorization: Basic eDp5',
      'TE: trailers',
      'Trailer: Authorization',
      'Content-Type: application/json; charset=utf-16',
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Type: text/plain',
      'Content-Type: application/json, application/json',
      'Content-Type: \u00e4',
    ],
    (header) => [`POST ${PATH} HTTP/1.1\r\nHost: localhost\r\n${auth}\r\n${header}\r\n\r\nhello`],
  )

  const credentials = each(
    'credentials',
    [
      '',
      'Bearer',
      'Bearer ',
      'bearer x',
      'Basic x',
      `Bearer ${'x'.repeat(15_000)}`,
      'Bearer svc_sk_',
      'Bearer svc_sk_\u0000',
      "Bearer svc_sk_' OR 1=1 --",
      'Bearer ../../etc',
      'Bearer %00',
      'Bearer \u00ff\u00ff',
    ],
    (value) => [`GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${value}\r\n\r\n`],
  )

  const bodies = each(
    'body',
    [
      '',
      ' ',
      'null',
      '[]',
      '""',
      '1',
      '{',
      '}',
      '{"',
      '{"model"',
      '{"model":}',
      '{"a":1,}',
      '[1,]',
      '{a:1}',
      "{'a':1}",
      'NaN',
      '{"a":NaN}',
      '{"a":1e999}',
      '-',
      '01',
      '"\\u',
      '"\\ud800"',
      '\u0000',
      '\ufeff{}',
      good.slice(0, -1),
      `${good}${good}`,
      `${good},`,
      `${good}\u0000`,
      '['.repeat(100_000),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      '{"a":'.repeat(50_000),
      `{"model":"${model}","model":"${model}"}`,
      `{"model":"${model}","messages":${'['.repeat(120)}${']'.repeat(120)}}`,
      '{"__proto__":{"isAdmin":true},"model":"x"}',
      '{"constructor":{"prototype":{}},"model":"x"}',
      JSON.stringify({ model: 'x'.repeat(100_000), messages: [] }),
      JSON.stringify({ model: '../../etc/passwd', messages: [{ role: 'user', content: '' }] }),
      JSON.stringify({ model, messages: 'x' }),
      JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], n: 1e308 }),
      JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], n: 129 }),
      JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], stop: many(1000, 'a') }),
      JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], max_tokens: 2 ** 53 }),
      JSON.stringify({ model, messages: many(20_000, { role: 'user', content: '' }) }),
      JSON.stringify({ model, messages: many(20_000, {}) }),
      JSON.stringify({
        model,
        messages: [{ role: 'user', content: many(10_000, { type: 'text', text: '' }) }],
      }),
      JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], [`${'k'.repeat(50_000)}`]: 1 }),
      JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'x' }],
        logit_bias: Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [id, 1])),
      }),
      JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'x' }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', strict: true, schema: { $ref: '#' } },
        },
      }),
      JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'x' }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', strict: true, schema: { type: 'string', pattern: '(a+)+$' } },
        },
      }),
      JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'x' }],
        tools: many(128, { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }),
      }),
    ],
    (body) => post(body),
  )

  const bytes = named('bytes', {
    'not UTF-8': post(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    'UTF-16': post(Buffer.from(good, 'utf16le')),
    'overlong UTF-8': post(Buffer.from([0x22, 0xc0, 0xaf, 0x22])),
    'gzip that is announced': post(gzipSync(good), 'Content-Encoding: gzip'),
    'gzip that is not announced': post(gzipSync(good)),
    'a bomb': post(gzipSync(Buffer.alloc(2_000_000)), 'Content-Encoding: gzip'),
    'one byte over the limit': post(`"${'x'.repeat(maxBodyBytes - 1)}"`),
    'twice the limit': post('x'.repeat(maxBodyBytes * 2)),
    'twice the limit, in chunks': chunked(
      `${(maxBodyBytes * 2).toString(16)}\r\n${'x'.repeat(maxBodyBytes * 2)}\r\n0\r\n\r\n`,
    ),
    'a length beyond the limit and no body': [
      head(`POST ${PATH} HTTP/1.1`, json, 'Content-Length: 1000000000000'),
    ],
    TLS: [Buffer.from('16030100a5010000a10303', 'hex')],
    zeros: [Buffer.alloc(2000)],
    noise: [Buffer.from(Array.from({ length: 4000 }, (_, index) => (index * 197 + 31) % 256))],
    'line ends': ['\r\n'.repeat(5000)],
    'a bare LF request': [`GET /v1/models HTTP/1.1\nHost: localhost\n${auth}\n\n`],
    SSH: ['SSH-2.0-OpenSSH_9.2\r\n'],
  })

  const chunks = named('chunks', {
    'no size': chunked('\r\nhello\r\n0\r\n\r\n'),
    'a size that is not a number': chunked('zz\r\nhello\r\n0\r\n\r\n'),
    'a negative size': chunked('-5\r\nhello\r\n0\r\n\r\n'),
    'a size with a sign': chunked('+5\r\nhello\r\n0\r\n\r\n'),
    'a size with 0x': chunked('0x5\r\nhello\r\n0\r\n\r\n'),
    'a huge size': chunked('ffffffffffffffffff\r\nhello'),
    'a size that is too small': chunked('2\r\nhello\r\n0\r\n\r\n'),
    'no line end after the data': chunked('5\r\nhello0\r\n\r\n'),
    'bare line feeds': chunked('5\nhello\n0\n\n'),
    'a long extension': chunked(`5;${'x'.repeat(50_000)}\r\nhello\r\n0\r\n\r\n`),
    'an extension with a line feed': chunked('5;\nx\r\nhello\r\n0\r\n\r\n'),
    'a trailer that authenticates': chunked(
      `${good.length.toString(16)}\r\n${good}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`,
    ),
    'a trailer that sets a length': chunked(
      `${good.length.toString(16)}\r\n${good}\r\n0\r\nContent-Length: 5\r\n\r\n`,
    ),
    'a long trailer': chunked(`0\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
    'thousands of tiny chunks': chunked(`${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`),
    'one byte each': chunked(`${[...good].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`),
    'white space before the size': chunked(` 5\r\nhello\r\n0\r\n\r\n`),
    'a request inside the body': chunked(`0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    'HTTP/1.0': [head(`POST ${PATH} HTTP/1.0`, json, 'Transfer-Encoding: chunked') + '0\r\n\r\n'],
  })

  const get = head('GET /v1/models HTTP/1.1')
  const pipelines = named('pipeline', {
    'fifty at once': [get.repeat(50)],
    'fifty completions': Array.from({ length: 50 }, () => post(good)).flat(),
    'good, then broken': [`${get}BROKEN\r\n\r\n`],
    'good, then a body without a length': [`${get}${good}`],
    'a body that is a request (CL.0)': [
      head(`GET /v1/models HTTP/1.1`, 'Content-Length: 40') +
        'GET /dashboard HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ],
    'a HEAD with a body': [head(`HEAD /v1/models HTTP/1.1`, 'Content-Length: 5') + `hello${get}`],
    'a stream, then another': [
      ...post(good.replace('{', '{"stream":true,')),
      ...post(good.replace('{', '{"stream":true,')),
    ],
    'no answer is waited for': [get.repeat(20), 'reset'],
  })

  const slow = named('slow', {
    'nothing at all': [],
    'one byte': ['G'],
    'a head that never ends': [
      'GET /v1/models HTTP/1.1\r\n',
      200,
      'X: y\r\n',
      200,
      'X: y\r\n',
      200,
      'X: y\r\n',
    ],
    'a head, byte by byte': [...'GET /v1/mo'].flatMap((letter) => [letter, 100]),
    'a body that never comes': [head(`POST ${PATH} HTTP/1.1`, json, 'Content-Length: 50')],
    'a body that stops': [head(`POST ${PATH} HTTP/1.1`, json, 'Content-Length: 50') + '{"model"'],
    'a body, byte by byte': [
      head(`POST ${PATH} HTTP/1.1`, json, 'Content-Length: 500'),
      ...[...'{"model":"x'].flatMap((letter) => [letter, 100]),
    ],
    'a chunk that never ends': chunked('50\r\n{"model"'),
    'no last chunk': chunked('2\r\n{}\r\n'),
    'a continue that is not waited for': [
      head(`POST ${PATH} HTTP/1.1`, json, 'Expect: 100-continue', 'Content-Length: 50'),
    ],
  })

  const halfOpen = named('half-open', {
    'closed at once': ['half-close'],
    'reset at once': ['reset'],
    'closed within the head': ['GET /v1/mod', 'half-close'],
    'reset within the head': ['GET /v1/mod', 'reset'],
    'closed after the head': [get, 'half-close'],
    'reset after the head': [get, 'reset'],
    'closed within the body': [
      head(`POST ${PATH} HTTP/1.1`, json, 'Content-Length: 50') + '{"model"',
      'half-close',
    ],
    'reset within the body': [
      head(`POST ${PATH} HTTP/1.1`, json, 'Content-Length: 50') + '{"model"',
      'reset',
    ],
    'closed within a chunk': [...chunked('50\r\n{"model"'), 'half-close'],
    'reset within a stream': [...post(good.replace('{', '{"stream":true,')), 5, 'reset'],
    'closed after a body': [...post(good), 'half-close'],
    'closed after a stream was requested': [...post(good.replace('{', '{"stream":true,')), 'half-close'],
  })

  return [
    ...requestLines,
    ...headers,
    ...credentials,
    ...bodies,
    ...bytes,
    ...chunks,
    ...pipelines,
    ...slow,
    ...halfOpen,
  ]
}
