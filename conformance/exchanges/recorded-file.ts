// The text of a recording, whatever its size: UTF-8, plain or compressed. Any other file is named.
import { createReadStream, openSync, readSync, closeSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { bounds } from '../../harness/bounds/bounds.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** The bytes that are read at a time. */
const READ_BYTES = 256 * 1024

/** The bytes that show what a file is. */
const HEAD_BYTES = 16

/** Files that people take for recordings, by the first bytes in hexadecimal. */
const OTHERS: readonly (readonly [start: RegExp, what: string])[] = [
  [/^(?:fffe|feff|00..00|..00..00)/, 'UTF-16 text; save it as UTF-8, in PowerShell by `-Encoding utf8`'],
  [/^28b52ffd/, 'compressed by zstd; decompress it'],
  [/^(?:d4c3b2a1|a1b2c3d4|0a0d0d0a)/, 'a packet capture; export a HAR'],
  // The length of a netstring, and a colon.
  [/^(?:3\d)+3a/, 'a dump of mitmproxy; save it as HAR (`hardump`)'],
  // A byte order mark, white space, and the start of an element.
  [/^(?:efbbbf)?(?:20|09|0a|0d)*3c/, 'HTML or XML; export a HAR'],
]

/** The decompressor of a file: gzip (`.har.gz`), or zlib (`.zhar` of mitmproxy). */
function decompressorOf(head: Buffer): zlib.Gunzip | zlib.Inflate | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return zlib.createGunzip()
  const isZlib = head[0] === 0x78 && head.length > 1 && head.readUInt16BE(0) % 31 === 0
  return isZlib ? zlib.createInflate() : undefined
}

/** Whether a recording has to be decompressed. */
export const isCompressed = (path: string): boolean => decompressorOf(headOf(path)) !== undefined

/** Whether a file begins as an object of JSON, perhaps behind a byte order mark. */
export const isObject = (path: string): boolean => /^(?:\uFEFF)?\s*\{/.test(headOf(path).toString('utf8'))

/** Counts the pieces of a compressed recording. Throws `UsageError` at a piece that is too much. */
export function boundExpanded(path: string): (piece: { readonly length: number }) => void {
  const most = bounds().expandedBytes
  let expanded = 0
  return ({ length }) => {
    expanded += length
    if (expanded > most)
      throw new UsageError(`${path}: the file expands to more than ${most} bytes; decompress it`)
  }
}

/** Whether a file is a ZIP archive. */
export function isZip(path: string): boolean {
  try {
    return headOf(path).toString('hex').startsWith('504b0304')
  } catch (error) {
    // Its reader says what is wrong with it.
    if ('code' in Object(error)) return false
    throw error
  }
}

/** Lists of JSON that people take for recordings. */
const LISTS: readonly (readonly [member: RegExp, what: string])[] = [
  [
    /"startedDateTime"\s*:/,
    'a bare list of HAR entries; put it into `{"log":{"version":"1.2","entries":[…]}}`',
  ],
  [/"protocolVersion"\s*:|"scheme"\s*:/, 'a session of Charles; export a HAR'],
]

/** Throws `UsageError` with what a file is if its text begins as a list. */
function refuseList(path: string, beginning: string): void {
  if (!/^\s*\[/.test(beginning)) return
  const what = LISTS.find(([member]) => member.test(beginning))?.[1]
  const isCharles = /\.chlsj$/i.test(path)
  throw new UsageError(
    `${path}: the file is ${what ?? (isCharles ? LISTS[1]?.[1] : 'a list, and not HAR 1.2 (`log.entries`)')}`,
  )
}

/**
 * Reads the text of a file in pieces; `onBytes` gets the number of bytes of the file that are read. Throws `UsageError` if it cannot
 * be read, or is a file of another kind, which the message names.
 */
export async function* textOfFile(path: string, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  try {
    const head = headOf(path)
    const what = OTHERS.find(([start]) => start.test(head.toString('hex')))?.[1]
    if (what !== undefined) throw new UsageError(`${path}: the file is ${what}`)
    const file = createReadStream(path, { highWaterMark: READ_BYTES })
    const decompressor = decompressorOf(head)
    // Its error ends the reading below.
    const bytes = decompressor === undefined ? file : pipeline(file, decompressor, () => {})
    const bound = decompressor === undefined ? () => {} : boundExpanded(path)
    let isFirst = true
    for await (const piece of bytes.setEncoding('utf8')) {
      onBytes(file.bytesRead)
      bound(piece)
      // Some tools begin a file with a byte order mark.
      const text = isFirst ? String(piece).replace(/^\uFEFF/, '') : String(piece)
      if (isFirst) refuseList(path, text)
      isFirst = false
      yield text
    }
  } catch (error) {
    if ('code' in Object(error)) throw new UsageError(`${path}: ${(error as Error).message}`)
    throw error
  }
}

/** The first bytes of a file. A recording is read more than once, so it has to be a regular file. */
function headOf(path: string): Buffer {
  if (!statSync(path).isFile()) throw new UsageError(`${path}: expected a regular file`)
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

/** The error of a file that is not a recording, with the position. */
export function malformed(path: string, place: string, expected: string): UsageError {
  return new UsageError(`${path}: ${place}: ${expected}`)
}
