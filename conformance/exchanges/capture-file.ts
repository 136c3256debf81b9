// The file of a capture, `touchstone.capture/1`: JSON Lines, a head and then one line for each exchange, in the order of
// their ends. A line is written at once, so that a file whose writer was killed has every exchange that had ended.
import { closeSync, openSync, writeSync } from 'node:fs'
import { brotliDecompressSync, unzipSync, zstdDecompressSync } from 'node:zlib'
import { bounds } from '../../harness/bounds/bounds.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { createCredentialMarks } from './credential-marks.ts'
import { createExchangeWriter } from './line-codec.ts'
import type { RecordedExchange } from './recorded-exchange.ts'
import { CAPTURE_SCHEMA, type RecordingLine } from './recording-line.ts'

export type CaptureFile = ReturnType<typeof createCaptureFile>

/**
 * Creates a capture. Credentials are replaced before anything is written. Throws `UsageError` if the file exists or cannot
 * be created.
 *
 * @param secrets keys that are known before they are seen
 * @param headers headers that are credentials, which the operator gave
 * @param keep names of headers whose values are shown
 */
export function createCaptureFile(
  path: string,
  baseUrl: string,
  {
    flag,
    secrets = [],
    headers = {},
    keep = [],
  }: {
    readonly flag: string
    readonly secrets?: Iterable<string>
    readonly headers?: Readonly<Record<string, string>>
    readonly keep?: readonly string[]
  },
) {
  const marks = createCredentialMarks(secrets)
  marks.keepHeaders(keep)
  marks.addHeaders(headers)
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    throw new UsageError(`${flag} ${path}: ${reasonOf(error)}`)
  }
  const lineOf = createExchangeWriter()
  const line = (value: RecordingLine): void => void writeSync(file, `${JSON.stringify(value)}\n`)
  const startedAt = new Date().toISOString()
  line({ kind: 'run', schema: CAPTURE_SCHEMA, baseUrl: marks.text(baseUrl), startedAt })
  return {
    write: (exchange: RecordedExchange): void =>
      line(lineOf(marks.apply({ ...exchange, request: withoutCoding(exchange.request) }))),
    close: (): void => closeSync(file),
  }
}

/** The body of a request without its coding, in which a credential cannot be seen; as it is if it has none. */
function withoutCoding(request: RecordedExchange['request']): RecordedExchange['request'] {
  const { headers, body } = request
  const coding = headers
    .find(([name]) => /^content-encoding$/i.test(name))?.[1]
    .trim()
    .toLowerCase()
  if (body === undefined || coding === undefined || coding === 'identity') return request
  const others = headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))
  const decode = { br: brotliDecompressSync, zstd: zstdDecompressSync }[coding] ?? unzipSync
  try {
    return { ...request, headers: others, body: decode(body, { maxOutputLength: bounds().answerBytes }) }
  } catch {
    return request
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = Object(error)
  return code === 'EEXIST' ? 'the file exists; a capture never replaces one' : String(message)
}
