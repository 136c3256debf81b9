// Hostile ways to send an answer: its coding, its framing, its head and its end. Each makes steps on a connection from
// a good answer; the seed makes all further choices. Whole, because it is one table of ways.
import zlib from 'node:zlib'
import type { Chances } from './chances.ts'
import { hostileBody } from './hostile-bodies.ts'

export interface GoodAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly isStream: boolean
}

/** An action of a service on a connection. */
export type SendStep =
  | Buffer
  | { readonly waitMs: number }
  /** Writes the bytes again and again, as fast as they are read. */
  | { readonly pour: Buffer; readonly times: number }
  | 'reset'
  | 'end'
  /** Neither sends more nor closes the connection. */
  | 'silence'

export type Way = (answer: GoodAnswer, chances: Chances) => readonly SendStep[]

/** A wait that is short beside the time limit of the judge, in milliseconds. */
const SHORT_MS = 300

const BOMB_BYTES = 256 * 1024 * 1024

const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])

function head({ status, headers }: GoodAnswer, ...more: readonly string[]): Buffer {
  const own = headers.filter(([name]) => !FRAMING.has(name.toLowerCase()))
  const lines = [`HTTP/1.1 ${status} X`, ...own.map(([name, value]) => `${name}: ${value}`), ...more]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** An answer as it should be. */
export function wellSent(answer: GoodAnswer, ...more: readonly string[]): Buffer {
  return Buffer.concat([head(answer, `Content-Length: ${answer.body.length}`, ...more), answer.body])
}

function chunk(bytes: Buffer | string, extension = ''): Buffer {
  const body = Buffer.from(bytes)
  return Buffer.concat([
    Buffer.from(`${body.length.toString(16)}${extension}\r\n`),
    body,
    Buffer.from('\r\n'),
  ])
}

const LAST = '0\r\n\r\n'
const CHUNKED = 'Transfer-Encoding: chunked'

/** The body as chunks of these sizes. */
function chunks(body: Buffer, size: number, extension = ''): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += size) pieces.push(chunk(body.subarray(at, at + size), extension))
  return Buffer.concat(pieces)
}

const ENCODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: (body) => zlib.gzipSync(body),
  deflate: (body) => zlib.deflateSync(body),
  br: (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (body) => zlib.zstdCompressSync(body),
}

let bombs: Map<string, Buffer> | undefined

/** A body that is small until it is decoded. */
function bombOf(coding: string): Buffer {
  bombs ??= new Map()
  const known = bombs.get(coding)
  if (known !== undefined) return known
  const bomb = ENCODERS[coding]?.(Buffer.alloc(BOMB_BYTES, 'data: x\n\n')) ?? Buffer.alloc(0)
  bombs.set(coding, bomb)
  return bomb
}

/** The padding of a body, in bytes: a decoder returns it in many pieces, although it is small on the connection. */
const PADDING_BYTES = 300_000

/** An equivalent but large body: comments before each event, or white space before JSON. */
function padded({ body, isStream }: GoodAnswer): Buffer {
  if (!isStream) return Buffer.concat([Buffer.alloc(PADDING_BYTES, ' '), body])
  const events = body.toString('latin1').split('\n\n')
  const comment = ': padding\n'.repeat(PADDING_BYTES / 10 / events.length)
  return Buffer.from(events.map((event) => (event === '' ? '' : comment + event)).join('\n\n'), 'latin1')
}

/** Sends a body in a coding that the request does not allow. */
const coded: Way = (good, chances) => {
  const answer = chances.happens(0.5) ? { ...good, body: padded(good) } : good
  const coding = chances.pick(['gzip', 'deflate', 'br', 'zstd'])
  const whole = ENCODERS[coding]?.(answer.body) ?? answer.body
  const cutAt = chances.below(whole.length)
  // Mostly whole, so that the judge reads it to its end.
  const body = chances.pick([
    () => whole,
    () => whole,
    () => whole,
    () => whole,
    () => whole.subarray(0, cutAt),
    () => Buffer.concat([whole.subarray(0, cutAt), Buffer.from([0xff, 0, 0xff]), whole.subarray(cutAt + 3)]),
    () => Buffer.concat([whole, whole]),
    () => Buffer.concat([whole, Buffer.from('trailing garbage'.repeat(100))]),
    () => answer.body,
    () => ENCODERS['gzip']?.(whole) ?? whole,
    () => bombOf(coding),
    () => Buffer.alloc(0),
  ])()
  const name = chances.pick([coding, coding.toUpperCase(), `${coding}, gzip`, `x-${coding}`, 'identity', ' '])
  const header = `Content-Encoding: ${chances.happens(0.7) ? coding : name}`
  const half = Math.floor(body.length / 2)
  return chances.pick<readonly SendStep[]>([
    [wellSent({ ...answer, body }, header)],
    [
      Buffer.concat([
        head(answer, CHUNKED, header),
        chunks(body, 1 + chances.below(4096)),
        Buffer.from(LAST),
      ]),
    ],
    // Late: the decoder passes on its last bytes when the answer has ended, or its reader has left.
    [
      Buffer.concat([head(answer, CHUNKED, header), chunk(body.subarray(0, half))]),
      { waitMs: SHORT_MS },
      Buffer.concat([chunk(body.subarray(half)), Buffer.from(LAST)]),
    ],
    [Buffer.concat([head(answer, header), body]), 'end'],
    [Buffer.concat([head(answer, CHUNKED, header), chunk(body)]), 'reset'],
  ])
}

