// Rows about keys that an exchange shows by itself. In a live run cases try them; a recording only has what was sent.
import { type Observer, observe } from '../server/case.ts'
import { type Exchange, headerValues } from '../../../harness/http/exchange.ts'
import { refused, status } from '../../../harness/verify/verify.ts'

/** The endpoints of the service; whether another path needs a key is its own affair. */
const ENDPOINT = /^\/v1\/(?:chat\/completions|models(?:\/[^/?#]+)?)(?:[?#]|$)/

/** The values of `Authorization` in a request. */
export function authorizationsOf({ request }: Pick<Exchange, 'request'>): readonly string[] {
  return headerValues(request.headers, 'authorization')
}

const isEndpoint = ({ request }: Exchange): boolean =>
  /^(?:GET|POST)$/.test(request.method) && ENDPOINT.test(request.path)

const hasNoKey = (exchange: Exchange): boolean =>
  isEndpoint(exchange) && authorizationsOf(exchange).length === 0

const hasOtherForm = (exchange: Exchange): boolean =>
  isEndpoint(exchange) && authorizationsOf(exchange).some((value) => !/^Bearer [^\s"']+$/.test(value))

export const keyObservers: readonly Observer[] = [
  observe('auth.every-without-a-key', 'AUTH-1', 'every request without a key')
    .on(hasNoKey)
    .verify(status(401)),
  observe('auth.every-other-form', 'AUTH-2', 'every key in another form')
    .on(hasOtherForm)
    .verify(status(401)),
  observe('auth.every-missing-header', 'AUTH-3', 'every request without `Authorization`')
    .on(hasNoKey)
    .verify(refused(401, { type: 'authentication_error', code: 'missing_api_key' })),
]
