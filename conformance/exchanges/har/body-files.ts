// Bodies in files beside an HTTP archive, as Playwright writes them (`_file`). Only regular files in the folder of the archive
// are read, whatever an archive names.
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { bounds } from '../../../harness/bounds/bounds.ts'
import { tooLarge } from '../zip-archive.ts'

/** Reads a file that an archive names: its bytes, or the reason why it is not read. */
export type BodyFiles = (name: string) => { readonly bytes: Uint8Array } | { readonly unread: string }

const OUTSIDE = { unread: 'a body is in a file that is not in the folder of the archive' } as const
const MISSING = { unread: 'a body is in a file that is missing beside the archive' } as const
const SPECIAL = { unread: 'a body is in a file that is not a regular file' } as const

/** The files in the folder of an archive, and below it. */
export function filesBeside(archive: string): BodyFiles {
  const folder = dirname(archive)
  return (name) => {
    if (!isInside(name)) return OUTSIDE
    try {
      const [root, path] = [realpathSync(folder), realpathSync(join(folder, name))]
      // A link may lead out of the folder.
      if (!isInside(relative(root, path))) return OUTSIDE
      return readRegular(path)
    } catch {
      return MISSING
    }
  }
}

/** Whether a name is a path below the folder that it is relative to. */
function isInside(name: string): boolean {
  const steps = name.split(/[/\\]/)
  return (
    name !== '' &&
    !isAbsolute(name) &&
    !name.includes('\0') &&
    !steps.includes('..') &&
    !/^[a-z]:/i.test(name)
  )
}

function readRegular(path: string): ReturnType<BodyFiles> {
  // A pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) return SPECIAL
    if (stat.size > bounds().answerBytes) return tooLarge()
    const bytes = Buffer.alloc(stat.size)
    return { bytes: bytes.subarray(0, readSync(file, bytes)) }
  } finally {
    closeSync(file)
  }
}

/**
 * The files of one archive, each for one entry: a file that a second entry names was written twice, and has one body of the
 * two. Tools that name files by their content, as Playwright does, write the same body once.
 */
export function eachForOneEntry(files: BodyFiles): BodyFiles {
  const named = new Set<string>()
  const { expandedBytes } = bounds()
  let read = 0
  return (name) => {
    if (read > expandedBytes) return { unread: `the bodies in files have more than ${expandedBytes} bytes` }
    const file = files(name)
    if ('bytes' in file) read += file.bytes.length
    if ('unread' in file || name.includes(createHash('sha1').update(file.bytes).digest('hex'))) return file
    if (named.has(name)) return { unread: 'a body is in a file that an earlier entry names, too' }
    named.add(name)
    return file
  }
}
