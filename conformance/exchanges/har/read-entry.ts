// HTTP archives (HAR 1.2), as browsers, Playwright, mitmproxy and Charles write them: an entry as an exchange. A HAR has
// decoded bodies, may lack them, and never has the times of the pieces of a body.
import { z } from 'zod'
import { type Headers, MOST_HEADERS, headerValues } from '../../../harness/http/exchange.ts'
import { at, parseJson } from '../../../harness/json-value.ts'
import type { BodyFiles } from './body-files.ts'
import { readHarBody } from './read-body.ts'
import type { RecordedExchange } from '../recorded-exchange.ts'

/** Some tools write null in place of a value that they do not have. */
const headers = z.array(z.object({ name: z.string(), value: z.string().nullish() })).max(MOST_HEADERS)

const ms = z.number().nullish()

const NETWORK_ERROR = '_error'

/** Playwright: the file beside the archive that has the body. */
const BODY_FILE = '_file'

const shownBody = z
  .object({
    text: z.string().nullish(),
    encoding: z.string().nullish(),
    mimeType: z.string().nullish(),
    size: z.number().nullish(),
    [BODY_FILE]: z.string().nullish(),
  })
  .nullish()

/** The members of an entry that are read; tools write many more. */
const entrySchema = z.object({
  startedDateTime: z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'expected a date and time'),
  time: ms,
  request: z.object({
    method: z.string(),
    url: z.string().refine((text) => URL.canParse(text), 'expected an address'),
    headers,
    postData: shownBody,
    bodySize: z.number().nullish(),
  }),
  response: z.object({
    /** 0 or less if no answer came. */
    status: z.number().int(),
    headers,
    content: shownBody,
    /** Chromium: the network error that ended the answer. */
    [NETWORK_ERROR]: z.string().nullish(),
  }),
  timings: z.object({ blocked: ms, dns: ms, connect: ms, send: ms, wait: ms }).nullish(),
})

type Entry = z.output<typeof entrySchema>

/** The exchange of an entry, or the reason why it cannot be read, with its address if that is known. */
export type EntryReading =
  | { readonly exchange: RecordedExchange }
  | { readonly unread: string; readonly url?: string | undefined }

/** Reads an entry. Whatever its tool wrote, an entry that is not as the standard says is unread, and never an error. */
export async function readEntry(value: unknown, files: BodyFiles): Promise<EntryReading> {
  const read = entrySchema.safeParse(value)
  if (read.success) return exchangeOf(read.data, files)
  const [first] = read.error.issues
  const path = (first?.path ?? []).join('.').replaceAll(/\.(\d+)/g, '[$1]')
  const url = at(value, 'request', 'url')
  return { unread: `${path}: ${first?.message}`, ...(typeof url === 'string' ? { url } : {}) }
}

async function exchangeOf(entry: Entry, files: BodyFiles): Promise<EntryReading> {
  const { request, response } = entry
  const { method, url } = request
  const sentHeaders = pairs(request.headers)
  const sent = await bodyOf(request.postData, request.bodySize, sentHeaders, files)
  if ('unread' in sent) return { unread: sent.unread, url }
  if (sent.body === undefined && method === 'POST' && !isDeclaredEmpty(sentHeaders))
    return { unread: 'the body of the request was not recorded', url }
  const head = {
    startedAtMs: Date.parse(entry.startedDateTime),
    request: { method, url, path: new URL(url).pathname, headers: sentHeaders, ...sent },
    timings: timingsOf(entry),
    ...(areLeftOut(request.headers) ? { areSentHeadersUnknown: true as const } : {}),
  }
  if (response.status <= 0) return { exchange: { ...head, response: null } }
  const isLeftOut = areLeftOut(response.headers)
  const named = pairs(response.headers)
  const received = isLeftOut ? withType(named, response.content?.mimeType) : named
  const answer = await bodyOf(response.content, response.content?.size, received, files)
  if ('unread' in answer) return { unread: answer.unread, url }
  const isEmpty = method === 'HEAD' || [204, 304].includes(response.status) || isDeclaredEmpty(received)
  return {
    exchange: {
      ...head,
      ...(answer.body === undefined && !isEmpty ? { isBodyUnknown: true } : {}),
      ...(isLeftOut ? { areHeadersUnknown: true } : {}),
      response: {
        status: response.status,
        headers: received,
        body: answer.body ?? Buffer.alloc(0),
        chunks: [],
        end: (response[NETWORK_ERROR] ?? '') === '' ? 'complete' : 'broken',
      },
    },
  }
}

