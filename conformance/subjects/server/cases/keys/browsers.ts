// KEY-9: a page in a browser cannot call the API, because no header allows its browser to.
import { type Case, check } from '../../case.ts'
import { header } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { show } from '../../../../../harness/verify/json-value.ts'
import { requiredEndpoints } from '../requests/endpoints.ts'

/** The origin of an untrusted page. */
const ORIGIN = 'https://pages.example'

/** The header does not allow the page's origin to read the answer or to send the request. */
const letsNoPageIn: Verifier = (exchange) => {
  const allowed = header(exchange, 'access-control-allow-origin')
  if (allowed !== '*' && allowed !== ORIGIN) return undefined
  return { expected: `no Access-Control-Allow-Origin for ${ORIGIN}`, actual: show(allowed) }
}

export const cases: readonly Case[] = requiredEndpoints.flatMap((endpoint) => [
  check(
    `keys.no-page-reads-${endpoint.slug}`,
    'KEY-9',
    `${endpoint.title} from a page of another origin`,
  ).run(async (t) =>
    t.expect(await t.send({ ...endpoint.request(t), headers: { origin: ORIGIN } }), letsNoPageIn),
  ),
  check(
    `keys.no-page-sends-${endpoint.slug}`,
    'KEY-9',
    `what a browser asks before a page's ${endpoint.title}`,
  ).run(async (t) => {
    const { path, body } = endpoint.request(t)
    const exchange = await t.send({
      method: 'OPTIONS',
      path,
      authorization: null,
      headers: {
        origin: ORIGIN,
        'access-control-request-method': body === undefined ? 'GET' : 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    })
    t.expect(exchange, letsNoPageIn)
  }),
])
