// The same session in every form in which tools write it is judged as the live one, and odd entries are counted.
import zlib from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Report } from '../../contract/report.ts'
import { writeFileSync } from 'node:fs'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { writeZip, zipFile } from '../../exchanges/zip.ts'
import { type Entry, askedBy, judgeEntries, liveArchive } from './live-archive.fixture.ts'
import { judgeFile } from './recording.fixture.ts'

let live: Awaited<ReturnType<typeof liveArchive>>
beforeAll(async () => {
  live = await liveArchive()
})

const red = ({ checks }: Report): readonly string[] =>
  checks.filter(({ outcome }) => !['pass', 'not-applicable'].includes(outcome)).map(({ id }) => id)

const answerAs =
  (content: (text: string) => Entry['response']['content'], coding?: string) =>
  ({ response, ...entry }: Entry): Entry => {
    const headers = coding === undefined ? [] : [{ name: 'Content-Encoding', value: coding }]
    return {
      ...entry,
      response: {
        ...response,
        headers: [...response.headers, ...headers],
        content: content(response.content.text ?? ''),
      },
    }
  }

const base64 = (bytes: Uint8Array) => ({
  mimeType: '',
  text: Buffer.from(bytes).toString('base64'),
  encoding: 'base64',
})

/** Requests with gzip bytes as characters. */
function sentAsCharacters({ request, ...entry }: Entry): Entry {
  const { postData } = request
  if (postData === undefined) return { request, ...entry }
  const text = zlib.gzipSync(postData.text).toString('latin1')
  return { ...entry, request: { ...request, postData: { ...postData, text } } }
}

