// An exchange as a recording holds it: what a live run sees of one, and what only some recordings show.
import type { Exchange, SentRequest } from '../../harness/http/exchange.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'

/** A request and its answer. */
export interface RecordedExchange {
  /** When the request began, in milliseconds since 1970. */
  readonly startedAtMs: number
  readonly request: SentRequest
  /** Null if no answer came. */
  readonly response: Exchange['response'] | null
  readonly timings: Exchange['timings']
  /** Why no answer came, if the connection broke. */
  readonly error?: string | undefined
}

/** The path under the address of a service, from its last `/v1`; undefined if the address has none. */
export function splitAddress(url: string): { readonly baseUrl: string; readonly path: string } | undefined {
  const [address = ''] = url.split(/[?#]/, 1)
  const at = /^(.*)\/v1(?:\/|$)/.exec(address)?.[1]?.length
  return at === undefined ? undefined : { baseUrl: url.slice(0, at), path: url.slice(at) }
}

/** The record of an exchange that has just ended. */
export function recordedNow({ request, response, timings }: Exchange): RecordedExchange {
  return { startedAtMs: Date.now() - timings.totalMs, request, response, timings }
}

/** The record of a request whose connection has just broken for the second time. */
export function brokenNow({ message, request }: TransportError): RecordedExchange {
  return {
    startedAtMs: Date.now(),
    request,
    response: null,
    timings: { firstByteMs: 0, totalMs: 0 },
    error: message,
  }
}