/** Breaks off, at any byte. */
const broken: Way = (answer, chances) => {
  const bytes = chances.happens(0.5)
    ? wellSent(answer)
    : Buffer.concat([head(answer, CHUNKED), chunks(answer.body, 64), Buffer.from(LAST)])
  const at = chances.below(bytes.length + 1)
  return [bytes.subarray(0, at), chances.pick<SendStep>(['reset', 'end', 'reset', 'silence'])]
}

const trailers: Way = (answer, chances) => {
  const lines = chances.pick([
    'X-A: 1\r\n',
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
    'Content-Type: text/html\r\n',
    `X: ${'a'.repeat(100_000)}\r\n`,
    'X: 1\r\n'.repeat(5_000),
    'no colon\r\n',
    '\0: \0\r\n',
    ': \r\n',
  ])
  return [
    Buffer.concat([
      head(answer, CHUNKED, 'Trailer: X-A'),
      chunks(answer.body, 100),
      Buffer.from(`0\r\n${lines}\r\n`),
    ]),
  ]
}

const chunkForms: Way = (answer, chances) => {
  const { body } = answer
  const sent = chances.pick([
    () => Buffer.concat([chunks(body, 10, `;${'a=b;'.repeat(10)}`), Buffer.from(LAST)]),
    () => Buffer.concat([chunk(body, `;${'x'.repeat(100_000)}`), Buffer.from(LAST)]),
    () => Buffer.concat([chunks(body, 1), Buffer.from(LAST)]),
    () =>
      Buffer.concat([
        Buffer.from(`${'0'.repeat(50)}${body.length.toString(16)}\r\n`),
        body,
        Buffer.from(`\r\n${LAST}`),
      ]),
    () => Buffer.concat([Buffer.from('ffffffffffffffff\r\n'), body]),
    () => Buffer.concat([Buffer.from('-5\r\n'), body]),
    () => Buffer.concat([Buffer.from('zz\r\n'), body]),
    () =>
      Buffer.concat([Buffer.from(`${(body.length + 3).toString(16)}\r\n`), body, Buffer.from(`\r\n${LAST}`)]),
    () => chunks(body, 1000),
    () => Buffer.concat([chunks(body, 1000), Buffer.from('0\r\n')]),
    () => Buffer.concat([chunk(body).subarray(0, -2), Buffer.from(`\n${LAST}`)]),
  ])()
  return [Buffer.concat([head(answer, CHUNKED), sent]), chances.pick<SendStep>(['end', 'silence', 'reset'])]
}

const interim: Way = (answer, chances) => {
  const status = chances.pick([100, 102, 103, 199, 101])
  const one = Buffer.from(`HTTP/1.1 ${status} X\r\n${chances.happens(0.5) ? 'Link: <x>\r\n' : ''}\r\n`)
  return chances.pick<readonly SendStep[]>([
    [Buffer.concat([one, wellSent(answer)])],
    [{ pour: one, times: chances.pick([10, 999, 1_001, 100_000]) }, wellSent(answer)],
    [{ pour: one, times: 5_000 }, 'silence'],
    [Buffer.from('HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'), answer.body, 'end'],
  ])
}

/** A status without a body, with one. */
const bodiless: Way = (answer, chances) => {
  const odd = { ...answer, status: chances.pick([204, 205, 304, 204, 100, 199, 299, 600, 999, 0, 42]) }
  return chances.pick<readonly SendStep[]>([
    [wellSent(odd)],
    [Buffer.concat([head(odd, CHUNKED), chunk(odd.body), Buffer.from(LAST)])],
    [Buffer.concat([head(odd), odd.body]), 'end'],
    [head(odd)],
  ])
}

