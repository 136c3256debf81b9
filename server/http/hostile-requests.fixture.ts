// Malformed and abusive requests, as bytes and pauses: broken, smuggling, oversized, slow, half-open. Each consists of parts
// that are odd or usual, cut at any place.
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'

/** One step on a connection: bytes are written, a number is a pause in milliseconds. */
export type Step = Uint8Array | string | number | 'half-close' | 'reset'

export interface HostileOptions {
  /** A valid key, so that the server reads the body. */
  readonly secret: string
  readonly model: string
  /** Maximum size of a body, in bytes. */
  readonly maxBodyBytes: number
}

const PATH = '/v1/chat/completions'
const MODELS = '/v1/models'

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND', 'FOO', 'get']
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/9.9', 'HTTP/1', 'http/1.1', 'HTTP/1.1 extra', '']
const NO_PATHS = '/ * v1/models localhost:443 ftp://x/ http://example.invalid/v1/models http://[::1/v1/models'
const ALIASES =
  '/v1/../v1/models /v1/%2e%2e/%2e%2e/etc/passwd /dashboard/../v1/models /v1\\models //v1/models'
const NAMES = '# /x /% /%00 /%ff%fe /%zz /../../../../etc/passwd ?a[]=%00&%=1 /\u0001'
const TARGETS = [
  ...NO_PATHS.split(' '),
  ...ALIASES.split(' '),
  ...NAMES.split(' ').map((name) => MODELS + name),
  '/a'.repeat(35_000),
  `${MODELS}/${'%41'.repeat(2000)}`,
  `${MODELS}?${'a=b&'.repeat(3000)}`,
]

const KEYS = ['', 'Bearer', 'Bearer ', 'bearer x', 'Basic x', 'Bearer svc_sk_', 'Bearer \u00ff', 'Bearer %00']
const LONG_KEYS = [`Bearer ${'x'.repeat(15_000)}`, "Bearer svc_sk_' OR 1=1 --", 'Bearer svc_sk_\u0000']
const TYPES = ['application/json; charset=utf-16', 'multipart/form-data; boundary=x', 'text/plain', '\u00e4']
const HOSTS = [
  'Host: other',
  'Host: a b',
  'Host: [',
  'Host: localhost:99999',
  'Host:',
  `Host: ${'h'.repeat(10_000)}`,
]
const NO_FIELDS = ['No-Colon', ': no name', 'Bad Name: x', 'X\u0000: y', 'X: a\u0000b', 'X: a\rb', 'X: a\nb']
const FOLDED = [' Folded: at the start', 'X: a\r\n folded', 'X: y\r\n Transfer-Encoding: chunked']
const SPACED = ['Content-Length : 5', 'Transfer-Encoding : chunked', 'X: \u00ff\u00fe']
const CONNECTIONS = [
  'Connection: close, keep-alive',
  'Connection: authorization',
  'Keep-Alive: timeout=999999',
]
const CONDITIONS = [
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Range: bytes=0-',
  'If-Match: *',
  'TE: trailers',
]
const PROXIES = ['X-Forwarded-For: 127.0.0.1', 'X-Original-URL: /dashboard', 'Forwarded: for=_x']
const OTHER_KEYS = [
  'Authorization: Bearer second',
  'Proxy-Authorization: Basic eDp5',
  'Trailer: Authorization',
]
const LARGE = [`X: ${'a'.repeat(20_000)}`, `X: ${'a'.repeat(200_000)}`, `${'N'.repeat(20_000)}: x`]
const LINES = [
  ...HOSTS,
  ...NO_FIELDS,
  ...FOLDED,
  ...SPACED,
  ...CONNECTIONS,
  ...CONDITIONS,
  ...PROXIES,
  ...OTHER_KEYS,
  ...LARGE,
  'X-HTTP-Method-Override: DELETE',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13',
  Array.from({ length: 3000 }, (_, index) => `X-${index}: y`).join('\r\n'),
  Array.from({ length: 500 }, () => 'Cookie: a=b').join('\r\n'),
]

