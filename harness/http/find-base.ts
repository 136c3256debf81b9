// Finds the address under which a service has its operations: the given one, or its `/v1`.
import { at } from '../json-value.ts'
import { type Exchange, json, text } from './exchange.ts'
import { type ProbeOptions, type RequestSpec, createProbe } from './probe.ts'
import { asBase, isVersioned } from './service-address.ts'

/** Returns whether an answer shows that its address has no service. */
export function isAbsent({ response: { status } }: Exchange): boolean {
  return status === 404 || status === 405
}

/** Whether a refusal is about the model, so that its address has a service. */
export function blamesModel(exchange: Exchange): boolean {
  const body = json(exchange)
  const isNamed = body !== undefined && /\bmodel\b/i.test(text(exchange) ?? '')
  return isNamed || at(body, 'error', 'code') === 'model_not_found'
}

/**
 * Returns the address of a service (as in `service-address.ts`), and its answer to `GET /v1/models`. An address without a
 * version is used as it is if the service answers there, and not as well under `/v1`.
 *
 * @param ask sends a request to the given address; its errors are passed on
 * @param model any name if none is known
 */
export async function findBase(
  given: string,
  ask: (request: RequestSpec) => Promise<Exchange>,
  model = 'any',
): Promise<{ readonly baseUrl: string; readonly list: Exchange }> {
  const list = await ask({ path: '/v1/models' })
  if (isVersioned(given) || answered(list) === 'as an API') return { baseUrl: given, list }
  const own = await ask({ path: '/models' })
  const messages = [{ role: 'user', content: 'Say OK.' }]
  const chat = { path: '/chat/completions', body: JSON.stringify({ model, messages, max_tokens: 16 }) }
  const isBetter = (exchange: Exchange): boolean =>
    answered(exchange) === 'as an API' || (answered(exchange) === 'somehow' && answered(list) === 'not')
  const isOwn = isBetter(own) || isBetter(await ask(chat))
  // A list of models does not prove that the service chats at the same address.
  return isOwn && answered(await ask({ ...chat, path: `/v1${chat.path}` })) !== 'as an API'
    ? { baseUrl: asBase(given), list: own }
    : { baseUrl: given, list }
}

/** Returns how an address answers. A page, a refusal or an error is `somehow`: some services answer so at any address. */
function answered(exchange: Exchange): 'as an API' | 'somehow' | 'not' {
  if (isAbsent(exchange) && !blamesModel(exchange)) return 'not'
  const isApi = listedModels(exchange).length > 0 || Array.isArray(at(json(exchange), 'choices'))
  return isApi ? 'as an API' : 'somehow'
}

/**
 * Makes a probe at the address of the service, which it finds from the given one, with the answer of `findBase`. The caller
 * closes the probe. Throws `TransportError` if no answer comes.
 */
export async function reachService(given: ProbeOptions, model: string | undefined, signal: AbortSignal) {
  let { baseUrl } = given
  const probe = createProbe({
    ...given,
    get baseUrl() {
      return baseUrl
    },
  })
  try {
    const found = await findBase(baseUrl, (request) => probe.send(request, signal), model)
    baseUrl = found.baseUrl
    return { probe, ...found }
  } catch (error) {
    probe.close()
    throw error
  }
}

/** The model ids that an answer of `GET /v1/models` lists. */
export function listedModels(exchange: Exchange): readonly string[] {
  const data = exchange.response.status === 200 ? at(json(exchange), 'data') : undefined
  if (!Array.isArray(data)) return []
  return data.map((model: unknown) => at(model, 'id')).filter((id) => typeof id === 'string')
}
