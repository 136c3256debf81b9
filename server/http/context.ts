// What travels with a request under /v1, and the two ways to answer it. Answers are made with plain header objects:
// the adapter then writes them without building a Headers object per request.
import type { Context } from 'hono'
import type { ErrorStatus } from '../../spec/protocol/error.ts'
import { type ApiError } from './errors.ts'
import type { ApiKey } from '../keys/key-store.ts'
import type { Admission } from '../limits/rate-limiter.ts'
import type { RequestLog } from './request-log.ts'

/** Set by the middleware of app.ts, in the order in which they run. */
export interface RequestVariables {
  /** Different for every request; sent as `x-request-id` (WIRE-21) and written to the log. */
  requestId: string
  /** Its line in the log. */
  log: RequestLog
  /** The key that authenticated the request. */
  apiKey: ApiKey
  /** The rate limit headers of the answer. */
  limitHeaders: Readonly<Record<string, string>>
  /** What the request owes to its limits when it is over. */
  admission: Admission
}

/** What the adapter knows of the connection; absent where a request comes without a socket. */
export interface ConnectionBindings {
  readonly outgoing?: { readonly socket: { destroySoon(): void } | null }
}

export interface AppEnv {
  readonly Bindings: ConnectionBindings
  readonly Variables: RequestVariables
}

export type AppContext = Context<AppEnv>

function headers(c: AppContext, own: Readonly<Record<string, string>>): Record<string, string> {
  const requestId: string | undefined = c.get('requestId')
  // Outside of /v1 the HTTP server gives the id.
  const id = requestId === undefined ? {} : { 'x-request-id': requestId }
  return { ...own, ...id, ...c.get('limitHeaders') }
}

/** A JSON answer (WIRE-5). */
export function jsonAnswer(
  c: AppContext,
  status: 200 | ErrorStatus,
  body: unknown,
  own: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: headers(c, { 'content-type': 'application/json', ...own }),
  })
}

/** An answer that begins and is never finished: the connection is closed in its middle. */
export function cutAnswer(c: AppContext): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{'))
    },
    pull() {
      setImmediate(cutConnection, c)
    },
  })
  return new Response(body, { status: 200, headers: headers(c, { 'content-type': 'application/json' }) })
}

/** An event stream (STREAM-1). Proxies are asked not to gather it. */
export function eventStreamAnswer(c: AppContext, body: ReadableStream<Uint8Array>): Response {
  const own = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
  return new Response(body, { status: 200, headers: headers(c, own) })
}

/** The envelope of a failed request (ERR-1). */
export function errorAnswer(c: AppContext, error: ApiError): Response {
  return jsonAnswer(c, error.status, error.toEnvelope(), error.headers)
}

/** Closes the connection of a request, answered or not, when what was written to it has left. */
export function cutConnection(c: AppContext): void {
  c.env.outgoing?.socket?.destroySoon()
}