const LENGTHS = [
  '-1',
  '+5',
  '5, 5',
  '5, 6',
  '0x10',
  '1e3',
  '9'.repeat(20),
  '',
  'five',
  '5',
  '50',
  '1000000000000',
]
const CODINGS = [
  'xchunked',
  'chunked, identity',
  'identity, chunked',
  '\u000bchunked',
  'chunked;q=1',
  'gzip, chunked',
]
const TWO_LENGTHS = [
  'chunked\r\nTransfer-Encoding: chunked',
  'chunked\r\nContent-Length: 5',
  '\tchunked',
  'chunked',
]
const SIZES = [
  '',
  'zz',
  '-5',
  '+5',
  '0x5',
  ' 5',
  '2',
  '5;\nx',
  '50',
  'f'.repeat(18),
  `5;${'x'.repeat(50_000)}`,
]
const CHUNKS = [
  ...SIZES.map((size) => `${size}\r\nhello\r\n`),
  '5\nhello\n',
  '5\r\nhello',
  '1\r\n \r\n'.repeat(20_000),
]
const TRAILERS = ['Authorization: Bearer x\r\n', 'Content-Length: 5\r\n', `X: ${'x'.repeat(100_000)}\r\n`, '']
const LAST_CHUNKS = [...TRAILERS.map((trailer) => `0\r\n${trailer}\r\n`), '0\n\n', '']

const CUT_TEXTS = [
  '',
  ' ',
  '{',
  '}',
  '{"',
  '{"model"',
  '{"model":}',
  '{"a":1,}',
  '[1,]',
  '"\\u',
  '-',
  '\u0000',
]
const OTHER_TEXTS = [
  'null',
  '[]',
  '""',
  '1',
  '{a:1}',
  "{'a':1}",
  'NaN',
  '{"a":NaN}',
  '{"a":1e999}',
  '01',
  '"\\ud800"',
]
const PROTOTYPES = [
  '{"__proto__":{"isAdmin":true},"model":"x"}',
  '{"constructor":{"prototype":{}},"model":"x"}',
]
const DEEP = [
  '['.repeat(100_000),
  '{"a":'.repeat(50_000),
  '['.repeat(100_000) + ']'.repeat(100_000),
  '\ufeff{}',
]
const NO_HTTP = [
  Buffer.from('16030100a5010000a10303', 'hex'),
  Buffer.alloc(2000),
  Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
  Buffer.from('\r\n'.repeat(5000)),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
]

