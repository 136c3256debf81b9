// HTTP archives (HAR 1.2), as browsers, Playwright, mitmproxy and Charles write them: an entry as an exchange. A HAR has
// decoded bodies, may lack them, and never has the times of the pieces of a body.
import { z } from 'zod'
import { type Headers, headerValues } from '../../harness/http/exchange.ts'
import { type RecordedExchange, splitAddress } from './recorded-exchange.ts'

const headers = z.array(z.object({ name: z.string(), value: z.string() }))

const ms = z.number().nullish()

const NETWORK_ERROR = '_error'

/** The members of an entry that are read; tools write many more. */
export const entrySchema = z.object({
  startedDateTime: z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'expected a date and time'),
  time: ms,
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers,
    postData: z.object({ text: z.string().nullish(), encoding: z.string().optional() }).nullish(),
  }),
  response: z.object({
    /** 0 or -1 if no answer came. */
    status: z.number().int(),
    headers,
    content: z.object({ text: z.string().nullish(), encoding: z.string().nullish() }).nullish(),
    /** Chromium: the network error that ended the answer. */
    [NETWORK_ERROR]: z.string().nullish(),
  }),
  timings: z.object({ blocked: ms, dns: ms, connect: ms, send: ms, wait: ms }).nullish(),
})

/** The exchange of an entry, or the reason why it cannot be judged. */
export function exchangeOfEntry(
  entry: z.output<typeof entrySchema>,
): RecordedExchange | { readonly reason: string } {
  const { request, response } = entry
  const path = splitAddress(request.url)?.path ?? new URL(request.url).pathname
  const sent = {
    method: request.method,
    url: request.url,
    path,
    headers: pairs(request.headers),
    ...bodyOf(request.postData?.text, request.postData?.encoding),
  }
  const timings = timingsOf(entry)
  const head = { startedAtMs: Date.parse(entry.startedDateTime), request: sent, timings }
  if (response.status <= 0) return { ...head, response: null }
  const { content } = response
  const received = pairs(response.headers)
  if (content?.text === undefined || content.text === null) {
    // Tools also write a size of 0 for a body that they have dropped.
    const isEmpty =
      Number(headerValues(received, 'content-length')[0] ?? NaN) === 0 ||
      response.status === 204 ||
      response.status === 304
    if (!isEmpty) return { reason: 'the body of the answer was not recorded' }
  }
  const { body = Buffer.alloc(0) } = bodyOf(content?.text, content?.encoding)
  return {
    ...head,
    response: {
      status: response.status,
      headers: received,
      body,
      chunks: [],
      end: (response[NETWORK_ERROR] ?? '') === '' ? 'complete' : 'broken',
    },
  }
}

/** HTTP/2 headers without those that stand for the lines of HTTP/1.1. */
function pairs(list: readonly { readonly name: string; readonly value: string }[]): Headers {
  // Chromium joins repeated headers by line ends.
  return list
    .filter(({ name }) => !name.startsWith(':'))
    .flatMap(({ name, value }) => value.split('\n').map((one): [string, string] => [name, one]))
}

function bodyOf(
  text: string | null | undefined,
  encoding: string | null | undefined,
): { readonly body?: Uint8Array } {
  if (text === undefined || text === null) return {}
  return { body: encoding === 'base64' ? Buffer.from(text, 'base64') : Buffer.from(text) }
}

/** The time before the answer is what the phases until then took. */
function timingsOf({ time, timings }: z.output<typeof entrySchema>): RecordedExchange['timings'] {
  const { blocked, dns, connect, send, wait } = timings ?? {}
  const before = [blocked, dns, connect, send, wait].map((phase) => Math.max(0, phase ?? 0))
  const firstByteMs = before.reduce((sum, phase) => sum + phase, 0)
  return { firstByteMs, totalMs: Math.max(firstByteMs, time ?? 0) }
}
