// Finds the address under which a service has its operations: the given one, or its `/v1`.
import { at } from '../json-value.ts'
import { type Exchange, json } from './exchange.ts'
import type { RequestSpec } from './probe.ts'
import { asBase, isVersioned } from './service-address.ts'

/** Statuses of addresses at which there is nothing. */
const ABSENT: ReadonlySet<number> = new Set([404, 405])

/**
 * Returns the address of a service (as in `service-address.ts`), and its answer to `GET /v1/models`. An address without a
 * version is used as it is if the service answers there, except if it lists its models under `/v1`.
 *
 * @param ask sends a request to the given address; what it throws is thrown
 * @param model any name if none is known
 */
export async function findBase(
  given: string,
  ask: (request: RequestSpec) => Promise<Exchange>,
  model = 'any',
): Promise<{ readonly baseUrl: string; readonly list: Exchange }> {
  const list = await ask({ path: '/v1/models' })
  if (isVersioned(given) || listedModels(list).length > 0) return { baseUrl: given, list }
  const isThere = ({ response }: Exchange): boolean => !ABSENT.has(response.status)
  const own = await ask({ path: '/models' })
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say OK.' }], max_tokens: 16 })
  return isThere(own) || isThere(await ask({ path: '/chat/completions', body }))
    ? { baseUrl: asBase(given), list: own }
    : { baseUrl: given, list }
}

/** The model ids that an answer of `GET /v1/models` lists. */
export function listedModels(exchange: Exchange): readonly string[] {
  const data = exchange.response.status === 200 ? at(json(exchange), 'data') : undefined
  if (!Array.isArray(data)) return []
  return data.map((model: unknown) => at(model, 'id')).filter((id) => typeof id === 'string')
}
