// Reads recordings of every tool, and says what is wrong with a file and at which position.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { bounds } from '../../harness/bounds/bounds.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { createCaptureFile } from './capture-file.ts'
import type { Read } from './har/read-archive.ts'
import { readRecording } from './read-recording.ts'
import type { RecordedExchange } from './recorded-exchange.ts'

const folder = temporaryFolder()

async function read(path: string): Promise<Read[]> {
  const all: Read[] = []
  for await (const one of readRecording(path, () => {})) all.push(one)
  return all
}

async function readText(text: string | Uint8Array, name = 'file.har'): Promise<Read[]> {
  writeFileSync(`${folder}/${name}`, text)
  return read(`${folder}/${name}`)
}

const exchange: RecordedExchange = {
  startedAtMs: Date.parse('2026-01-02T03:04:05.678Z'),
  request: {
    method: 'POST',
    url: 'http://x/v1/chat/completions',
    path: '/v1/chat/completions',
    headers: [
      ['Host', 'x'],
      ['host', 'y'],
    ],
    body: Buffer.from('{"a":"\u2028é"}\r\n'),
  },
  response: {
    status: 200,
    headers: [['A', 'b']],
    body: Buffer.from([0xff, 0x00, 0x0a]),
    chunks: [
      { atMs: 1.5, size: 1 },
      { atMs: 2, size: 2 },
    ],
    end: 'broken',
  },
  timings: { firstByteMs: 1, totalMs: 2.5 },
}

test('a capture is read as it was written', async () => {
  const path = `${folder}/whole.jsonl`
  const file = createCaptureFile(path, 'http://x', { flag: '--out' })
  file.write(exchange)
  file.write({ ...exchange, response: null, error: 'gone' })
  file.close()
  const [first, second] = await read(path)
  expect(first).toEqual({ place: 'line 2', exchange })
  expect(second).toEqual({ place: 'line 3', exchange: { ...exchange, response: null, error: 'gone' } })
  const text = readFileSync(path, 'utf8')
  // Its writer was killed in the middle of a line.
  expect(await readText(text.slice(0, -20), 'cut.jsonl')).toEqual([
    first,
    { place: 'line 3', unread: 'the line is cut' },
  ])
  const lines = text.split('\n')
  await expect(
    readText([lines[0], lines[1]?.slice(0, -20), lines[2]].join('\n'), 'bad.jsonl'),
  ).rejects.toThrow(/bad\.jsonl: line 2: expected JSON$/)
  expect(() => createCaptureFile(path, 'http://x', { flag: '--out' })).toThrow(/--out .*the file exists/)
})

const entry = {
  startedDateTime: '2026-01-02T03:04:05.678Z',
  time: 50,
  request: {
    method: 'POST',
    url: 'https://x/openai/v1/chat/completions',
    headers: [
      { name: ':authority', value: 'x' },
      { name: 'content-type', value: 'application/json' },
    ],
    postData: { mimeType: 'application/json', text: '{"model":"m"}' },
  },
  response: {
    status: 200,
    headers: [{ name: 'x-a', value: '1\n2' }],
    content: { size: 2, mimeType: 'application/json', text: 'e30=', encoding: 'base64' },
  },
  timings: { blocked: -1, send: 1, wait: 30, receive: 19 },
}
const har = (...entries: readonly object[]): string =>
  JSON.stringify({ log: { version: '1.2', creator: {}, entries } })

test('an entry of a HAR is an exchange without the times of its pieces', async () => {
  expect(await readText(har(entry))).toEqual([
    {
      place: 'entry 1',
      exchange: {
        startedAtMs: Date.parse('2026-01-02T03:04:05.678Z'),
        request: {
          method: 'POST',
          url: 'https://x/openai/v1/chat/completions',
          path: '/openai/v1/chat/completions',
          headers: [['content-type', 'application/json']],
          body: Buffer.from('{"model":"m"}'),
        },
        response: {
          status: 200,
          headers: [
            ['x-a', '1'],
            ['x-a', '2'],
          ],
          body: Buffer.from('{}'),
          chunks: [],
          end: 'complete',
        },
        timings: { firstByteMs: 31, totalMs: 50 },
      },
    },
  ])
})