const under =
  (base: string, query = '') =>
  (entry: Entry): Entry => {
    const url = entry.request.url.replace(/^.*\/v1\//, `https://host.example${base}/`) + query
    return { ...entry, request: { ...entry.request, url } }
  }

/** Other forms of the same session. */
const forms: Readonly<Record<string, (entry: Entry) => Entry>> = {
  'as it was': (entry) => entry,
  'in base64': answerAs((text) => base64(Buffer.from(text))),
  'text that is labelled base64': answerAs((text) => ({ mimeType: '', text, encoding: 'base64' })),
  'already decoded': answerAs((text) => ({ mimeType: '', text }), 'gzip'),
  'base64 of gzip': answerAs((text) => base64(zlib.gzipSync(text)), 'gzip'),
  'base64 of brotli': answerAs((text) => base64(zlib.brotliCompressSync(text)), 'br'),
  'base64 of deflate': answerAs((text) => base64(zlib.deflateSync(text)), 'deflate'),
  'requests in gzip characters': sentAsCharacters,
  'under /api/v3': under('/api/v3'),
  'under /v1beta/openai': under('/v1beta/openai'),
  'under /openai/deployments': under('/openai/deployments/gpt-x', '?api-version=2024-10-21'),
  'without a version': under(''),
}

describe.each(Object.entries(forms))('%s', (_, form) => {
  test('is judged as the live session', async () => {
    const [expected, report] = [await judgeEntries(live.entries), await judgeEntries(live.entries.map(form))]
    expect(red(report)).toEqual([])
    expect(report.exitCode).toBe(0)
    expect(report.checks.map(({ id, outcome }) => [id, outcome])).toEqual(
      expected.checks.map(({ id, outcome }) => [id, outcome]),
    )
  })
})

test('a recording is judged by the time of its entries, whatever the time is', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2040, 1, 2) })
  try {
    expect(red(await judgeEntries(live.entries))).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

/** Entries that are not about the service, or cannot be read. */
function odd(): readonly object[] {
  const [list, chat] = live.entries
  if (list === undefined || chat === undefined) throw new Error('the archive is empty')
  const { request, response } = chat
  const at = (url: string, status: number) => ({
    ...list,
    request: { ...list.request, url },
    response: {
      status,
      headers: [],
      content: { mimeType: 'image/png', text: 'iVBORw0KGgo=', encoding: 'base64' },
    },
  })
  return [
    at('https://telemetry.example/v1/traces', 500),
    at('https://cdn.example/v1/logo.png', 404),
    { ...chat, request: { ...request, url: '' } },
    { ...chat, response: { ...response, status: null } },
    { ...chat, response: undefined },
    { ...chat, response: { ...response, headers: undefined } },
    { ...chat, request: { ...request, headers: [{ name: 'A', value: null }] } },
    { ...chat, request: { ...request, postData: undefined } },
    {
      ...chat,
      request: {
        method: 'OPTIONS',
        url: request.url,
        headers: [{ name: 'Access-Control-Request-Method', value: 'POST' }],
      },
      response: { status: 204, headers: [], content: { mimeType: '' } },
    },
  ]
}

test('odd entries are counted, wherever they stand, and the others are judged', async () => {
  const clean = await judgeEntries(live.entries)
  for (const entries of [
    [...odd(), ...live.entries],
    [...live.entries, ...odd()],
  ]) {
    const report = await judgeEntries(entries)
    expect(red(report)).toEqual([])
    expect(report.totals).toEqual(clean.totals)
    const count = (name: RegExp): number =>
      report.target.facts
        .filter((fact) => name.test(fact.name))
        .reduce((sum, { value }) => sum + Number(value), 0)
    expect(count(/^entries$/)).toBe(entries.length)
    expect(count(/^exchanges of /)).toBe(live.entries.length)
    // The one whose header has no value is the same exchange as the entry that it was made of.
    expect(count(/^entries of an exchange that was recorded before/)).toBe(1)
    expect(count(/^requests to other addresses/)).toBe(2)
    expect(count(/^CORS preflights/)).toBe(1)
    expect(count(/^entries that cannot be judged/)).toBe(5)
  }
})

const withoutValues = (list: Entry['request']['headers']): object[] =>
  list.map(({ name }) => ({ name, value: null }))
const changed =
  (headers: (list: Entry['request']['headers']) => object[], side: 'request' | 'response') =>
  (entry: Entry): object => ({ ...entry, [side]: { ...entry[side], headers: headers(entry[side].headers) } })

describe.each([
  ['no headers of answers', changed(() => [], 'response')],
  ['no headers of requests', changed(() => [], 'request')],
  ['answers whose headers have no values', changed(withoutValues, 'response')],
  ['requests whose headers have no values', changed(withoutValues, 'request')],
])('%s', (_, change) => {
  test('are never a fault, in all entries or in some', async () => {
    for (const every of [1, 3]) {
      const report = await judgeEntries(
        live.entries.map((entry, at) => (at % every === 0 ? change(entry) : entry)),
      )
      expect(red(report)).toEqual([])
      expect(report.exitCode).toBe(0)
    }
  })

  test('do not hide a fault of a body', async () => {
    const endless = structuredClone(live.entries)
    for (const { response } of endless)
      response.content.text = (response.content.text ?? '').replace('data: [DONE]\n\n', '')
    expect(red(await judgeEntries(endless.map(change)))).toContain('stream.every-end')
  })
})

test('each exchange stored twice is judged once', async () => {
  const twice = live.entries.flatMap((entry) => [{ ...entry, _fetchedViaServiceWorker: true }, entry])
  const [clean, report] = [await judgeEntries(live.entries), await judgeEntries(twice)]
  expect(report.checks.map(({ id, outcome }) => [id, outcome])).toEqual(
    clean.checks.map(({ id, outcome }) => [id, outcome]),
  )
  expect(report.requests).toBe(clean.requests)
})

test('the same answer to one request after the other is a repeated id', async () => {
  const [, chat] = live.entries
  if (chat === undefined) throw new Error('the archive is empty')
  const later = { ...chat, startedDateTime: new Date(Date.parse(chat.startedDateTime) + 900).toISOString() }
  expect(red(await judgeEntries([...live.entries, later]))).toContain('wire.every-id')
})

test('a ZIP archive of Playwright has a HAR and the bodies', async () => {
  const names = live.entries.map((_, at) => `${at}.json`)
  const entries = live.entries.map(({ response, ...entry }, at) => ({
    ...entry,
    response: { ...response, content: { mimeType: response.content.mimeType, size: -1, _file: names[at] } },
  }))
  const har = JSON.stringify({ log: { version: '1.2', entries } })
  const bodies = live.entries.map(({ response }, at) =>
    zipFile(names[at] ?? '', Buffer.from(response.content.text ?? '')),
  )
  const path = `${temporaryFolder()}/session.zip`
  writeFileSync(path, writeZip([...bodies, zipFile('har.har', Buffer.from(har))]))
  const [expected, report] = [await judgeEntries(live.entries), await judgeFile(path, { profile: 'service' })]
  expect(report.checks.map(({ id, outcome }) => [id, outcome])).toEqual(
    expected.checks.map(({ id, outcome }) => [id, outcome]),
  )
  // Without its bodies nothing can be judged, and the report says why.
  writeFileSync(path, writeZip([zipFile('har.har', Buffer.from(har))]))
  const empty = await judgeFile(path).catch((error: unknown) => error)
  expect(JSON.stringify(empty)).toContain('a body is in a file that is not in the archive')
  writeFileSync(path, writeZip([zipFile('other.json', Buffer.from('{}'))]))
  await expect(judgeFile(path)).rejects.toThrow(/ZIP archive with no HAR/)
})

test('a recording without bodies of answers is readable, and never green', async () => {
  const without = structuredClone(live.entries)
  for (const { response } of without) delete response.content.text
  const report = await judgeEntries(without)
  expect(report.exitCode).toBe(3)
  const outcomeOf = (row: string) => report.requirements.find(({ id }) => id === row)?.outcome
  expect(['CHAT-1', 'WIRE-1', 'ERR-1', 'STREAM-1'].map(outcomeOf)).toEqual(Array(4).fill('not-applicable'))
  expect(['WIRE-21', 'CALL-1', 'CALL-3', 'ERR-7'].map(outcomeOf)).toEqual(Array(4).fill('pass'))
})

test('a recording in which no completion can be judged is never green', async () => {
  const rest = live.entries.filter((entry) => askedBy(entry)['model'] === undefined)
  expect((await judgeEntries(rest)).exitCode).toBe(3)
  const lost = structuredClone(live.entries)
  for (const { request } of lost) delete request.postData
  const report = await judgeEntries(lost)
  expect([report.exitCode, red(report)]).toEqual([3, []])
})
