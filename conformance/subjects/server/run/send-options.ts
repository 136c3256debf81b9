// How a request is sent: the check that sends it, and its callbacks.
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import type { AnswerListener } from '../../../../harness/http/send-once.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'

export interface SendOptions {
  readonly signal: AbortSignal
  /** The id of the check that sends the request. */
  readonly by?: string
  /** Receives the answer while it arrives. */
  readonly listener?: AnswerListener
  /** The row of the check. If it bounds broken connections, one is a failure at once. */
  readonly row?: RequirementId
  /** Called before and after each wait, so that waits do not count as the case's own time. */
  readonly onWait?: (waiting: boolean) => void
  readonly onExchange?: (exchange: Exchange) => void
}