const { response } = entry
test.each([
  ['decoded text', { content: { text: 'é' } }, { exchange: { response: { body: Buffer.from('é') } } }],
  [
    'no body, and none was sent',
    { headers: [{ name: 'Content-Length', value: '0' }], content: {} },
    { exchange: { response: { body: Buffer.alloc(0) } } },
  ],
  ['a body that is missing', { content: { size: 9 } }, { exchange: { isBodyUnknown: true } }],
  ['no answer', { status: 0, content: {} }, { exchange: { response: null } }],
  ['an answer that broke', { _error: 'net::ERR_ABORTED' }, { exchange: { response: { end: 'broken' } } }],
])('an entry of a HAR with %s', async (_, members, expected) => {
  // A byte order mark before the text is skipped.
  const read = await readText(`\uFEFF${har({ ...entry, response: { ...response, ...members } })}`)
  expect(read).toMatchObject([{ place: 'entry 1', ...expected }])
})

const { request } = entry
test.each([
  ['no address', { request: { ...request, url: '' } }, /^request\.url: expected an address/],
  ['an address without a host', { request: { ...request, url: 'nowhere' } }, /^request\.url: expected an/],
  ['no date', { startedDateTime: 'now' }, /^startedDateTime: expected a date and time/],
  ['a time that is not a number', { time: 'long' }, /^time: Expected number, received string$/],
  ['no response', { response: undefined }, /^response: Required/],
  ['the status null', { response: { ...response, status: null } }, /^response\.status: /],
  ['no headers', { response: { ...response, headers: undefined } }, /^response\.headers: Required/],
  [
    'no body of its request',
    { request: { ...request, postData: { params: [] } } },
    /^the body of the request/,
  ],
  [
    'an empty body in place of one with a length',
    { request: { ...request, headers: [{ name: 'Content-Length', value: '9' }], postData: { text: '' } } },
    /^the body of the request/,
  ],
])('an entry of a HAR with %s is unread, and the next one is read', async (_, members, reason) => {
  const [odd, next] = await readText(har({ ...entry, ...members }, entry))
  expect(odd).toMatchObject({ place: 'entry 1', unread: expect.stringMatching(reason) })
  expect(next).toMatchObject({ place: 'entry 2', exchange: {} })
})

test.each([
  ['the encoding of its body null', { postData: { ...request.postData, encoding: null } }],
  ['no body, and none was sent', { headers: [{ name: 'content-length', value: '0' }], postData: undefined }],
])('an entry of a HAR is read although it has %s', async (_, members) => {
  const read = await readText(har({ ...entry, request: { ...request, ...members } }))
  expect(read).toMatchObject([{ exchange: { request: { method: 'POST' } } }])
})

describe('headers that were not recorded', () => {
  const answered = (members: object) => har({ ...entry, response: { ...response, ...members } })
  test.each([
    ['none at all', { headers: [] }, [['content-type', 'application/json']]],
    ['none, and no type', { headers: [], content: { text: '{}' } }, []],
    [
      'a type that Chromium does not know',
      { headers: [], content: { mimeType: 'x-unknown', text: '{}' } },
      [],
    ],
    [
      'null values',
      {
        headers: [
          { name: 'A', value: null },
          { name: 'Content-Type', value: null },
          { name: 'B', value: 'c' },
        ],
      },
      [
        ['B', 'c'],
        ['content-type', 'application/json'],
      ],
    ],
  ])('%s', async (_, members, headers) => {
    const read = await readText(answered(members))
    expect(read).toMatchObject([{ exchange: { areHeadersUnknown: true, response: { headers } } }])
  })

  test('a key whose value is null may have been sent', async () => {
    const headers = [
      { name: 'Authorization', value: null },
      { name: 'X', value: null },
    ]
    const read = await readText(har({ ...entry, request: { ...request, headers } }))
    expect(read).toMatchObject([{ exchange: { areSentHeadersUnknown: true, request: { headers: [] } } }])
    expect(await readText(har(entry))).not.toMatchObject([{ exchange: { areSentHeadersUnknown: true } }])
  })
})

