// Reads the answer to a request for a completion, so that nothing is verified on an answer that is neither a completion nor
// a stream.
import { type StreamReading, readStream } from '../../harness/http/event-stream.ts'
import { type Exchange, header, json, requestJson } from '../../harness/http/exchange.ts'
import { memoizePer } from '../../harness/memoize.ts'
import { at, listAt } from '../../harness/json-value.ts'
import { showBody } from '../../harness/verify/verify.ts'

/** The most characters of an unreadable body that are shown. */
const SHOWN_CHARS = 100

/** An answer of status 200 as its request makes it due, or the reason why it cannot be read as that. */
export type Answer =
  | { readonly kind: 'completion'; readonly body: unknown }
  | { readonly kind: 'stream'; readonly stream: StreamReading }
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Reads an answer of status 200 to a request for a completion: JSON with at least one choice, or, if the request has
 * `stream: true`, events of which at least one is a chunk, an error or the end.
 */
export const readAnswer = memoizePer((exchange: Exchange): Answer => {
  if (at(requestJson(exchange.request), 'stream') === true) {
    const stream = readStream(exchange)
    if (stream.chunks.length + stream.errors.length + stream.doneCount > 0) return { kind: 'stream', stream }
  } else if (listAt(json(exchange), 'choices').length > 0) return { kind: 'completion', body: json(exchange) }
  return { kind: 'unreadable', reason: describe(exchange) }
})

function describe(exchange: Exchange): string {
  const type = header(exchange, 'content-type') ?? 'no content type'
  const body = showBody(exchange)
  const shown = body.length <= SHOWN_CHARS ? body : `${body.slice(0, SHOWN_CHARS)}…`
  return `status ${exchange.response.status}, ${type}, ${shown}`
}
