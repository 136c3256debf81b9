// ZIP archives that another program wrote, such as a recording of Playwright: the directory, and the files one by one. An archive
// is never read as a whole, and every size is bounded.
import { createReadStream, closeSync, openSync, readSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { bounds } from '../../harness/bounds/bounds.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** The archive cannot be read; the message says what is wrong with it. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}

export const LOCAL = 0x04034b50
export const CENTRAL = 0x02014b50
export const END = 0x06054b50
export const LOCAL_BYTES = 30
export const CENTRAL_BYTES = 46
export const END_BYTES = 22

export const DEFLATED = 8

/** The longest comment behind the directory, and the largest directory, in bytes. */
const MOST_COMMENT_BYTES = 65_535
const MOST_DIRECTORY_BYTES = 32 * 1024 * 1024
/** Sizes that are in a part of ZIP64. */
const ELSEWHERE = 0xffffffff

/** A file of an archive as the directory announces it, before anything is decompressed. */
export interface Member {
  readonly name: string
  readonly isDeflated: boolean
  readonly storedBytes: number
  readonly bytes: number
  readonly checksum: number
  readonly headAt: number
}

/** The bytes of an archive, with zeros behind its end. */
export interface Source {
  readonly size: number
  bytes(at: number, length: number): Buffer
}

export const isTooLarge = (error: unknown): boolean => Object(error).code === 'ERR_BUFFER_TOO_LARGE'

export interface ZipArchive {
  readonly names: readonly string[]
  /** The content of a file as a stream. Throws `UsageError` if there is none with this name. */
  stream(name: string): AsyncIterable<Buffer> & { readonly bytesRead: () => number }
  /** The content of a file, or why it cannot be read. */
  read(name: string): { readonly bytes: Buffer } | { readonly unread: string }
}

/** Reads the directory of an archive in a file. Throws `UsageError` if that is not possible. */
export function openZip(path: string): ZipArchive {
  const source: Source = { size: statSync(path).size, bytes: (at, length) => bytesOfFile(path, at, length) }
  const members = new Map(membersAt(path, source).map((member) => [member.name, member]))
  return {
    names: [...members.keys()],
    stream(name) {
      const member = members.get(name)
      if (member === undefined) throw new UsageError(`${path}: ${name} is not in the archive`)
      if (member.storedBytes === 0) throw new UsageError(`${path}: ${name} is empty`)
      const start = contentAt(source, member)
      const stored = createReadStream(path, { start, end: start + member.storedBytes - 1 })
      const content = member.isDeflated ? pipeline(stored, createInflateRaw(), () => {}) : stored
      return Object.assign(content, { bytesRead: () => stored.bytesRead })
    },
    read(name) {
      const member = members.get(name)
      if (member === undefined) return { unread: 'a body is in a file that is not in the archive' }
      const { storedBytes, isDeflated, checksum } = member
      const { answerBytes } = bounds()
      if (storedBytes > answerBytes) return tooLarge()
      const stored = source.bytes(contentAt(source, member), storedBytes)
      try {
        const bytes = isDeflated ? inflateRawSync(stored, { maxOutputLength: answerBytes }) : stored
        return crc32(bytes) === checksum ? { bytes } : BROKEN
      } catch (error) {
        return isTooLarge(error) ? tooLarge() : BROKEN
      }
    },
  }
}

export const tooLarge = () => ({ unread: `a body is in a file of more than ${bounds().answerBytes} bytes` })
const BROKEN = { unread: 'a body is in a file that cannot be decompressed' } as const

function membersAt(path: string, source: Source): readonly Member[] {
  try {
    return membersOf(source)
  } catch (error) {
    if (error instanceof ZipError) throw new UsageError(`${path}: ${error.message}`)
    throw error
  }
}

/** The files of an archive by its directory; folders and files in another coding are left out. */
export function membersOf({ size, bytes: read }: Source): readonly Member[] {
  const tailBytes = Math.min(size, END_BYTES + MOST_COMMENT_BYTES)
  const tail = read(size - tailBytes, tailBytes)
  const endAt = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (endAt < 0 || endAt + END_BYTES > tail.length || tail.readUInt32LE(endAt) !== END)
    throw new ZipError('the ZIP archive has no end; was it copied as a whole?')
  const [bytes, at] = [tail.readUInt32LE(endAt + 12), tail.readUInt32LE(endAt + 16)]
  if (bytes > MOST_DIRECTORY_BYTES || at === ELSEWHERE || at + bytes > size)
    throw new ZipError('the directory of the ZIP archive cannot be read; unpack it')
  const directory = read(at, bytes)
  const members: Member[] = []
  for (let place = 0; place + CENTRAL_BYTES <= bytes && directory.readUInt32LE(place) === CENTRAL;) {
    const field = (offset: number): number => directory.readUInt16LE(place + offset)
    const size32 = (offset: number): number => directory.readUInt32LE(place + offset)
    const nameEnd = place + CENTRAL_BYTES + field(28)
    const isEncrypted = (field(8) & 1) === 1
    const [storedBytes, headAt] = [size32(20), size32(42)]
    if (!isEncrypted && [0, 8].includes(field(10)) && headAt + storedBytes <= size)
      members.push({
        name: directory.toString('utf8', place + CENTRAL_BYTES, nameEnd),
        isDeflated: field(10) === DEFLATED,
        storedBytes,
        bytes: size32(24),
        checksum: size32(16),
        headAt,
      })
    place = nameEnd + field(30) + field(32)
  }
  return members
}

/** The place of the content: behind a head whose length is not that in the directory. */
export function contentAt(source: Source, { headAt }: Member): number {
  const head = source.bytes(headAt, LOCAL_BYTES)
  return headAt + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
}

/** Bytes of a file; zeros behind its end. */
function bytesOfFile(path: string, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  const file = openSync(path, 'r')
  try {
    readSync(file, bytes, 0, length, at)
    return bytes
  } finally {
    closeSync(file)
  }
}
