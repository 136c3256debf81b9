// The beginnings of attacks on connections: bytes that a server has to answer or to bound, most of them not a whole request.
import * as fc from 'fast-check'
import type { Attack, Piece } from '../attack.ts'
import { CLOSE, head, HOST, JSON_TYPE, KEY, NO_HTTP, POST, request } from '../raw-requests.ts'

/** The largest body that the specification promises to read, in bytes. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024

/** The part of a body over the limit that is sent as one piece, in bytes. */
const BLOCK = ' '.repeat(1024)

export type Opening = Omit<Attack, 'kind'>

/** A correct key, a wrong key and no key: the end of the name of a kind, and the key in the head of the request. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': [KEY],
  ' with a wrong key': [`${KEY}x`],
  ' without a key': [],
}

const post = (key: readonly string[], ...lines: readonly string[]): Piece =>
  head([POST, HOST, ...key, JSON_TYPE, CLOSE, ...lines])

const get = (...lines: readonly string[]): Piece => head(['GET /v1/models HTTP/1.1', HOST, KEY, ...lines])

/** Some bytes at a time: a drip that never ends, or one that ends within moments. */
const pace = fc.record({ bytes: fc.integer({ min: 1, max: 8 }), everyMs: fc.integer({ min: 20, max: 900 }) })
const drops = fc.constantFrom(3, 12, 1_000_000)

/** A part of a text from its beginning, never all of it. */
const half = (text: string): fc.Arbitrary<string> =>
  fc.integer({ min: 1, max: text.length - 1 }).map((length) => text.slice(0, length))

const dripping = (start: readonly Piece[], piece: Piece): fc.Arbitrary<Opening> =>
  fc.tuple(pace, drops).map(([slowly, times]) => ({
    pieces: start,
    steps: [{ write: [{ ...piece, times }], pace: slowly }],
  }))

/** The kinds that leave a request unfinished, for each key. */
function unfinished(key: readonly string[], body: string): Readonly<Record<string, fc.Arbitrary<Opening>>> {
  const chunked = post(key, 'Transfer-Encoding: chunked')
  const lengths = [body.length, 60_000, 1_000_000]
  return {
    'half body': fc.tuple(fc.constantFrom(...lengths), half(body)).map(([length, part]) => ({
      pieces: [post(key, `Content-Length: ${length}`), { text: part }],
    })),
    'dripping body': fc
      .constantFrom(...lengths)
      .chain((length) => dripping([post(key, `Content-Length: ${length}`)], { text: ' ' })),
    'half chunk': half(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`).map((part) => ({
      pieces: [chunked, { text: part }],
    })),
    'dripping chunks': dripping([chunked], { text: '1\r\n \r\n' }),
    'expects 100-continue': fc.constant({
      pieces: [post(key, `Content-Length: ${body.length}`, 'Expect: 100-continue')],
    }),
  }
}

/** Bodies over the limit. Their client reads, so it is owed the refusal. */
function tooLarge(key: readonly string[]): fc.Arbitrary<Opening> {
  const blocks = BODY_LIMIT_BYTES / BLOCK.length + 2
  const chunk = `${BLOCK.length.toString(16)}\r\n${BLOCK}\r\n`
  const onward = fc.option(
    pace.map((slowly) => [
      { until: 'answer' as const },
      { write: [{ text: ' ', times: 1_000_000 }], pace: slowly },
    ]),
    { nil: [] },
  )
  return fc
    .tuple(fc.constantFrom<'exact' | 'short' | 'chunked'>('exact', 'short', 'chunked'), onward)
    .map(([form, steps]) => ({
      pieces:
        form === 'chunked'
          ? [post(key, 'Transfer-Encoding: chunked'), { text: chunk, times: blocks }, { text: '0\r\n\r\n' }]
          : [
              post(key, `Content-Length: ${BLOCK.length * blocks}`),
              { text: BLOCK, times: form === 'exact' ? blocks : blocks - 1 },
            ],
      owed: 1,
      steps,
    }))
}

/** The beginnings of attacks on connections to a service that has this model, by kind. */
export function openings(model: string): Readonly<Record<string, fc.Arbitrary<Opening>>> {
  const chat = (members: object, content: readonly Piece[] = [{ text: 'hello' }]): readonly Piece[] => [
    { text: `${JSON.stringify({ model, ...members }).slice(0, -1)},"messages":[{"role":"user","content":"` },
    ...content,
    { text: '"}]}' },
  ]
  const body = chat({})
    .map(({ text }) => text)
    .join('')
  const long: readonly Piece[] = [{ text: 'word ', times: 600_000 }]
  const fixed = (pieces: readonly Piece[], owed: number): fc.Arbitrary<Opening> =>
    fc.constant({ pieces, owed })
  const unread = (pieces: readonly Piece[]): fc.Arbitrary<Opening> =>
    fc.constant({ pieces, steps: [{ do: 'stop reading' }] })
  const upgrade = (name: string, ...lines: readonly string[]): fc.Arbitrary<Opening> =>
    fixed([get('Connection: Upgrade, close', `Upgrade: ${name}`, ...lines)], 1)
  const wholeHead = `${[POST, HOST, KEY, CLOSE].join('\r\n')}\r\n`
  return {
    idle: fixed([], 0),
    bytes: fc
      .oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), fc.constantFrom(...NO_HTTP))
      .map((text) => ({ pieces: [{ text }] })),
    'half head': half(wholeHead).map((text) => ({ pieces: [{ text }] })),
    'dripping head': dripping([{ text: wholeHead }], { text: 'X-{n}: a\r\n', numbered: true }),
    ...Object.fromEntries(
      Object.entries(KEYS).flatMap(([name, key]) =>
        Object.entries({ ...unfinished(key, body), 'too large': tooLarge(key) }).map(
          ([kind, opening]) => [`${kind}${name}`, opening] as const,
        ),
      ),
    ),
    'expects foo': fixed([post([KEY], 'Content-Length: 10', 'Expect: foo')], 0),
    connect: fixed([head(['CONNECT a.test:443 HTTP/1.1', 'Host: a.test:443'])], 1),
    websocket: upgrade(
      'websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ),
    h2c: upgrade('h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
    request: fixed([get(CLOSE)], 1),
    chat: fixed(request(chat({})), 1),
    stream: fixed(request(chat({ stream: true })), 1),
    'unread chat': unread(request(chat({}))),
    'unread stream': unread(request(chat({ stream: true }, long))),
    'unread big answer': unread(request(chat({ n: 4 }, long))),
  }
}

/** Requests that are valid and keep their connection, before an opening; each is owed an answer if the client reads. */
export function pipelined(opening: Opening, count: number): Opening {
  const isRead = !opening.steps?.some((step) => 'do' in step)
  return {
    ...opening,
    pieces: [{ ...get(), times: count }, ...opening.pieces],
    ...(isRead ? { owed: (opening.owed ?? 0) + count } : {}),
  }
}