/** HTTP/2 headers without those that stand for the lines of HTTP/1.1, and without those whose value was not recorded. */
function pairs(list: Entry['request']['headers']): Headers {
  // Chromium joins repeated headers by line ends.
  return list
    .filter(({ name }) => !name.startsWith(':'))
    .flatMap(({ name, value }) => (value?.split('\n') ?? []).map((one): [string, string] => [name, one]))
}

/** Whether headers of a message were left out: every message of HTTP has some. */
const areLeftOut = (list: Entry['request']['headers']): boolean =>
  list.length === 0 || list.some(({ value }) => typeof value !== 'string')

/** Headers of which not all are known, with the content type that the archive has beside them. */
function withType(list: Headers, mimeType: string | null | undefined): Headers {
  const isKnown = headerValues(list, 'content-type').length > 0
  // Chromium writes `x-unknown`.
  return isKnown || mimeType?.includes('/') !== true ? list : [...list, ['content-type', mimeType]]
}

/** Tools write a size of 0 for a body that they have dropped: only the header says that none was sent. */
const isDeclaredEmpty = (list: Headers): boolean => headerValues(list, 'content-length').includes('0')

/** The bytes that a text may lack: browsers remove a byte order mark. */
const MARK_BYTES = 3

/** The body of a message; absent if the archive has none, or an empty one in place of one with a length. */
async function bodyOf(
  shown: z.output<typeof shownBody>,
  size: number | null | undefined,
  list: Headers,
  files: BodyFiles,
): Promise<{ readonly body?: Uint8Array } | { readonly unread: string }> {
  if (typeof shown?.text !== 'string' && typeof shown?.[BODY_FILE] === 'string') {
    const file = files(shown[BODY_FILE])
    return 'unread' in file ? file : { body: file.bytes }
  }
  const isDropped = headerValues(list, 'content-length').length > 0 && !isDeclaredEmpty(list)
  if (typeof shown?.text !== 'string' || (shown.text === '' && (isDropped || (size ?? 0) > 0))) return {}
  const read = await readHarBody(shown.text, shown.encoding, headerValues(list, 'content-encoding')[0])
  if ('unread' in read) return read
  return isCut(read.bytes, size)
    ? { unread: 'the text of a body is shorter than its size' }
    : { body: read.bytes }
}

/**
 * Whether a tool kept only the beginning of a body, as Firefox does of a long one: it is shorter than its size, and ends
 * neither as JSON nor as a record of a stream does.
 */
function isCut(bytes: Uint8Array, size: number | null | undefined): boolean {
  if (bytes.length + MARK_BYTES >= (size ?? 0)) return false
  const text = new TextDecoder().decode(bytes)
  return !/[\r\n]$/.test(text) && parseJson(text) === undefined
}

/** The time before the answer is the sum of the phases before it. */
function timingsOf({ time, timings }: Entry): RecordedExchange['timings'] {
  const { blocked, dns, connect, send, wait } = timings ?? {}
  const before = [blocked, dns, connect, send, wait].map((phase) => Math.max(0, phase ?? 0))
  const firstByteMs = before.reduce((sum, phase) => sum + phase, 0)
  return { firstByteMs, totalMs: Math.max(firstByteMs, time ?? 0) }
}
