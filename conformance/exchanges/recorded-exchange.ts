// An exchange as a recording holds it: what a live run sees of one, and what only some recordings show.
import { type Exchange, type SentRequest, headerValues } from '../../harness/http/exchange.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'
import type { ExchangeFacts } from './recording-line.ts'

/** A request and its answer. */
export interface RecordedExchange extends ExchangeFacts {
  /** When the request began, in milliseconds since 1970. */
  readonly startedAtMs: number
  readonly request: SentRequest
  /** Null if no answer came. */
  readonly response: Exchange['response'] | null
  readonly timings: Exchange['timings']
  readonly isBodyUnknown?: true
  readonly areHeadersUnknown?: true
  readonly areSentHeadersUnknown?: true
}

/** The record of an exchange that has just ended; `by` is the check that sent it. */
export function recordedNow({ request, response, timings }: Exchange, by?: string): RecordedExchange {
  return { by, startedAtMs: Date.now() - timings.totalMs, request, response, timings }
}

/** The record of a request whose connection has just broken for the second time. */
export function brokenNow({ message, request }: TransportError, by?: string): RecordedExchange {
  return {
    by,
    startedAtMs: Date.now(),
    request,
    response: null,
    timings: { firstByteMs: 0, totalMs: 0 },
    error: message,
  }
}

/** The values of `Authorization` in a request. */
export function authorizationsOf({ request }: Pick<Exchange, 'request'>): readonly string[] {
  return headerValues(request.headers, 'authorization')
}
