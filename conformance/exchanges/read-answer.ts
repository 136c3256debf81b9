// Reads an answer, so that nothing is verified on one that is neither a completion nor a stream, and no check passes on
// one that it could not read.
import { type RequirementId, rowRequiring } from '../../spec/catalogue/requirements.ts'
import type { Due } from '../../spec/catalogue/section.ts'
import { type StreamReading, readStream } from '../../harness/http/event-stream.ts'
import { type Exchange, header, json, requestJson } from '../../harness/http/exchange.ts'
import { memoizePer } from '../../harness/memoize.ts'
import { at, isRecord, listAt } from '../../harness/json-value.ts'
import { showBody } from '../../harness/verify/verify.ts'
import { CHAT_PATH } from '../contract/target.ts'

/** The most characters of an unreadable body that are shown. */
const SHOWN_CHARS = 100

/** An answer of status 200 as its request makes it due, or the reason why it cannot be read as that. */
export type ReadAnswer =
  | { readonly kind: 'completion'; readonly body: unknown }
  | { readonly kind: 'stream'; readonly stream: StreamReading }
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Reads an answer of status 200 to a request for a completion: JSON with at least one choice, or, if the request has
 * `stream: true`, events of which at least one is a chunk, an error or the end.
 */
export const readAnswer = memoizePer((exchange: Exchange): ReadAnswer => {
  if (asksStream(exchange)) {
    const stream = readStream(exchange)
    if (stream.chunks.length + stream.errors.length + stream.doneCount > 0) return { kind: 'stream', stream }
  } else if (listAt(json(exchange), 'choices').length > 0) return { kind: 'completion', body: json(exchange) }
  return { kind: 'unreadable', reason: describe(exchange) }
})

const asksStream = ({ request }: Exchange): boolean => at(requestJson(request), 'stream') === true

function describe(exchange: Exchange): string {
  const type = header(exchange, 'content-type') ?? 'no content type'
  const body = showBody(exchange)
  const shown = body.length <= SHOWN_CHARS ? body : `${body.slice(0, SHOWN_CHARS)}…`
  return `status ${exchange.response.status}, ${type}, ${shown}`
}

/** An answer that nothing can be concluded from. */
export interface UnreadAnswer {
  /** Its status, its type and the first bytes. */
  readonly reason: string
  /** The row that requires an answer that can be read; undefined if the catalogue has none. */
  readonly row: RequirementId | undefined
}

/** The reason of a check that an unread answer leaves without a verdict. */
export function unreadReason({ reason, row }: UnreadAnswer): string {
  return `an answer could not be read: ${reason}${row === undefined ? '' : `, which ${row} judges`}`
}

/**
 * Returns why no check may pass on an answer under `/v1`: a success is not what its request makes due, or a refusal is not a
 * JSON object. Undefined for an answer that can be read, or that has no body by the rules of HTTP.
 */
export const unreadAnswer = memoizePer((exchange: Exchange): UnreadAnswer | undefined => {
  const { request, response } = exchange
  const hasBody = request.method !== 'HEAD' && request.method !== 'OPTIONS' && response.status >= 200
  const isWhole = response.end === 'complete' || response.end === 'left-open'
  const [path = ''] = request.path.split('?')
  if (!hasBody || !isWhole || !/^\/v1($|\/)/.test(path) || isReadable(exchange, path)) return undefined
  const due = answerDue(exchange, path)
  return { reason: describe(exchange), row: due && rowRequiring(due) }
})

/** A request for a completion, and not for the list of stored ones. */
const isChat = ({ request }: Exchange, path: string): boolean =>
  path === CHAT_PATH && request.method !== 'GET'

function isReadable(exchange: Exchange, path: string): boolean {
  const body = json(exchange)
  const { status } = exchange.response
  // A redirect says all in its header.
  if (status >= 300 && status < 400 && header(exchange, 'location') !== undefined) return true
  if (status >= 300) return isRecord(body) ? Object.keys(body).length > 0 : Array.isArray(body)
  if (isChat(exchange, path)) return readAnswer(exchange).kind !== 'unreadable'
  return path === MODELS_PATH || path === CHAT_PATH
    ? Array.isArray(at(body, 'data'))
    : isRecord(body) && Object.keys(body).length > 0
}

/** The answer that a request makes due, by its path and the status; undefined if the catalogue has no such answer. */
function answerDue(exchange: Exchange, path: string): Due | undefined {
  if (exchange.response.status >= 300) return 'error'
  if (isChat(exchange, path)) return asksStream(exchange) ? 'stream' : 'completion'
  if (path.startsWith(CHAT_PATH)) return 'stored completions'
  if (path === MODELS_PATH) return 'model list'
  return path.startsWith(`${MODELS_PATH}/`) ? 'model record' : undefined
}

const MODELS_PATH = '/v1/models'