/** One of the odd values, or more often the usual one. */
const oddly = <Value>(usual: Value, odd: readonly Value[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

/** Bodies that ask for much, or for what no client asks. */
function costlyBodies(model: string): string[] {
  const messages = [{ role: 'user', content: 'hi' }]
  const schema = (schema: object) => ({
    type: 'json_schema',
    json_schema: { name: 'x', strict: true, schema },
  })
  const many = <Item>(count: number, item: Item): Item[] => Array(count).fill(item)
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
  const values: Readonly<Record<string, readonly unknown[]>> = {
    model: ['../../etc/passwd', 'x'.repeat(100_000)],
    messages: ['x', many(20_000, messages[0]), many(20_000, {})],
    n: [1e308, 129],
    stop: [many(1000, 'a')],
    stream: [true],
    max_tokens: [2 ** 53],
    ['k'.repeat(50_000)]: [1],
    logit_bias: [Object.fromEntries(many(5000, 1).entries())],
    response_format: [schema({ $ref: '#' }), schema({ type: 'string', pattern: '(a+)+$' })],
    tools: [many(128, tool)],
  }
  const content = many(10_000, { type: 'text', text: '' })
  const bodies = Object.entries(values).flatMap(([name, all]) => all.map((value) => ({ [name]: value })))
  return [{}, { messages: [{ role: 'user', content }] }]
    .concat(bodies)
    .map((fields) => JSON.stringify({ model, messages, ...fields }))
}

export function hostileRequest({ secret, model, maxBodyBytes }: HostileOptions): fc.Arbitrary<Step[]> {
  const valid = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] })
  const texts = [...CUT_TEXTS, ...OTHER_TEXTS, ...PROTOTYPES, ...DEEP, ...costlyBodies(model)]
  const nearlyValid = [
    valid.slice(0, -1),
    valid + valid,
    `${valid},`,
    `${valid}\u0000`,
    `{"model":1,${valid.slice(1)}`,
  ]
  const large = [`"${'x'.repeat(maxBodyBytes - 1)}"`, 'x'.repeat(maxBodyBytes * 2)]
  const bodies = [...texts, ...nearlyValid, ...large].map((text) => Buffer.from(text))
  const noText = ['7bfffe7d', '22c0af22'].map((hex) => Buffer.from(hex, 'hex'))
  const raw = [...noText, Buffer.from(valid, 'utf16le'), gzipSync(valid), gzipSync(Buffer.alloc(2_000_000))]
  const size = (body: Buffer) => `${body.length.toString(16)}\r\n${body.toString('latin1')}\r\n`

  const framed = fc.oneof(
    fc.constantFrom(...bodies, ...raw).map((body) => [`Content-Length: ${body.length}`, body] as const),
    fc.constantFrom('', 'Content-Encoding: gzip\r\n').map((line) => {
      const body = gzipSync(valid)
      return [`${line}Content-Length: ${body.length}`, body] as const
    }),
    fc
      .tuple(
        fc.array(fc.constantFrom(...CHUNKS, size(Buffer.from(valid))), { maxLength: 3 }),
        fc.constantFrom(...LAST_CHUNKS),
      )
      .map(
        ([chunks, last]) =>
          ['Transfer-Encoding: chunked', Buffer.from(chunks.join('') + last, 'latin1')] as const,
      ),
    fc
      .constantFrom(...LENGTHS)
      .map((length) => [`Content-Length: ${length}`, Buffer.from('{"model"')] as const),
    fc
      .constantFrom(...CODINGS, ...TWO_LENGTHS)
      .map((coding) => [`Transfer-Encoding: ${coding}`, Buffer.from('hello')] as const),
  )
  const line = fc.record({
    method: oddly('POST', [...METHODS, 'A'.repeat(5000)]),
    target: oddly(PATH, TARGETS),
    version: oddly('HTTP/1.1', VERSIONS),
    space: oddly(' ', ['  ', '\t']),
  })
  const request = fc
    .record({
      line,
      key: oddly(`Bearer ${secret}`, [...KEYS, ...LONG_KEYS]),
      type: oddly('application/json', TYPES),
      lines: oddly<readonly string[]>(
        [],
        LINES.map((text) => [text]),
      ),
      framed,
      end: oddly('\r\n', ['\n']),
    })
    .map(({ line: { method, target, version, space }, key, type, lines, framed: [length, body], end }) => {
      const fields = [
        'Host: localhost',
        `Authorization: ${key}`,
        `Content-Type: ${type}`,
        ...lines,
        length,
        '',
      ]
      const head = [[method, target, version].join(space), ...fields].join(end) + end
      return Buffer.concat([Buffer.from(head, 'latin1'), body])
    })
  const get = Buffer.from(
    `GET ${MODELS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
  )
  const pipeline = fc
    .tuple(fc.integer({ min: 1, max: 50 }), request)
    .map(([count, last]) => Buffer.concat([...Array(count).fill(get), last]))
  const noise = fc.oneof(fc.uint8Array({ maxLength: 4000 }).map(Buffer.from), fc.constantFrom(...NO_HTTP))

  const bytes = fc.oneof(
    { weight: 20, arbitrary: request },
    { weight: 2, arbitrary: pipeline },
    { weight: 1, arbitrary: noise },
  )
  const ending = oddly<Step[]>([], [['half-close'], ['reset'], [5, 'reset'], [0]])
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(bytes, ending).map(([whole, end]) => end.toSpliced(0, 0, whole)) },
    {
      // Cut short, and perhaps slow: some pieces of it, byte by byte at first.
      weight: 1,
      arbitrary: fc
        .tuple(bytes, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 10 }), ending)
        .map(([whole, share, singles, end]): Step[] => {
          const part = whole.subarray(0, Math.floor(whole.length * share))
          const slowly: Step[] = [...part.subarray(0, singles)].flatMap((byte) => [Uint8Array.of(byte), 100])
          return slowly.concat(part.subarray(singles), end)
        }),
    },
  )
}
