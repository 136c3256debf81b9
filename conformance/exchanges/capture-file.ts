// The file of a capture, `touchstone.capture/1`: JSON Lines, a head and then one line for each exchange, in the order of
// their ends. A line is written at once, so that a file whose writer was killed has every exchange that had ended.
import { closeSync, openSync, writeSync } from 'node:fs'
import { brotliDecompressSync, unzipSync, zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { bounds } from '../../harness/bounds/bounds.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { MOST_HEADERS, utf8 } from '../../harness/http/exchange.ts'
import { createCredentialMarks } from './credential-marks.ts'
import type { RecordedExchange } from './recorded-exchange.ts'

export const CAPTURE_SCHEMA = 'touchstone.capture/1'

/** A body is text if it is UTF-8, else base64. */
const shownBody = z.object({ body: z.string().optional(), bodyBase64: z.string().base64().optional() })
const body = shownBody.shape
const headers = z
  .array(z.tuple([z.string(), z.string()]).readonly())
  .max(MOST_HEADERS)
  .readonly()
const ms = z.number().nonnegative()

export const headSchema = z.strictObject({
  schema: z.literal(CAPTURE_SCHEMA),
  /** The address of the service, without `/v1`. */
  baseUrl: z.string(),
  startedAt: z.string().datetime(),
})

export const lineSchema = z.strictObject({
  startedAt: z.string().datetime(),
  request: z.strictObject({ method: z.string(), url: z.string(), path: z.string(), headers, ...body }),
  /** Null if no answer came. */
  response: z
    .strictObject({
      status: z.number().int(),
      headers,
      ...body,
      /** The arrival of each piece of the body, in milliseconds since the request began, and its size in bytes. */
      pieces: z.array(z.tuple([ms, z.number().int().nonnegative()])),
      end: z.enum(['complete', 'hung-up', 'left-open', 'broken', 'timeout', 'too-large']),
    })
    .nullable(),
  timings: z.strictObject({ firstByteMs: ms, totalMs: ms }),
  error: z.string().optional(),
})

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
  const line = (value: object): void => void writeSync(file, `${JSON.stringify(value)}\n`)
  line({ schema: CAPTURE_SCHEMA, baseUrl: marks.text(baseUrl), startedAt: new Date().toISOString() })
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

function lineOf(exchange: RecordedExchange): z.input<typeof lineSchema> {
  const { startedAtMs, request, response, timings, error } = exchange
  const { body, ...sent } = request
  return {
    startedAt: new Date(startedAtMs).toISOString(),
    request: { ...sent, ...(body === undefined ? {} : bodyOf(body)) },
    response: response && {
      status: response.status,
      headers: response.headers,
      ...bodyOf(response.body),
      pieces: response.chunks.map(({ atMs, size }) => [round(atMs), size]),
      end: response.end,
    },
    timings: { firstByteMs: round(timings.firstByteMs), totalMs: round(timings.totalMs) },
    error,
  }
}

function bodyOf(bytes: Uint8Array): { readonly body: string } | { readonly bodyBase64: string } {
  const body = utf8(bytes)
  return body === undefined ? { bodyBase64: Buffer.from(bytes).toString('base64') } : { body }
}

/** The exchange of a line. */
export function exchangeOfLine(line: z.output<typeof lineSchema>): RecordedExchange {
  const { startedAt, request, response, timings, error } = line
  const { method, url, path, headers } = request
  const body = bytesOf(request)
  return {
    startedAtMs: Date.parse(startedAt),
    request: { method, url, path, headers, ...(body === undefined ? {} : { body }) },
    response: response && {
      status: response.status,
      headers: response.headers,
      body: bytesOf(response) ?? new Uint8Array(),
      chunks: response.pieces.map(([atMs, size]) => ({ atMs, size })),
      end: response.end,
    },
    timings,
    error,
  }
}

function bytesOf({ body: text, bodyBase64 }: z.output<typeof shownBody>): Uint8Array | undefined {
  if (text !== undefined) return Buffer.from(text)
  return bodyBase64 === undefined ? undefined : Buffer.from(bodyBase64, 'base64')
}

const round = (value: number): number => Math.round(Math.max(0, value) * 1000) / 1000
