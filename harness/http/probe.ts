// Sends requests exactly as written and returns every byte of an answer with the time of its arrival. It does not
// interpret, follow or retry anything, except a pooled connection that was dead.
import http from 'node:http'
import https from 'node:https'
import type { Connection } from './connection.ts'
import type { Exchange, SentRequest } from './exchange.ts'
import { urlAt } from './service-address.ts'
import type { BodyBounds } from './read-body.ts'
import { type AnswerListener, exchangeOnce } from './send-once.ts'
import { TransportError } from './transport-error.ts'

export interface RequestSpec {
  /** Default: POST with a body, GET without. */
  readonly method?: string
  /** Path and query, sent unchanged but for the base of the service, for which `/v1` stands: `/v1/models`. */
  readonly path: string
  /**
   * The whole header value; null: no such header; absent: `Bearer <the target's key>`. Of a target with a header of its own
   * for keys, the key alone is sent, in that header.
   */
  readonly authorization?: string | null | readonly string[]
  /** A request with a body has `content-type: application/json` by default; a value of '' removes a header. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body as sent; text is sent in UTF-8. */
  readonly body?: string | Uint8Array
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
}

export interface Probe {
  /**
   * Sends one request and reads its whole answer, whatever the status. Throws `TransportError` if no answer came, and
   * the reason of the signal if it is aborted.
   */
  send(request: RequestSpec, signal: AbortSignal, listener?: AnswerListener): Promise<Exchange>
  close(): void
}

export function createProbe(options: ProbeOptions): Probe {
  const base = new URL(options.baseUrl)
  const Agent = base.protocol === 'https:' ? https.Agent : http.Agent
  const agent = new Agent({ ...options.connection, keepAlive: true })
  const named = new Map<string, http.Agent>()
  const bodies = { ...options.bodies, open: 0 }

  function agentOf(name: string | undefined): http.Agent {
    if (name === undefined) return agent
    const own = named.get(name) ?? new Agent({ ...options.connection, keepAlive: true, maxSockets: 1 })
    named.set(name, own)
    return own
  }

  return {
    async send(spec, signal, listener) {
      const request = prepare(spec, options)
      const { abortAfterChunks, openAfterDoneMs, timeoutMs = options.timeoutMs } = spec
      const bodyTimeoutMs = spec.bodyTimeoutMs ?? (spec.timeoutMs && options.timeoutMs)
      const times = { timeoutMs, bodyTimeoutMs, openAfterDoneMs, now: options.now }
      const once = { ...times, signal, abortAfterChunks, listener, bodies }
      const answer = await exchangeOnce(request, { ...once, agent: agentOf(spec.connection) })
      if (answer !== 'stale connection') return answer
      const second = await exchangeOnce(request, { ...once, agent: new Agent({ ...options.connection }) })
      if (second !== 'stale connection') return { ...second, reconnected: true }
      throw new TransportError('the connection was closed before an answer', request)
    },
    close() {
      for (const own of [agent, ...named.values()]) own.destroy()
    },
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
  }
}
