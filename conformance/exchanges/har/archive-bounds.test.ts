// A recording of a stranger that a reader would build without an end: each bound ends the reading with one line.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { createArchiveBounds } from './archive-bounds.ts'
import { eachForOneEntry } from './body-files.ts'
import { readRecording } from '../read-recording.ts'
import { boundExpanded } from '../recorded-file.ts'

const folder = temporaryFolder()
const START = '{"log":{"version":"1.2","entries":['
const HEAD = '{"schema":"touchstone.capture/1","baseUrl":"http://a","startedAt":"2026-11-28T10:00:00.000Z"}\n'

async function read(name: string, text: string): Promise<void> {
  writeFileSync(`${folder}/${name}`, gzipSync(text))
  for await (const _ of readRecording(`${folder}/${name}`, () => {}));
}

describe('an archive', () => {
  test.each([
    ['of nested lists', '['.repeat(2_000_000), /after entry 0: it is nested deeper than 512 levels$/],
    ['of nested objects', '{"a":'.repeat(1_000), /nested deeper than 512 levels$/],
    ['of an entry of many values', `{"a":[${'{},'.repeat(700_000)}`, /at most 1000000 values of one entry$/],
    ['of an endless number', `{"a":${'1'.repeat(8_100_000)}`, /at most 8000000 escapes of one entry$/],
    ['of escapes', `{"a":"${'\\n'.repeat(8_100_000)}`, /at most 8000000 escapes of one entry$/],
    ['of an endless text', `{"a":"${'x'.repeat(68_000_000)}`, /at most 67108864 characters of one entry$/],
  ])('%s', async (_, entries, message) => {
    await expect(read('bomb.har.gz', START + entries)).rejects.toThrow(message)
  })

  test('of many entries', () => {
    const bound = createArchiveBounds()
    bound(START)
    expect(() => bound('{},'.repeat(50_001))).toThrow(/at most 50000 entries$/)
  })

  test('of brackets, commas and quotes in texts, in any pieces, of which every entry is within the bounds', () => {
    const bound = createArchiveBounds()
    const entry = `{"a":"${'[{,\\"\\\\'.repeat(150_000)}","b":[${'[1],'.repeat(300_000)}1]},`
    const text = START + entry.repeat(8)
    for (let at = 0; at < text.length; at += 65_537) bound(text.slice(at, at + 65_537))
    expect(() => bound(`[${'['.repeat(508)}`)).not.toThrow()
    expect(() => bound('[')).toThrow(/deeper/)
  })
})

describe('a capture', () => {
  test.each([
    ['of a deep line', `{"a":${'['.repeat(600)}`, /line 2: it is nested deeper than 512 levels$/],
    [
      'of a line of many values',
      `{"a":[${'{},'.repeat(700_000)}`,
      /line 2: it has more than 1000000 values$/,
    ],
    [
      'of an endless line',
      `{"a":"${'x'.repeat(68_000_000)}`,
      /line 2: expected at most 67108864 characters$/,
    ],
  ])('%s', async (_, line, message) => {
    await expect(read('bomb.jsonl.gz', HEAD + line)).rejects.toThrow(message)
  })
})

test('an entry with more headers than any message is unread, and a line with them ends the reading', async () => {
  const headers = (one: unknown): string => JSON.stringify(Array.from({ length: 20_001 }, () => one))
  const message = `"method":"POST","url":"http://a/v1/models","headers":`
  const request = `"request":{${message}${headers({ name: 'a', value: 'b' })}}`
  writeFileSync(
    `${folder}/headers.har`,
    `${START}{"startedDateTime":"2026-11-28T10:00:00Z",${request},"response":{"status":200,"headers":[]}}]}}`,
  )
  const [entry] = await Array.fromAsync(readRecording(`${folder}/headers.har`, () => {}))
  expect(entry).toMatchObject({ unread: expect.stringMatching(/^request\.headers: .*at most 20000/) })
  const line = `{"startedAt":"2026-11-28T10:00:00Z","request":{${message}${headers(['a', 'b'])},"path":"/"}}`
  await expect(read('headers.jsonl.gz', HEAD + line)).rejects.toThrow(/request\.headers: .*at most 20000/)
})

test('the bodies in files of one archive are bounded together', () => {
  const bytes = Buffer.alloc(2 ** 20)
  const name = createHash('sha1').update(bytes).digest('hex')
  const bodies = eachForOneEntry(() => ({ bytes }))
  for (let at = 0; at <= 256; at++) expect(bodies(name)).toHaveProperty('bytes')
  expect(bodies(name)).toEqual({ unread: 'the bodies in files have more than 268435456 bytes' })
})

test('a compressed file that expands without an end', () => {
  const bound = boundExpanded('x.har.gz')
  bound({ length: 256 * 1024 ** 2 })
  expect(() => bound({ length: 1 })).toThrow(
    /^x\.har\.gz: the file expands to more than 268435456 bytes; decompress it$/,
  )
})
