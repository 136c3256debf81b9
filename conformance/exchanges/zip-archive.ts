// A ZIP archive that another program wrote, such as a recording of Playwright: its directory, and its files one by one. It is
// never read as a whole, and every size is bounded.
import { createReadStream, closeSync, openSync, readSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { bounds } from '../../harness/bounds/bounds.ts'

const END = 0x06054b50
const CENTRAL = 0x02014b50
const END_BYTES = 22
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
/** The longest comment behind the directory. */
const MOST_COMMENT_BYTES = 65_535
/** The largest directory, in bytes. */
const MOST_DIRECTORY_BYTES = 32 * 1024 * 1024
/** Sizes that are in a part of ZIP64. */
const ELSEWHERE = 0xffffffff

interface Member {
  readonly isDeflated: boolean
  readonly storedBytes: number
  readonly checksum: number
  readonly headAt: number
}

export interface ZipArchive {
  readonly names: readonly string[]
  /** The content of a file as a stream. Throws `UsageError` if there is none with this name. */
  stream(name: string): AsyncIterable<Buffer> & { readonly bytesRead: () => number }
  /** The content of a file, or why it cannot be read. */
  read(name: string): { readonly bytes: Buffer } | { readonly unread: string }
}

/** Reads the directory of an archive. Throws `UsageError` if that is not possible. */
export function openZip(path: string): ZipArchive {
  const members = inFile(path, (file) => directoryOf(path, file))
  return {
    names: [...members.keys()],
    stream(name) {
      const member = members.get(name)
      if (member === undefined) throw new UsageError(`${path}: ${name} is not in the archive`)
      if (member.storedBytes === 0) throw new UsageError(`${path}: ${name} is empty`)
      const start = inFile(path, (file) => contentAt(file, member))
      const stored = createReadStream(path, { start, end: start + member.storedBytes - 1 })
      const content = member.isDeflated ? pipeline(stored, zlib.createInflateRaw(), () => {}) : stored
      return Object.assign(content, { bytesRead: () => stored.bytesRead })
    },
    read(name) {
      const member = members.get(name)
      if (member === undefined) return { unread: 'a body is in a file that is not in the archive' }
      if (member.storedBytes > bounds().answerBytes) return tooLarge()
      const stored = inFile(path, (file) => bytesAt(file, contentAt(file, member), member.storedBytes))
      return contentOf(stored, member)
    },
  }
}

export const tooLarge = () => ({ unread: `a body is in a file of more than ${bounds().answerBytes} bytes` })
const BROKEN = { unread: 'a body is in a file that cannot be decompressed' } as const

function contentOf(stored: Buffer, { isDeflated, checksum }: Member) {
  try {
    const bytes = isDeflated ? zlib.inflateRawSync(stored, { maxOutputLength: bounds().answerBytes }) : stored
    return zlib.crc32(bytes) === checksum ? { bytes } : BROKEN
  } catch (error) {
    return Object(error).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : BROKEN
  }
}

/** The files of an archive by their names; folders and files in another coding are left out. */
function directoryOf(path: string, file: number): ReadonlyMap<string, Member> {
  const { size } = statSync(path)
  const tailBytes = Math.min(size, END_BYTES + MOST_COMMENT_BYTES)
  const tail = bytesAt(file, size - tailBytes, tailBytes)
  const endAt = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (endAt < 0 || endAt + END_BYTES > tail.length || tail.readUInt32LE(endAt) !== END)
    throw new UsageError(`${path}: the ZIP archive has no end; was it copied as a whole?`)
  const [bytes, at] = [tail.readUInt32LE(endAt + 12), tail.readUInt32LE(endAt + 16)]
  if (bytes > MOST_DIRECTORY_BYTES || at === ELSEWHERE || at + bytes > size)
    throw new UsageError(`${path}: the directory of the ZIP archive cannot be read; unpack it`)
  const directory = bytesAt(file, at, bytes)
  const members = new Map<string, Member>()
  for (let place = 0; place + CENTRAL_BYTES <= bytes && directory.readUInt32LE(place) === CENTRAL;) {
    const field = (offset: number): number => directory.readUInt16LE(place + offset)
    const nameEnd = place + CENTRAL_BYTES + field(28)
    const name = directory.toString('utf8', place + CENTRAL_BYTES, nameEnd)
    const isEncrypted = (field(8) & 1) === 1
    const storedBytes = directory.readUInt32LE(place + 20)
    const headAt = directory.readUInt32LE(place + 42)
    if (!isEncrypted && [0, 8].includes(field(10)) && headAt + storedBytes <= size)
      members.set(name, {
        isDeflated: field(10) === 8,
        storedBytes,
        checksum: directory.readUInt32LE(place + 16),
        headAt,
      })
    place = nameEnd + field(30) + field(32)
  }
  return members
}

/** The place of the content: behind a head whose length is not that in the directory. */
function contentAt(file: number, { headAt }: Member): number {
  const head = bytesAt(file, headAt, LOCAL_BYTES)
  return headAt + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
}

/** Bytes of a file; zeros behind its end. */
function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, at)
  return bytes
}

function inFile<Value>(path: string, read: (file: number) => Value): Value {
  const file = openSync(path, 'r')
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}