describe('a body that is shorter than its size', () => {
  const sized = (text: string, size: number) =>
    readText(har({ ...entry, response: { ...response, content: { text, size } } }))
  test.each([
    ['{"id":"chatcmpl', 4_000_000],
    ['data: {"id":"a"}\n\ndata: {"i', 400],
    ['{"id":"a"}...(truncated)', 400],
  ])('%s of %d bytes cannot be judged', async (text, size) => {
    expect(await sized(text, size)).toMatchObject([{ unread: 'the text of a body is shorter than its size' }])
  })
  test.each([
    ['{"id":"a"}', 4000],
    ['data: {"id":"a"}\n\ndata: [DONE]\n\n', 4000],
    ['data: {"id":"a"}\n\n', 4000],
    ['{"id":"chatcmpl', 15],
    ['{"id":"chatcmpl', 18],
    ['{"id":"é', -1],
  ])('%s of %d bytes is the body: it has an end, or nothing is missing', async (text, size) => {
    expect(await sized(text, size)).toMatchObject([{ exchange: { response: { body: Buffer.from(text) } } }])
  })
  test('an empty text of some bytes is one that was not recorded', async () => {
    expect(await sized('', 312)).toMatchObject([{ exchange: { isBodyUnknown: true } }])
  })
  test('the cut body of a request makes the entry unread', async () => {
    const cut = { ...request, bodySize: 400, postData: { text: '{"model":"m","mess' } }
    expect(await readText(har({ ...entry, request: cut }))).toMatchObject([
      { unread: 'the text of a body is shorter than its size' },
    ])
  })
})

describe('an exchange that was stored twice', () => {
  const doubles = async (...entries: readonly object[]) =>
    (await readText(har(...entries))).map((read) => read.isDouble === true)
  const withId = (id: string) => ({ ...response, headers: [{ name: 'X-Request-Id', value: id }] })
  const at = (startedDateTime: string, response: object = withId('1')) => ({
    ...entry,
    startedDateTime,
    response,
  })
  const [first, within, behind] = [0, 20, 51].map(
    (ms) => `2026-01-02T03:04:05.${String(ms).padStart(3, '0')}Z`,
  )
  test.each([
    ['of the page and of its service worker', [at(first ?? ''), at(within ?? '')], [false, true]],
    ['three times', [at(first ?? ''), at(first ?? ''), at(within ?? '')], [false, true, true]],
    ['the inner one first', [at(within ?? ''), at(first ?? '')], [false, true]],
    ['one behind the other, which are two', [at(first ?? ''), at(behind ?? '')], [false, false]],
    ['with other ids', [at(first ?? ''), at(first ?? '', withId('2'))], [false, false]],
    [
      'with another answer',
      [at(first ?? ''), at(first ?? '', { ...withId('1'), content: { text: '{"a":1}' } })],
      [false, false],
    ],
    [
      'with another request',
      [at(first ?? ''), { ...at(first ?? ''), request: { ...request, postData: { text: '{}' } } }],
      [false, false],
    ],
    [
      'without an answer',
      [at(first ?? '', { ...response, status: 0 }), at(first ?? '', { ...response, status: 0 })],
      [false, false],
    ],
  ])('%s', async (_, entries, expected) => {
    expect(await doubles(...entries)).toEqual(expected)
  })
})

