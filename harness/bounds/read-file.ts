// Reads a file that a stranger may have made: a regular file of a bounded size, whose JSON has a bounded depth. A device or a pipe
// has no end, and a large or deep file would take all memory.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { UsageError } from '../cli/usage-error.ts'
import { costOf, parseJson } from '../json-value.ts'
import { bounds } from './bounds.ts'

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
    // A special file, for example of /proc, reports the size 0 and may be endless.
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
    throw new FileError(isAbsent ? 'the file does not exist' : 'it cannot be read')
  }
}

/**
 * Returns why a JSON text must not be parsed: it is too deep, or has too many values; undefined if it may be parsed.
 * The text is counted first, because a parser builds every level and value.
 */
export const whyTooCostly = (text: string, mostValues = bounds().values): string | undefined =>
  createCostBound(mostValues)(text)

/** Counts the values of several texts together; the returned function says why the next text must not be parsed. */
export function createCostBound(mostValues = bounds().values): (text: string) => string | undefined {
  const { depth } = bounds()
  let values = 0
  return (text) => {
    const cost = costOf(text, depth, mostValues - values)
    values += cost.values
    if (cost.deepest > depth) return `it is nested deeper than ${depth} levels`
    return values > mostValues ? `it has more than ${mostValues} values` : undefined
  }
}

/** The JSON of a file; undefined if it is not JSON. Throws `FileError` as `readBounded` does, and if it is too costly. */
export function readJsonFile(path: string, mostBytes: number): unknown {
  const text = readBounded(path, mostBytes).toString('utf8')
  const why = whyTooCostly(text)
  if (why !== undefined) throw new FileError(why)
  return parseJson(text)
}
