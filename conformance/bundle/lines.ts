// The lines of a bundle: each is one thing that the run heard, in the order in which they ended.
// Whole, because the form of a line, its writer and its reader change together.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Exchange, SentRequest } from '../../harness/http/exchange.ts'
import { MOST_HEADERS, utf8 } from '../../harness/http/exchange.ts'

const count = z.number().int().nonnegative()

/** A body is text if it is UTF-8, else base64. `same` is the place of an equal body among the bodies before it. */
const bodySchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ base64: z.string().base64() }),
  z.strictObject({ same: count }),
])

/** A large body of a request, which the seed makes again: its beginning, its size, and its digest. */
const largeBody = z.strictObject({ start: z.string(), bytes: count, sha256: z.string() })

const headers = z
  .array(z.tuple([z.string(), z.string()]).readonly())
  .max(MOST_HEADERS)
  .readonly()
const ms = z.number().nonnegative()
/** A time since the run began, in milliseconds; before it for what the judge prepared. */
const time = z.number()

export const requestSchema = z.strictObject({
  method: z.string(),
  url: z.string(),
  /** The path that the specification has for it, with its query. */
  path: z.string(),
  headers,
  body: z.union([bodySchema, largeBody]).optional(),
})

export const responseSchema = z.strictObject({
  status: z.number().int(),
  headers,
  body: bodySchema,
  /** The size of the whole body, in bytes, if only its beginning was kept. */
  bodyBytes: z.number().int().optional(),
  /** The arrival of each piece of the body, in milliseconds since the request began, and its size in bytes. */
  pieces: z.array(z.tuple([ms, z.number().int().nonnegative()])),
  end: z.enum(['complete', 'hung-up', 'left-open', 'broken', 'timeout', 'too-large']),
  broken: z.string().optional(),
})

const timingsSchema = z.strictObject({ firstByteMs: ms, totalMs: ms })

const exchangeLine = z.strictObject({
  kind: z.literal('exchange'),
  /** The check that sent the request; left out for a request of the run itself. */
  check: z.string().optional(),
  /** Which request of that check it is, from 0. */
  ordinal: z.number().int().nonnegative(),
  /** When it was sent, in milliseconds since the run began. */
  atMs: ms,
  request: requestSchema,
  /** Left out if no answer came. */
  response: responseSchema.optional(),
  timings: timingsSchema,
  reconnected: z.literal(true).optional(),
  /** The judge left before the end: `response` is what had come until then. */
  left: z.literal(true).optional(),
  /** Why no answer came. `received` says that the response is what the HTTP parser refused. */
  error: z
    .strictObject({
      message: z.string(),
      isLate: z.boolean(),
      isSilence: z.boolean(),
      received: z.literal(true).optional(),
    })
    .optional(),
})

const keyLine = z.strictObject({
  kind: z.literal('key'),
  /** The request to the key command: `create` with its options, or `revoke` with an id. */
  asked: z.string(),
  atMs: ms,
  totalMs: ms,
  /** The key that was made; its secret is a stand-in. */
  made: z.strictObject({ id: z.string(), secret: z.string() }).optional(),
  error: z.string().optional(),
})

const waitLine = z.strictObject({
  kind: z.literal('wait'),
  check: z.string().optional(),
  atMs: ms,
  /** The wait that was due, and its real length. */
  ms,
  totalMs: ms,
})

/** A request to a scripted service and its answer. */
const callSchema = z.strictObject({
  kind: z.enum(['attempt', 'stray', 'elsewhere']),
  arrivedMs: time,
  request: requestSchema,
  /** The written part of the answer, and the sizes of its pieces; left out if none was written. */
  reply: z
    .strictObject({
      status: z.number().int(),
      headers,
      body: bodySchema,
      pieces: z.array(count),
      end: z.enum(['complete', 'cut', 'endless', 'stalled', 'silent', 'reset']),
      firstByteMs: time,
      lastByteMs: time.optional(),
    })
    .optional(),
  /** When the other side closed the connection before the end of the answer. */
  hungUpMs: time.optional(),
})

/** A client in one scenario. */
const clientLine = z.strictObject({
  kind: z.literal('client'),
  scenario: z.string(),
  baseUrl: z.string(),
  key: z.string(),
  /** The task of the program and the text of the good answer, which the seed makes again. */
  task: z.string(),
  text: z.string(),
  boundMs: ms,
  stoppedMs: time.optional(),
  calls: z.array(callSchema),
  ends: z.array(
    z.strictObject({
      exitCode: z.number().int().nullable(),
      signal: z.string().nullable(),
      isOverdue: z.boolean(),
      stdout: z.string(),
      stderr: z.string(),
    }),
  ),
})

/** The delays of the judge's own timers, from and to. */
const delaysLine = z.strictObject({
  kind: z.literal('delays'),
  delays: z.array(z.tuple([time, time])),
})

/** The answers of a gateway before the first crossing. */
const gatewayLine = z.strictObject({
  kind: z.literal('gateway'),
  model: z.string(),
  /** The models that it lists; left out if it has no list. */
  listed: z.array(z.string()).optional(),
  /** The address of the scripted upstream. */
  upstream: z.string(),
  clientKey: z.string(),
  upstreamKey: z.string(),
})