describe('bodies in files beside the archive', () => {
  const own = `${folder}/attached`
  const attached = (name: string): object => ({
    ...entry,
    response: { ...response, content: { size: -1, _file: name } },
  })
  const withFile = (...names: readonly string[]) => har(...names.map(attached))
  const readBeside = (...names: readonly string[]) => readText(withFile(...names), 'attached/session.har')
  beforeAll(() => {
    mkdirSync(`${own}/below`, { recursive: true })
    writeFileSync(`${own}/a.json`, '{"é":1}')
    writeFileSync(`${own}/below/b.bin`, Buffer.from([0xff, 0]))
    writeFileSync(`${folder}/secret.json`, 'secret')
    writeFileSync(`${own}/large.json`, Buffer.alloc(bounds().answerBytes + 1))
    symlinkSync(`${folder}/secret.json`, `${own}/link.json`)
    symlinkSync(folder, `${own}/up`)
    symlinkSync(`${own}/a.json`, `${own}/inner.json`)
  })

  test.each([
    ['a.json', Buffer.from('{"é":1}')],
    ['below/b.bin', Buffer.from([0xff, 0])],
    ['inner.json', Buffer.from('{"é":1}')],
  ])('%s is read', async (name, body) => {
    expect(await readBeside(name)).toMatchObject([{ exchange: { response: { body } } }])
  })

  test.each([
    ['../secret.json', /not in the folder/],
    ['below/../../secret.json', /not in the folder/],
    ['..\\secret.json', /not in the folder/],
    [`${folder}/secret.json`, /not in the folder/],
    ['link.json', /not in the folder/],
    ['up/secret.json', /not in the folder/],
    ['', /not in the folder/],
    ['a.json\0', /not in the folder/],
    ['below', /not a regular file/],
    ['none.json', /missing/],
    ['large.json', /more than \d+ bytes/],
  ])('%j is not read', async (name, reason) => {
    expect(await readBeside(name)).toMatchObject([
      { url: request.url, unread: expect.stringMatching(reason) },
    ])
  })

  test('the body of a request, too', async () => {
    const sent = { ...entry, request: { ...request, postData: { _file: 'a.json' } } }
    expect(await readText(har(sent), 'attached/session.har')).toMatchObject([
      { exchange: { request: { body: Buffer.from('{"é":1}') } } },
    ])
  })

  test('a file of two entries belongs to one of them, unless its name is its content', async () => {
    expect(await readBeside('a.json', 'a.json')).toMatchObject([
      { exchange: {} },
      { unread: 'a body is in a file that an earlier entry names, too' },
    ])
    const name = `${createHash('sha1').update('{}').digest('hex')}.json`
    writeFileSync(`${own}/${name}`, '{}')
    expect(await readBeside(name, name)).toMatchObject([{ exchange: {} }, { exchange: {} }])
  })
})

test.each([
  ['file.har.gz', gzipSync],
  ['file.zhar', deflateSync],
])('%s is decompressed', async (name, compress) => {
  expect(await readText(compress(har(entry)), name)).toEqual(await readText(har(entry)))
})

test.each([
  ['file.har', '', /: .*JSON/],
  ['file.har', '{"log":{"entries":[', /: after entry 0: the file ends before/],
  ['file.har', `${har(entry).slice(0, -10)}!`, /: after entry \d: /],
  ['file.har', '{}', /: .*expected HAR 1\.2/],
  ['utf16.har', Buffer.from(`\uFEFF${har(entry)}`, 'utf16le'), /: the file is UTF-16 text/],
  ['utf16.jsonl', Buffer.from('{"schema":', 'utf16le'), /: the file is UTF-16 text/],
  ['file.har', 'PK\u0003\u0004', /: the ZIP archive has no end/],
  ['file.har', `[${JSON.stringify(entry)}]`, /: the file is a bare list of HAR entries/],
  ['file.har', '[{"a":1}]', /: the file is a list/],
  ['file.chlsj', '[{"status":"COMPLETE","scheme":"https"}]', /: the file is a session of Charles/],
  ['file.chlsj', '[\n]', /: the file is a session of Charles/],
  ['file.har', '<!doctype html>', /: the file is HTML or XML/],
  ['file.flow', '1234:9:version;', /: the file is a dump of mitmproxy/],
  ['cut.har.gz', gzipSync(har(entry)).subarray(0, -20), /: unexpected end of file/],
  ['file.jsonl', '', /: line 1: the file is empty/],
  ['file.jsonl', 'GET / HTTP/1.1\n', /: line 1: expected a capture/],
  ['file.jsonl', '{"schema":"touchstone.capture/2"}\n', /: line 1: schema: /],
])('%s with %s', async (name, text, reason) => {
  const failing = readText(text, name)
  await expect(failing).rejects.toThrow(new RegExp(`${name}${reason.source}`))
  await expect(failing).rejects.toMatchObject({ name: 'UsageError' })
  await expect(failing).rejects.not.toThrow(/\n/)
})

test('a file that does not exist', async () => {
  await expect(read(`${folder}/missing.jsonl`)).rejects.toThrow(/missing\.jsonl: ENOENT/)
})
