// Versioning: the API does not answer outside /v1 (VERS-1); a model id contains its version (VERS-2).
import { type Case, check } from '../../case.ts'
import { header, json } from '../../../../../harness/http/exchange.ts'
import { urlAt } from '../../../../../harness/http/service-address.ts'
import { type Verifier, showBody } from '../../../../../harness/verify/verify.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { type Endpoint, chat, modelList, streamedChat } from '../requests/endpoints.ts'

/** The answer is not a completion, an event stream or a model list. Pages and refusals are allowed. */
const nothingOfTheApi: Verifier = (exchange) => {
  const type = header(exchange, 'content-type') ?? ''
  const body = json(exchange)
  const expected = 'no answer of the API outside /v1'
  if (/^text\/event-stream/i.test(type)) return { expected, actual: `an event stream (${show(type)})` }
  if (Array.isArray(at(body, 'choices'))) return { expected, actual: `a completion, ${showBody(exchange)}` }
  const models = at(body, 'data') ?? at(body, 'models') ?? body
  if (Array.isArray(models) && models.some((entry) => typeof at(entry, 'id') === 'string'))
    return { expected, actual: `a model list, ${showBody(exchange)}` }
  return undefined
}

const outside: readonly Case[] = [modelList, chat, streamedChat].map((endpoint: Endpoint) =>
  check(
    `versioning.${endpoint.slug}-without-v1`,
    'VERS-1',
    `${endpoint.title.replace('/v1', '')}, which lacks the /v1`,
  ).run(async (t) => {
    const request = endpoint.request(t)
    const path = request.path.replace(/^\/v1/, '')
    if (urlAt(t.target.baseUrl, path) === urlAt(t.target.baseUrl, request.path))
      t.notApplicable('the address of the API contains no version')
    t.expect(await t.send({ ...request, path }), nothingOfTheApi)
  }),
)

/** A label like `0.1`, `v2`, `8b` or a date. */
const VERSION = /\d/

const versionInEveryId: Verifier = (exchange) => {
  const entries = at(json(exchange), 'data')
  const ids = Array.isArray(entries) ? entries.map((entry: unknown) => at(entry, 'id')) : []
  const without = ids.find((id) => typeof id === 'string' && !VERSION.test(id))
  if (without === undefined) return undefined
  return { expected: 'a label like 0.1 in every model id', actual: show(without) }
}

export const cases: readonly Case[] = [
  ...outside,
  check('versioning.model-id', 'VERS-2', 'a label of the version in every listed model id').run(async (t) => {
    t.expect(await t.send(modelList.request(t)), versionInEveryId)
  }),
]