const framings: Way = (answer, chances) => {
  const { length } = answer.body
  const lines = chances.pick<readonly [string, ...string[]]>([
    [`Content-Length: ${length}`, CHUNKED],
    [CHUNKED, CHUNKED],
    ['Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: identity'],
    [`Content-Length: ${length}`, `Content-Length: ${length}`],
    [`Content-Length: ${length}`, `Content-Length: ${length + 1}`],
    [`Content-Length: ${length}, ${length}`],
    [`Content-Length: -${length}`],
    [`Content-Length: +${length}`],
    [`Content-Length: ${length}.0`],
    ['Content-Length: 99999999999999999999999'],
    [`Content-Length: ${length - 1}`],
    [`Content-Length: ${length + 7}`],
    ['Content-Length: '],
    ['Transfer-Encoding : chunked'],
  ])
  const isChunked = lines.some((line) => /chunked/.test(line))
  const body =
    isChunked && chances.happens(0.7) ? Buffer.concat([chunk(answer.body), Buffer.from(LAST)]) : answer.body
  return [
    Buffer.concat([head(answer, ...lines), body]),
    chances.pick<SendStep>(['end', 'silence', Buffer.from('more')]),
  ]
}

const heads: Way = (answer, chances) => {
  const good = `Content-Length: ${answer.body.length}`
  const odd = (...lines: readonly string[]): readonly SendStep[] => [
    Buffer.concat([head(answer, good, ...lines), answer.body]),
  ]
  const begin = (line: string): readonly SendStep[] => [Buffer.from(line, 'latin1'), wellSent(answer), 'end']
  return chances.pick<() => readonly SendStep[]>([
    () => [Buffer.from('HTTP/1.1 200 OK\r\nX-Long: '), { pour: Buffer.alloc(16_384, 'a'), times: 10_000 }],
    () => odd(...Array.from({ length: 5_000 }, (_, at) => `X-${at}: ${at}`)),
    () => odd(`X: ${'a'.repeat(15_000)}`),
    () => odd('Set-Cookie: a', 'Set-Cookie: b', '__proto__: 1', 'constructor: 2', 'Content-Type: '),
    () => odd('no colon'),
    () => odd(' folded: 1'),
    () => odd('X: a\0b'),
    () => odd('X: \u00ff\u0080'),
    () => odd('Retry-After: 1e99', 'retry-after-ms: -5'),
    () => odd('Retry-After: Fri, 31 Dec 9999 23:59:59 GMT', 'Date: never'),
    () => odd('Content-Type: text/event-stream; charset=\u00e9', 'Content-Type: x'),
    () => odd('Connection: close', 'Keep-Alive: timeout=0'),
    () => odd(`Location: ${'/x'.repeat(1_000)}`),
    () => begin('HTTP/9.9 200 OK\r\n'),
    () => begin('HTTP/1.1 2000 OK\r\n'),
    () => begin('HTTP/1.1\r\n'),
    () => begin('SSH-2.0-OpenSSH_9.6\r\n'),
    () => begin('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    () => begin('\u0015\u0003\u0001\u0000\u0002\u0002F'),
    () => begin('\r\n\r\n'),
    () => [answer.body, 'end'],
  ])()
}

/** Whole and valid HTTP, but oddly timed or followed by odd bytes. */
const times: Way = (answer, chances) => {
  const bytes = wellSent(answer)
  const at = chances.below(bytes.length)
  return chances.pick<readonly SendStep[]>([
    ['silence'],
    [{ waitMs: SHORT_MS }, bytes],
    [bytes.subarray(0, at), { waitMs: SHORT_MS }, bytes.subarray(at)],
    [Buffer.concat([bytes, bytes])],
    [Buffer.concat([bytes, Buffer.from('unsolicited')])],
    [bytes, 'reset'],
    [bytes, 'end'],
    [Buffer.concat([head(answer), answer.body]), { pour: answer.body, times: 100_000 }],
    [
      Buffer.concat([head(answer, CHUNKED), chunks(answer.body, 100)]),
      { pour: chunk('data: x\n\n'), times: 1_000_000 },
    ],
    ['reset'],
    ['end'],
  ])
}

const contents: Way = (answer, chances) => [
  wellSent({ ...answer, body: hostileBody(answer.body, answer.isStream, chances) }),
]

/** A good answer to another request. */
const statuses: Way = (answer, chances) => [
  wellSent({
    ...answer,
    status: chances.pick([200, 201, 302, 400, 401, 402, 404, 408, 413, 429, 500, 502, 503, 599]),
    body: chances.pick([
      answer.body,
      Buffer.from('<html>no</html>'),
      Buffer.from('{"error":{}}'),
      Buffer.alloc(0),
    ]),
  }),
]

/** Each way by its name. Contents are the most, because they reach the deepest into the judge. */
export const WAYS: Readonly<Record<string, Way>> = {
  contents,
  coded,
  broken,
  trailers,
  chunkForms,
  interim,
  bodiless,
  framings,
  heads,
  times,
  statuses,
}
