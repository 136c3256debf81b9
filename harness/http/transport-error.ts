// The reason why there is no exchange.
import type { Exchange, SentRequest } from './exchange.ts'

/** No answer: the connection broke or could not be made, time ran out, or the answer was not HTTP. */
export class TransportError extends Error {
  readonly request: SentRequest
  /** Time ran out: the answer may have been on its way. */
  readonly isLate: boolean
  /** No peer answered at all: time ran out, or no connection could be made. */
  readonly isSilence: boolean
  /** The answer that the HTTP parser refused, as far as it can be read. */
  readonly received: Exchange | undefined

  /** No connection could be made: the request was not received. */
  get isRefused(): boolean {
    return this.isSilence && !this.isLate
  }

  constructor(
    reason: string,
    request: SentRequest,
    more: {
      readonly cause?: unknown
      readonly isLate?: boolean
      readonly isSilence?: boolean
      readonly received?: Exchange | undefined
    } = {},
  ) {
    super(reason, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'TransportError'
    this.request = request
    this.received = more.received
    this.isLate = more.isLate ?? false
    this.isSilence = more.isSilence ?? this.isLate
  }
}
