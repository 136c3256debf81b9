// Reads a file that a stranger may have made: a regular file of a bounded size, whose JSON has a bounded depth. A device or a pipe
// has no end, and a large or deep file would take all memory.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { UsageError } from '../cli/usage-error.ts'
import { parseJson } from '../json-value.ts'

/** The file cannot be read; the message is a part of a line, without the path. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** The content of a regular file of at most `mostBytes`. Throws `FileError`. */
export function readBounded(path: string, mostBytes: number): Buffer {
  const file = opened(path)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new FileError('expected a regular file')
    if (stat.size > mostBytes) throw new FileError(`${stat.size} bytes; expected at most ${mostBytes}`)
    // A file of the system says that it is empty, and may have no end.
    return stat.size === 0 ? Buffer.alloc(0) : readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** The content of a file that a person named; `name` begins the message. Throws `UsageError` for a reason of `readBounded`. */
export function readGiven(name: string, path: string, mostBytes: number): Buffer {
  return named(name, () => readBounded(path, mostBytes))
}

/** The JSON of such a file; undefined if it is not JSON. Throws `UsageError` for a reason of `readJsonFile`. */
export function readGivenJson(name: string, path: string, mostBytes: number): unknown {
  return named(name, () => readJsonFile(path, mostBytes))
}

function named<Content>(name: string, read: () => Content): Content {
  try {
    return read()
  } catch (error) {
    if (error instanceof FileError) throw new UsageError(`${name}: ${error.message}`)
    throw error
  }
}

function opened(path: string): number {
  try {
    // Without `O_NONBLOCK` the opening of a pipe waits for its writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const isAbsent = Object(error).code === 'ENOENT'
    throw new FileError(isAbsent ? 'there is no such file' : 'it cannot be read')
  }
}

/** The deepest nesting of JSON in a file, in levels. */
const MOST_DEPTH = 512

/** The most values of a file: sixteen times as many as the largest run that is on record has. */
const MOST_VALUES = 8_000_000

const [QUOTE, BACKSLASH, LIST, OBJECT] = [...'"\\[{'].map((letter) => letter.charCodeAt(0))
const [LIST_END, OBJECT_END, COMMA] = [...']},'].map((letter) => letter.charCodeAt(0))

/**
 * Why a JSON text is not parsed: it is too deep, or has too many values. Undefined if it may be. Counted before, because a parser
 * builds every level and value.
 */
export function whyTooCostly(text: string, mostValues = MOST_VALUES): string | undefined {
  let [depth, values, isString] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (isString) {
      if (letter === BACKSLASH) at += 1
      else if (letter === QUOTE) isString = false
    } else if (letter === QUOTE) isString = true
    else if (letter === COMMA) values += 1
    else if (letter === LIST || letter === OBJECT) {
      depth += 1
      values += 1
      if (depth > MOST_DEPTH) return `it is nested deeper than ${MOST_DEPTH} levels`
    } else if (letter === LIST_END || letter === OBJECT_END) depth -= 1
  }
  return values > mostValues ? `it has more than ${mostValues} values` : undefined
}

/** The JSON of a file; undefined if it is not JSON. Throws `FileError` as `readBounded` does, and if it is too costly. */
export function readJsonFile(path: string, mostBytes: number): unknown {
  const text = readBounded(path, mostBytes).toString('utf8')
  const why = whyTooCostly(text)
  if (why !== undefined) throw new FileError(why)
  return parseJson(text)
}