/** A request that crossed a gateway. */
const crossingLine = z.strictObject({
  kind: z.literal('crossing'),
  scenario: z.string(),
  words: z.string(),
  /** The body of the client. */
  sent: bodySchema,
  sentMs: time,
  /** `sentMs` as milliseconds since 1970. */
  sentAtMs: z.number(),
  /** The request of the client; left out if it left before an answer. */
  request: requestSchema.optional(),
  response: responseSchema.optional(),
  timings: timingsSchema.optional(),
  error: z.strictObject({ message: z.string(), isLate: z.boolean(), isSilence: z.boolean() }).optional(),
  leftMs: time.optional(),
  calls: z.array(callSchema),
  strays: z.array(callSchema),
  /** The longest delay of the timers of the judge meanwhile, if it was long. */
  busyMs: time.optional(),
  held: z.array(z.string()),
})

export const lineSchema = z.discriminatedUnion('kind', [
  exchangeLine,
  keyLine,
  waitLine,
  clientLine,
  delaysLine,
  gatewayLine,
  crossingLine,
])

export type ExchangeLine = z.output<typeof exchangeLine>
export type KeyLine = z.output<typeof keyLine>
export type WaitLine = z.output<typeof waitLine>
export type CallLine = z.output<typeof callSchema>
export type ClientLine = z.output<typeof clientLine>
export type GatewayLine = z.output<typeof gatewayLine>
export type CrossingLine = z.output<typeof crossingLine>
export type Line = z.output<typeof lineSchema>
type BodyLine = z.output<typeof bodySchema>

/** Larger bodies of requests are kept by their digests, in bytes. */
export const MOST_REQUEST_BYTES = 64 * 1024

/** The length of their kept beginning, in characters. */
const START_CHARS = 1024

/** Bodies that are shorter are not worth a reference, in characters. */
const LEAST_SHARED = 48

/** Writes exchanges as parts of lines; each body stands once. */
export function createLineWriter() {
  const places = new Map<string, number>()
  let count = 0

  function bodyOf(bytes: Uint8Array): BodyLine {
    const text = utf8(bytes)
    const key = text ?? Buffer.from(bytes).toString('base64')
    const place = key.length < LEAST_SHARED ? undefined : places.get(key)
    if (place !== undefined) return { same: place }
    if (key.length >= LEAST_SHARED) places.set(key, count)
    count += 1
    return text === undefined ? { base64: key } : { text }
  }

  return {
    /** `sent` is the body as it was sent. */
    request({ body, ...request }: SentRequest, sent: Uint8Array | undefined): ExchangeLine['request'] {
      if (body === undefined || sent === undefined) return request
      if (sent.length <= MOST_REQUEST_BYTES) return { ...request, body: bodyOf(body) }
      const start = Buffer.from(body.subarray(0, START_CHARS)).toString('latin1')
      return { ...request, body: { start, bytes: sent.length, sha256: digestOf(sent) } }
    },
    body: bodyOf,
    wholeRequest({ body, ...request }: SentRequest): ExchangeLine['request'] {
      return body === undefined ? request : { ...request, body: bodyOf(body) }
    },
    response({ body, chunks, bodyBytes, broken, ...response }: Exchange['response']) {
      return {
        status: response.status,
        headers: response.headers,
        body: bodyOf(body),
        ...(bodyBytes === undefined ? {} : { bodyBytes }),
        pieces: chunks.map(({ atMs, size }): [number, number] => [rounded(atMs), size]),
        end: response.end,
        ...(broken === undefined ? {} : { broken }),
      }
    },
  }
}

/** Reads what `createLineWriter` writes, in the same order. */
export function createLineReader() {
  const bodies: Buffer[] = []

  function bytesOf(body: BodyLine): Buffer {
    if ('same' in body) {
      const known = bodies[body.same]
      if (known === undefined) throw new RangeError(`there is no body ${body.same} before this one`)
      return known
    }
    const bytes = 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64')
    bodies.push(bytes)
    return bytes
  }

  return {
    body: bytesOf,
    /** Returns a large body cut to its beginning. */
    request({ body, ...request }: ExchangeLine['request']): SentRequest {
      if (body === undefined) return request
      return { ...request, body: 'start' in body ? Buffer.from(body.start, 'latin1') : bytesOf(body) }
    },
    response({
      body,
      pieces,
      bodyBytes,
      broken,
      ...response
    }: NonNullable<ExchangeLine['response']>): Exchange['response'] {
      return {
        ...response,
        body: bytesOf(body),
        ...(bodyBytes === undefined ? {} : { bodyBytes }),
        chunks: pieces.map(([atMs, size]) => ({ atMs, size })),
        ...(broken === undefined ? {} : { broken }),
      }
    },
  }
}

export const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** A time with three decimals: microseconds. */
export const rounded = (value: number): number => Math.round(Math.max(0, value) * 1000) / 1000
