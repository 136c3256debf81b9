// Recordings with a fault: in each of the forms that the judge reads, compressed files that expand without bound, and archives
// with bodies as files.
import { createHash } from 'node:crypto'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { writeZip, zipFile } from '../../../exchanges/zip.ts'
import type { Chances } from '../judge/chances.ts'
import { archive, capture } from '../judge/hostile-recordings.ts'
import type { Box, Good } from './attack.ts'
import { type Broken, breakBytes, breakPart, deflatedBomb, hostileText } from './break-file.ts'
import { breakZip } from './hostile-zip.ts'

/** A recording in one of its forms: plain or compressed, alone or in an archive with its bodies. */
export function hostileRecording({ exchanges }: Good, box: Box, chances: Chances): string {
  const [first, ...others] = exchanges
  if (first === undefined) throw new Error('there are no exchanges')
  const mixed = Array.from({ length: 1 + chances.below(12) }, () => chances.pick([first, ...others]))
  const har = archive(mixed, chances)
  return chances.pick<() => string>([
    () => box.broken('session.jsonl', Buffer.from(capture(mixed)), breakPart),
    () => box.broken('session.har', Buffer.from(har)),
    () => box.broken('session.har.gz', Buffer.from(har), (bytes) => gzipped(bytes, chances)),
    () => box.broken('session.jsonl.gz', Buffer.from(capture(mixed)), (bytes) => gzipped(bytes, chances)),
    () => box.broken('session.har', Buffer.from(har), () => bomb(har, capture(mixed), chances)),
    () => box.broken('session.zip', Buffer.from(har), (bytes) => zippedRecording(bytes, chances)),
    () => withBodyFile(har, box, chances),
  ])()
}

function gzipped(bytes: Buffer, chances: Chances): Broken {
  const { fault, bytes: broken } = breakBytes(bytes, chances)
  if (chances.happens(0.2)) return { fault: 'gzip', bytes: breakBytes(gzipSync(bytes), chances).bytes }
  return { fault, bytes: gzipSync(broken) }
}

const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/** A compressed file of some kilobytes that expands to up to a gibibyte. */
function bomb(har: string, lines: string, chances: Chances): Broken {
  const entry = /"entries":\[(.*?\}),\{"startedDateTime"/s.exec(har)?.[1] ?? '{}'
  const line = lines.split('\n')[1] ?? '{}'
  const opening = '{"log":{"version":"1.2","entries":['
  const [name, begin, middle] = chances.pick<readonly [string, string, string]>([
    ['spaces', '', ' '],
    ['line ends', lines, '\n'],
    ['brackets', '', '['],
    ['brackets in an entry', opening, '['],
    ['a text', `${opening}{"a":"`, 'a'],
    ['escapes', `${opening}{"a":"`, '\\u0000'],
    ['empty entries', opening, '{},'],
    ['entries', opening, `${entry},`],
    ['values', `${opening}{"a":[`, '0,'],
    ['lines', lines, `${line}\n`],
    ['one line', `${lines}{"a":"`, 'x'],
  ])
  const size = chances.pick([50, 300, 1100]) * 2 ** 20
  const stream = deflatedBomb(begin, middle, size)
  return { fault: `expands: ${name}`, bytes: Buffer.concat([GZIP_HEAD, stream, Buffer.alloc(8)]) }
}

/** An archive with its bodies as files. */
function zippedRecording(har: Buffer, chances: Chances): Broken {
  const [body, digest] = ['{"id":"x"}', createHash('sha1').update('{"id":"x"}').digest('hex')]
  const name = chances.pick([`${digest}.json`, 'body.json', hostileText(chances).slice(0, 60_000)])
  const linked = har.toString().replaceAll(/"content":\{/g, `"content":{"_file":${JSON.stringify(name)},`)
  const members = [
    { name: 'session.har', content: Buffer.from(linked) },
    { name, content: Buffer.from(body) },
  ]
  if (chances.happens(0.5)) return breakZip(members, chances)
  const { fault, bytes } = breakBytes(Buffer.from(linked), chances)
  const content = Buffer.from(body)
  const stored = deflateRawSync(content)
  return {
    fault: `zip, ${fault}`,
    bytes: writeZip([
      zipFile('session.har', bytes),
      { name, content, stored, isDeflated: crc32(content) > 0 },
    ]),
  }
}

/** An archive that names a body beside it, which is hostile. */
function withBodyFile(har: string, box: Box, chances: Chances): string {
  const name = chances.pick(['body.json', '../out', '/dev/zero', 'in/../../cwd', hostileText(chances)])
  const isSafe = /^[\w.]+$/.test(name) && name.length < 200
  if (isSafe) box.broken(name, Buffer.from('{"id":"x"}'))
  const text = har.replaceAll(/"content":\{/g, `"content":{"_file":${JSON.stringify(name)},`)
  return box.good('session.har', text)
}
