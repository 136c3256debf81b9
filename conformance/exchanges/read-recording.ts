// Reads recordings as a stream, whatever their size: captures line by line, HTTP archives entry by entry.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { at, parseJson } from '../../harness/json-value.ts'
import { bounds } from '../../harness/bounds/bounds.ts'
import { whyTooCostly } from '../../harness/bounds/read-file.ts'
import { filesBeside } from './har/body-files.ts'
import { type Read, readArchive } from './har/read-archive.ts'
import type { EntryReading } from './har/read-entry.ts'
import { LineError, createExchangeReader, readLine } from './line-codec.ts'
import { createLifter } from './older-lines.ts'
import type { RecordedExchange } from './recorded-exchange.ts'
import { CAPTURE_SCHEMA, type ExchangeLine } from './recording-line.ts'
import { boundExpanded, isCompressed, isObject, isZip, malformed, textOfFile } from './recorded-file.ts'
import { type ZipArchive, openZip } from './zip-archive.ts'

/** The parts of a bundle: its manifest and its recording, which had another name and form in its first version. */
export const MANIFEST = 'bundle.json'
export const RECORDING = 'recording.jsonl'
export const OLDER_RECORDING = 'heard.jsonl'

/** The names of HTTP archives, compressed or not. */
const ARCHIVE = /\.z?har(?:\.gz)?$/i

/**
 * Reads a recording; `onBytes` gets the number of bytes that are read. Throws `UsageError` with the file and the position if it is
 * not a recording.
 */
export async function* readRecording(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Read> {
  if (isZip(path)) return yield* readZip(path, onBytes)
  const pieces = textOfFile(path, onBytes)
  yield* ARCHIVE.test(path) ? readArchive(path, pieces, filesBeside(path)) : readLines(path, pieces)
}

/** Whether a file is a recording of itself, and not a bundle or anything else. */
export function isRecording(path: string): boolean {
  try {
    if (isZip(path)) return openZip(path).names.some((name) => /\.har$/i.test(name))
    return ARCHIVE.test(path) || isCompressed(path) || isObject(path)
  } catch {
    // Its reader says what is wrong with it.
    return false
  }
}

/** Reads the one HAR of a ZIP archive, with the bodies that are files of it, or the recording of a bundle. */
async function* readZip(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Read> {
  const zip = openZip(path)
  const part = [OLDER_RECORDING, RECORDING].find((one) => zip.names.includes(one))
  if (part !== undefined && zip.names.includes(MANIFEST)) {
    const manifest = zip.read(MANIFEST)
    const text = 'bytes' in manifest ? String(manifest.bytes) : ''
    const startedAt = whyTooCostly(text) === undefined ? at(parseJson(text), 'startedAt') : undefined
    const lift = part === OLDER_RECORDING ? createLifter(String(startedAt)) : undefined
    return yield* readLines(path, textOfZip(path, zip, part, onBytes), lift)
  }
  const [name, another] = zip.names.filter((one) => /\.har$/i.test(one))
  if (name === undefined || another !== undefined)
    throw new UsageError(
      `${path}: the file is a ZIP archive with ${name === undefined ? 'no HAR' : 'several HARs'}; unpack it`,
    )
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  yield* readArchive(path, textOfZip(path, zip, name, onBytes), (file) => zip.read(folder + file))
}

async function* textOfZip(
  path: string,
  zip: ZipArchive,
  name: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const stream = zip.stream(name)
  const bound = boundExpanded(path)
  try {
    for await (const piece of stream) {
      onBytes(stream.bytesRead())
      bound(piece)
      yield decoder.decode(piece, { stream: true })
    }
  } catch (error) {
    if ('code' in Object(error)) throw malformed(path, name, (error as Error).message)
    throw error
  }
}

async function* readLines(
  path: string,
  pieces: AsyncIterable<string>,
  lift?: (line: unknown) => readonly unknown[],
): AsyncGenerator<Read> {
  const exchangeOf = createExchangeReader()
  let number = 0
  let mostLines = Infinity
  let unread: string | undefined
  for await (const line of linesOf(path, pieces)) {
    // Only the last line of a capture may be cut: its writer was killed.
    if (unread !== undefined) throw malformed(path, unread, 'expected JSON')
    number += 1
    const place = `line ${number}`
    if (number === 1 && isCompressed(path)) mostLines = bounds().entries
    if (number > mostLines) throw malformed(path, place, `expected at most ${mostLines} lines; decompress it`)
    try {
      for (const one of readLine(line, lift, (text) => whyTooCostly(text, bounds().entryValues))) {
        if (number === 1 && one.kind !== 'run' && lift === undefined) throw new LineError(NO_CAPTURE)
        if (one.kind === 'exchange') yield { place, ...readingOf(one, exchangeOf) }
      }
    } catch (error) {
      if (error instanceof LineError && !error.isJson && number > 1) unread = place
      else if (error instanceof LineError)
        throw malformed(path, place, error.isJson ? error.message : NO_CAPTURE)
      else if (error instanceof RangeError) throw malformed(path, place, error.message)
      else throw error
    }
  }
  if (number === 0) throw malformed(path, 'line 1', 'the file is empty')
  if (unread !== undefined) yield { place: unread, unread: 'the line is cut' }
}

const NO_CAPTURE = `expected a capture (${CAPTURE_SCHEMA}) or a file that ends in .har`

/** The exchange of a line for a judge that has not sent its request. */
function readingOf(line: ExchangeLine, exchangeOf: (line: ExchangeLine) => RecordedExchange): EntryReading {
  const exchange = exchangeOf(line)
  if (line.request.bodySha256 !== undefined)
    return { unread: 'the body of the request was kept by its digest', url: line.request.url }
  // Bytes that the HTTP parser refused are not an answer.
  return { exchange: line.received === true ? { ...exchange, response: null } : exchange }
}

/** The lines of a text, without an empty last one. */
async function* linesOf(path: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const { entryChars } = bounds()
  // A line is joined once: it may be many pieces long.
  let parts: string[] = []
  let chars = 0
  let number = 1
  for await (const piece of pieces) {
    for (const [at, part] of piece.split('\n').entries()) {
      if (at > 0) {
        yield parts.join('')
        ;[parts, chars] = [[], 0]
        number += 1
      }
      parts.push(part)
      chars += part.length
      if (chars > entryChars)
        throw malformed(path, `line ${number}`, `expected at most ${entryChars} characters`)
    }
  }
  const last = parts.join('')
  if (last !== '') yield last
}
