// The one form of ZIP that a bundle has: a few files, each stored or deflated, without dates, comments or extra fields. An
// archive is read only if writing its parts again gives the same bytes, so that a changed byte is found wherever it stands.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  CENTRAL,
  CENTRAL_BYTES,
  DEFLATED,
  END,
  END_BYTES,
  LOCAL,
  LOCAL_BYTES,
  type Member,
  type Source,
  ZipError,
  contentAt,
  isTooLarge,
  membersOf,
} from './zip-archive.ts'

export interface ZipFile {
  readonly name: string
  readonly content: Uint8Array
  /** The bytes as the archive has them: deflated, if `isDeflated`. */
  readonly stored: Uint8Array
  readonly isDeflated: boolean
}

const VERSION = 20
/** Names are UTF-8. */
const FLAGS = 0x0800
/** 1980-01-01, the first day that the format knows. */
const DATE = 0x0021

/** The most files of a bundle. */
const MOST_FILES = 16

/** Makes a file of an archive. */
export function zipFile(name: string, content: Uint8Array, isDeflated = true): ZipFile {
  return { name, content, isDeflated, stored: isDeflated ? deflateRawSync(content, { level: 9 }) : content }
}

/** Writes an archive. */
export function writeZip(files: readonly ZipFile[]): Buffer {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const file of files) {
    const name = Buffer.from(file.name)
    const common = commonHeader(file, name.length)
    const local = Buffer.alloc(LOCAL_BYTES)
    local.writeUInt32LE(LOCAL, 0)
    common.copy(local, 4)
    const central = Buffer.alloc(CENTRAL_BYTES)
    central.writeUInt32LE(CENTRAL, 0)
    central.writeUInt16LE(VERSION, 4)
    common.copy(central, 6)
    central.writeUInt32LE(at, 42)
    parts.push(local, name, file.stored)
    directory.push(central, name)
    at += local.length + name.length + file.stored.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}

/** The fields that the header of a file and its entry in the directory have in common. */
function commonHeader({ content, stored, isDeflated }: ZipFile, nameLength: number): Buffer {
  const header = Buffer.alloc(26)
  header.writeUInt16LE(VERSION, 0)
  header.writeUInt16LE(FLAGS, 2)
  header.writeUInt16LE(isDeflated ? DEFLATED : 0, 4)
  header.writeUInt16LE(DATE, 8)
  header.writeUInt32LE(crc32(content), 10)
  header.writeUInt32LE(stored.length, 14)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt16LE(nameLength, 22)
  return header
}

/** Reads an archive that `writeZip` wrote. Throws `ZipError` for any other. `mostBytes` bounds all contents together. */
export function readZip(archive: Buffer, mostBytes: number): ReadonlyMap<string, ZipFile> {
  const source: Source = {
    size: archive.length,
    bytes: (at, length) => Buffer.concat([archive.subarray(at, at + length)], length),
  }
  const members = membersOf(source)
  if (members.length > MOST_FILES) throw new ZipError(`it has more than ${MOST_FILES} files`)
  const bytes = members.reduce((sum, member) => sum + member.bytes, 0)
  if (bytes > mostBytes)
    throw new ZipError(`its files have ${bytes} bytes, which is larger than ${mostBytes} bytes`)
  const files = new Map<string, ZipFile>()
  for (const member of members) {
    const { name, isDeflated } = member
    if (files.has(name)) throw new ZipError(`it has ${name} twice`)
    const stored = source.bytes(contentAt(source, member), member.storedBytes)
    files.set(name, { name, isDeflated, stored, content: contentOf(stored, member) })
  }
  if (!writeZip([...files.values()]).equals(archive))
    throw new ZipError('it is not what the judge wrote: a byte was changed, or another program packed it')
  return files
}

/** The content, which is not longer than announced. */
function contentOf(stored: Buffer, { name, isDeflated, bytes }: Member): Uint8Array {
  if (!isDeflated) return stored
  try {
    return inflateRawSync(stored, { maxOutputLength: Math.max(1, bytes) })
  } catch (error) {
    throw new ZipError(
      isTooLarge(error) ? `${name} is larger than announced` : `${name} cannot be decompressed`,
    )
  }
}
