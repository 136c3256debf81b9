// Exchanges as lines of a recording, and lines read again.
import { createHash } from 'node:crypto'
import { bounds } from '../../harness/bounds/bounds.ts'
import { whyTooCostly } from '../../harness/bounds/read-file.ts'
import { utf8 } from '../../harness/http/exchange.ts'
import { at, parseJson } from '../../harness/json-value.ts'
import type { RecordedExchange } from './recorded-exchange.ts'
import { type ExchangeLine, type RecordingLine, lineSchema } from './recording-line.ts'

/** Larger bodies of requests of the judge are kept by their digests in a bundle, in bytes. */
export const MOST_REQUEST_BYTES = 64 * 1024

/** The length of their kept beginning, in characters. */
const START_CHARS = 1024

/** Bodies that are shorter are not worth a reference, in characters. */
const LEAST_SHARED = 48

type BodyMembers = Pick<ExchangeLine['request'], 'body' | 'bodyBase64' | 'bodySame'>

/** Makes the writer of the exchanges of a recording. In a bundle each body stands once. */
export function createExchangeWriter(isBundle = false) {
  const places = new Map<string, number>()
  let count = 0

  function bodyOf(bytes: Uint8Array): BodyMembers {
    const text = utf8(bytes)
    const key = text ?? Buffer.from(bytes).toString('base64')
    const isShared = isBundle && key.length >= LEAST_SHARED
    const place = isShared ? places.get(key) : undefined
    if (place !== undefined) return { bodySame: place }
    if (isShared) places.set(key, count)
    count += 1
    return text === undefined ? { bodyBase64: key } : { body: text }
  }

  /** @param asSent the body of the request before its credentials were replaced */
  return (exchange: RecordedExchange, asSent = exchange.request.body): ExchangeLine => {
    const { startedAtMs, request, response, timings, ...about } = exchange
    const { body, splitAt: _splitAt, ...sent } = request
    const isLarge = isBundle && about.hop === undefined && (asSent?.length ?? 0) > MOST_REQUEST_BYTES
    // A reader meets the bodies in this order.
    const own = body === undefined ? {} : isLarge ? beginningOf(body, asSent ?? body) : bodyOf(body)
    return {
      kind: 'exchange',
      ...about,
      startedAt: new Date(startedAtMs).toISOString(),
      request: { ...sent, ...own },
      response: response && {
        status: response.status,
        headers: response.headers,
        ...bodyOf(response.body),
        ...(response.bodyBytes === undefined ? {} : { bodyCutFromBytes: response.bodyBytes }),
        pieces: response.chunks.map(({ atMs, size }): [number, number] => [rounded(atMs), size]),
        end: response.end,
        ...(response.broken === undefined ? {} : { broken: response.broken }),
      },
      timings: { firstByteMs: rounded(timings.firstByteMs), totalMs: rounded(timings.totalMs) },
    }
  }
}

const beginningOf = (body: Uint8Array, asSent: Uint8Array) => ({
  body: Buffer.from(body.subarray(0, START_CHARS)).toString('latin1'),
  bodyCutFromBytes: asSent.length,
  bodySha256: digestOf(asSent),
})

/** Makes the reader of the exchanges of a recording, which it gets in their order. Throws `RangeError` for a body that is not there. */
export function createExchangeReader(): (line: ExchangeLine) => RecordedExchange {
  const bodies: Buffer[] = []
  let room = bounds().bundleBytes

  function bytesOf({ body, bodyBase64, bodySame }: BodyMembers): Buffer {
    if (bodySame !== undefined) {
      const known = bodies[bodySame]
      if (known === undefined) throw new RangeError(`there is no body ${bodySame} before this one`)
      return known
    }
    const bytes = body === undefined ? Buffer.from(bodyBase64 ?? '', 'base64') : Buffer.from(body)
    // A capture may be larger than memory, and has no references.
    room -= bytes.length
    if (room > 0) bodies.push(bytes)
    return bytes
  }

  return ({ startedAt, request, response, ...line }) => {
    const { kind: _kind, ...about } = line
    const { body, bodyBase64, bodySame, bodyCutFromBytes: _cut, bodySha256, ...sent } = request
    const hasBody = (body ?? bodyBase64 ?? bodySame) !== undefined
    const bytes = () => (bodySha256 === undefined ? bytesOf(request) : Buffer.from(body ?? '', 'latin1'))
    return {
      ...about,
      startedAtMs: Date.parse(startedAt),
      request: hasBody ? { ...sent, body: bytes() } : sent,
      response: response && {
        status: response.status,
        headers: response.headers,
        body: bytesOf(response),
        ...(response.bodyCutFromBytes === undefined ? {} : { bodyBytes: response.bodyCutFromBytes }),
        chunks: response.pieces.map(([atMs, size]) => ({ atMs, size })),
        end: response.end,
        ...(response.broken === undefined ? {} : { broken: response.broken }),
      },
    }
  }
}

/** A line that cannot be read; the message is a part of a line of text. `isJson` is false if it may only be cut. */
export class LineError extends Error {
  override readonly name = 'LineError'
  readonly isJson: boolean
  constructor(message: string, isJson = true) {
    super(message)
    this.isJson = isJson
  }
}

/**
 * Reads a line. Throws `LineError`.
 *
 * @param lift makes the lines of an earlier form those of this one
 * @param tooCostly says why the text is not parsed
 */
export function readLine(
  text: string,
  lift: (value: unknown) => readonly unknown[] = withKind,
  tooCostly: (text: string) => string | undefined = whyTooCostly,
): readonly RecordingLine[] {
  const why = tooCostly(text)
  if (why !== undefined) throw new LineError(why)
  const value = parseJson(text)
  if (value === undefined) throw new LineError('expected JSON', false)
  return lifted(value, lift).map((one) => {
    const read = lineSchema.safeParse(one)
    if (read.success) return read.data
    const [issue] = read.error.issues
    const path = (issue?.path ?? []).join('.').replaceAll(/\.(\d+)/g, '[$1]')
    throw new LineError([...(path === '' ? [] : [path]), issue?.message].join(': '))
  })
}

function lifted(value: unknown, lift: (value: unknown) => readonly unknown[]): readonly unknown[] {
  try {
    return lift(value)
  } catch {
    throw new LineError('not a line of a recording')
  }
}

/** A line of a capture that was written before lines had kinds. */
function withKind(value: unknown): readonly unknown[] {
  if (at(value, 'kind') !== undefined || typeof value !== 'object' || value === null) return [value]
  return [{ kind: 'schema' in value ? 'run' : 'exchange', ...value }]
}

export const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** A time with three decimals: microseconds. */
export const rounded = (value: number): number => Math.round(Math.max(0, value) * 1000) / 1000
