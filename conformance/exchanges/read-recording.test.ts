// Reads recordings of every tool, and says what is wrong with a file and at which position.
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { createCaptureFile } from './capture-file.ts'
import { type Read, readRecording } from './read-recording.ts'
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
    'a header without a value',
    { request: { ...request, headers: [...request.headers, { name: 'a', value: null }] } },
    /^request\.headers\[2\]\.value: /,
  ],
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
  ['file.har', 'PK\u0003\u0004', /: the file is a ZIP archive/],
  ['file.har', '<!doctype html>', /: the file is HTML or XML/],
  ['file.flow', '1234:9:version;', /: the file is a dump of mitmproxy/],
  ['cut.har.gz', gzipSync(har(entry)).subarray(0, -20), /: unexpected end of file/],
  ['file.jsonl', '', /: line 1: the file is empty/],
  ['file.jsonl', 'GET / HTTP/1.1\n', /: line 1: expected a capture/],
  ['file.jsonl', '{"schema":"touchstone.capture/2"}\n', /: line 1, schema: /],
])('%s with %s', async (name, text, reason) => {
  const failing = readText(text, name)
  await expect(failing).rejects.toThrow(new RegExp(`${name}${reason.source}`))
  await expect(failing).rejects.toMatchObject({ name: 'UsageError' })
  await expect(failing).rejects.not.toThrow(/\n/)
})

test('a file that does not exist', async () => {
  await expect(read(`${folder}/missing.jsonl`)).rejects.toThrow(/missing\.jsonl: ENOENT/)
})
