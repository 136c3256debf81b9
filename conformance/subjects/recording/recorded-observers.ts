// Rows that an exchange of a recording shows by itself: in a live run cases try them, and send a request again.
import { type Observer, observe } from '../../contract/observer.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { authorizationsOf } from '../../exchanges/recorded-exchange.ts'
import { type Verifier, refused, showBody, status } from '../../../harness/verify/verify.ts'

/** The endpoints of the service; whether another path needs a key is its own affair. */
const ENDPOINT = /^\/v1\/(?:chat\/completions|models(?:\/[^/?#]+)?)(?:[?#]|$)/

const isEndpoint = ({ request }: Exchange): boolean =>
  /^(?:GET|POST)$/.test(request.method) && ENDPOINT.test(request.path)

const hasNoKey = (exchange: Exchange): boolean =>
  isEndpoint(exchange) && authorizationsOf(exchange).length === 0

const hasOtherForm = (exchange: Exchange): boolean =>
  isEndpoint(exchange) && authorizationsOf(exchange).some((value) => !/^Bearer [^\s"']+$/.test(value))

/** A service may answer 503 under load, 501 to a method, and any status to a prompt that orders a fault of the echo model. */
function isFailure({ request, response: { status: code } }: Exchange): boolean {
  const isOrdered = Buffer.from(request.body ?? []).includes('"#fault ')
  return code >= 500 && code !== 501 && code !== 503 && !isOrdered
}

const noFailure: Verifier = (exchange) =>
  isFailure(exchange)
    ? { expected: 'no 5xx', actual: `status ${exchange.response.status}, ${showBody(exchange)}` }
    : undefined

export const recordedObservers: readonly Observer[] = [
  observe('chat.every-recorded-failure', 'CHAT-9', 'no 5xx to any recorded request')
    .with({ ofHead: true })
    .on(() => true)
    .verify(noFailure),
  observe('auth.every-without-a-key', 'AUTH-1', 'every request without a key')
    .with({ ofHead: true })
    .on(hasNoKey)
    .verify(status(401)),
  observe('auth.every-other-form', 'AUTH-2', 'every key in another form')
    .with({ ofHead: true })
    .on(hasOtherForm)
    .verify(status(401)),
  observe('auth.every-missing-header', 'AUTH-3', 'every request without `Authorization`')
    .on(hasNoKey)
    .verify(refused(401, { type: 'authentication_error', code: 'missing_api_key' })),
]
