// Reads recordings as a stream, whatever their size: captures line by line, HTTP archives entry by entry.
import { JSONParser } from '@streamparser/json'
import type { z } from 'zod'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { parseJson } from '../../harness/json-value.ts'
import { CAPTURE_SCHEMA, exchangeOfLine, headSchema, lineSchema } from './capture-file.ts'
import { createCredentialMarks } from './credential-marks.ts'
import { type EntryReading, readEntry } from './har-entry.ts'
import { textOfFile } from './recorded-file.ts'

/** The most characters of one line: two bodies of the longest that the judge reads, in base64, escaped. */
const MOST_LINE_CHARS = 64 * 1024 * 1024

/** The names of HTTP archives, compressed or not. */
const ARCHIVE = /\.z?har(?:\.gz)?$/i

/** One piece of a recording, `line 7` or `entry 3`: an exchange, or something that cannot be read, with the reason. */
export type Read = { readonly place: string } & EntryReading

/**
 * Reads a recording; `onBytes` hears how many bytes are read. Throws `UsageError` with the file and the position if it is
 * not a recording.
 */
export function readRecording(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Read> {
  const pieces = textOfFile(path, onBytes)
  return ARCHIVE.test(path) ? readArchive(path, pieces) : readCapture(path, pieces)
}

async function* readCapture(path: string, pieces: AsyncIterable<string>): AsyncGenerator<Read> {
  let number = 0
  let unread: string | undefined
  for await (const line of linesOf(path, pieces)) {
    // Only the last line of a capture may be cut: its writer was killed.
    if (unread !== undefined) throw malformed(path, unread, 'expected JSON')
    number += 1
    const place = `line ${number}`
    const value = parseJson(line)
    if (number === 1) {
      if (value === undefined)
        throw malformed(path, place, `expected a capture (${CAPTURE_SCHEMA}) or a file that ends in .har`)
      valid(headSchema, value, path, place)
    } else if (value === undefined) unread = place
    else yield { place, exchange: exchangeOfLine(valid(lineSchema, value, path, place)) }
  }
  if (number === 0) throw malformed(path, 'line 1', 'the file is empty')
  if (unread !== undefined) yield { place: unread, unread: 'the line is cut' }
}

/** The lines of a text, without an empty last one. */
async function* linesOf(path: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let number = 0
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    number += lines.length
    if (rest.length > MOST_LINE_CHARS)
      throw malformed(path, `line ${number + 1}`, `expected at most ${MOST_LINE_CHARS} characters`)
    yield* lines
  }
  if (rest !== '') yield rest
}

async function* readArchive(path: string, pieces: AsyncIterable<string>): AsyncGenerator<Read> {
  const marks = createCredentialMarks()
  const parser = new JSONParser({ paths: ['$.log.entries.*', '$.log.version'], keepStack: false })
  const entries: unknown[] = []
  let isArchive = false
  let number = 0
  parser.onValue = ({ value, key, stack }) => {
    if (stack.length === 2 && key === 'version') isArchive = true
    else entries.push(value)
  }
  try {
    for await (const piece of pieces) {
      parser.write(piece)
      for (const entry of entries.splice(0)) {
        number += 1
        const read = await readEntry(entry)
        const place = `entry ${number}`
        yield 'unread' in read ? { place, ...read } : { place, exchange: marks.apply(read.exchange) }
      }
    }
    if (!parser.isEnded) throw new Error('the file ends before the JSON does')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw malformed(path, `after entry ${number}`, (error as Error).message)
  }
  if (number === 0 && !isArchive) throw malformed(path, 'the archive', 'expected HAR 1.2: `log.entries`')
}

function valid<Schema extends z.ZodTypeAny>(
  schema: Schema,
  value: unknown,
  path: string,
  place: string,
): z.output<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [first] = read.error.issues
  throw malformed(
    path,
    [place, ...(first?.path ?? [])].join(', ').replaceAll(/, (\d+)/g, '[$1]'),
    first?.message ?? '',
  )
}

function malformed(path: string, place: string, expected: string): UsageError {
  return new UsageError(`${path}: ${place}: ${expected}`)
}
