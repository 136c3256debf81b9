// Sends requests exactly as written and returns every byte of an answer with the time of its arrival. It does not
// interpret, follow or retry anything.
import type { Connection } from './connection.ts'
import type { Exchange, SentRequest } from './exchange.ts'
import { urlAt } from './service-address.ts'
import type { BodyBounds } from './read-body.ts'
import type { AnswerListener } from './send-once.ts'
import { type Transport, socketTransport } from './transport.ts'

export interface RequestSpec {
  /** Default: POST with a body, GET without. */
  readonly method?: string
  /** Path and query, for example `/v1/models`. The base of the service replaces `/v1`; the rest is sent unchanged. */
  readonly path: string
  /**
   * The whole header value; null: no such header; absent: `Bearer <the target's key>`. If the target has its own header
   * for keys, that header gets the key alone.
   */
  readonly authorization?: string | null | readonly string[]
  /** A request with a body has `content-type: application/json` by default; a value of '' removes a header. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body as sent; text is sent in UTF-8. */
  readonly body?: string | Uint8Array
  /** The places in the body, in bytes, at which it is sent in another packet. */
  readonly splitAt?: readonly number[]
  /** Default true: a 429 or an enveloped 503 is waited out and sent again (`CaseContext.send`). */
  readonly obey?: boolean
  /** Time limit of the head of this answer, in milliseconds; its body has that of the run. Default: one limit for both. */
  readonly timeoutMs?: number
  /** Time limit of the body of this answer, in milliseconds. Default: that of the run if `timeoutMs` is given. */
  readonly bodyTimeoutMs?: number
  /** The name of a connection that only requests of this name use. Default: any idle connection. */
  readonly connection?: string
  /** Hang up after this number of pieces of the answer's body. */
  readonly abortAfterChunks?: number
  /** How long an event stream may stay open and silent after its `[DONE]`, in milliseconds. Default: one second. */
  readonly openAfterDoneMs?: number
}

export interface ProbeOptions {
  /** The address of the service, read for each request: it may become known only after the first ones. */
  readonly baseUrl: string
  /** The target's key; '' if it needs none. */
  readonly key: string
  /** The header for the key alone. Default: `Authorization`, with `Bearer` before the key. */
  readonly authHeader?: string | undefined
  /** Sent with every request, as a gateway before the target may demand. */
  readonly headers?: Readonly<Record<string, string>>
  /** The most that one exchange may take, in milliseconds. */
  readonly timeoutMs: number
  /** The clock of the timings, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
  /** Proxy and certificates. Default: a direct connection. */
  readonly connection?: Connection
  readonly bodies?: BodyBounds
  /** The carrier of the requests. Default: sockets, with the four options above. */
  readonly transport?: Transport | undefined
}

export interface Probe {
  /**
   * Sends one request and reads its whole answer, whatever the status. Throws `TransportError` if no answer came, and
   * the reason of the signal if it is aborted. `by` is the id of the check that sends it.
   */
  send(request: RequestSpec, signal: AbortSignal, listener?: AnswerListener, by?: string): Promise<Exchange>
  close(): void
}

export function createProbe(options: ProbeOptions): Probe {
  const { protocol } = new URL(options.baseUrl)
  const { transport = socketTransport({ ...options, protocol }) } = options
  return {
    async send(spec, signal, listener, by) {
      const { connection, abortAfterChunks, openAfterDoneMs, timeoutMs = options.timeoutMs } = spec
      const bodyTimeoutMs = spec.bodyTimeoutMs ?? (spec.timeoutMs && options.timeoutMs)
      const bounds = { timeoutMs, bodyTimeoutMs, openAfterDoneMs, abortAfterChunks }
      return transport.exchange(prepare(spec, options), { ...bounds, connection, signal, listener, by })
    },
    close: () => transport.close(),
  }
}

/** The request line, headers and bytes of a `RequestSpec` for this target. */
function prepare(spec: RequestSpec, options: ProbeOptions): SentRequest {
  const body = typeof spec.body === 'string' ? Buffer.from(spec.body) : spec.body
  const method = spec.method ?? (body === undefined ? 'GET' : 'POST')
  const headers = new Map<string, [name: string, value: string]>()
  const set = (name: string, value: string): void => {
    if (value === '') headers.delete(name.toLowerCase())
    else headers.set(name.toLowerCase(), [name, value])
  }
  set('Host', new URL(options.baseUrl).host)
  set('Accept', '*/*')
  set('Accept-Encoding', 'identity')
  set('User-Agent', 'touchstone')
  if (body !== undefined) set('Content-Type', 'application/json')
  if (body !== undefined || /^(POST|PUT|PATCH)$/.test(method))
    set('Content-Length', String(body?.length ?? 0))
  const { authHeader = 'Authorization' } = options
  const credential = (value: string): [string, string] => [
    authHeader,
    options.authHeader === undefined ? value : value.replace(/^Bearer /, ''),
  ]
  if (options.key !== '') set(...credential(`Bearer ${options.key}`))
  for (const [name, value] of Object.entries(options.headers ?? {})) set(name, value)
  if (typeof spec.authorization === 'string')
    headers.set(authHeader.toLowerCase(), credential(spec.authorization))
  else if (spec.authorization !== undefined) headers.delete(authHeader.toLowerCase())
  for (const [name, value] of Object.entries(spec.headers ?? {})) set(name, value)
  const lines = Array.isArray(spec.authorization) ? spec.authorization : []
  return {
    method,
    url: urlAt(options.baseUrl, spec.path),
    path: spec.path,
    headers: [...headers.values(), ...lines.map(credential)],
    ...(body === undefined ? {} : { body }),
    ...(spec.splitAt === undefined ? {} : { splitAt: spec.splitAt }),
  }
}
