// Sends bad credentials to every endpoint. An endpoint that a service may lack, or that needs no key at all, is for other
// rows.
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import type { CaseContext } from '../../case.ts'
import type { Endpoint } from '../requests/endpoints.ts'
import { chat, endpoints, modelList, modelRecord, requiredEndpoints } from '../requests/endpoints.ts'

/** Verifies the answers to bad credentials on every endpoint; a quick run tries the chat endpoint alone. */
export async function expectEverywhere(
  t: CaseContext,
  authorization: string | readonly string[],
  verifier: Verifier,
  onAnswer: (endpoint: Endpoint, exchange: Exchange) => Promise<void> = async () => {},
): Promise<void> {
  for (const endpoint of t.quick ? [chat] : endpoints) {
    const exchange = await t.send({ ...endpoint.request(t), authorization })
    if (await isAbsentOrOpen(t, endpoint, exchange)) continue
    await onAnswer(endpoint, exchange)
    t.expect(exchange, verifier)
  }
}

/** Ends the case if the endpoint does not exist (AUTH-7 judges what is checked first) or needs no key (AUTH-1). */
export async function requireKeyed(t: CaseContext, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  if (await isAbsentOrOpen(t, endpoint, exchange))
    t.notApplicable('the endpoint does not exist, or it needs no key, which AUTH-1 judges')
}

async function isAbsentOrOpen(t: CaseContext, endpoint: Endpoint, { response }: Exchange): Promise<boolean> {
  if (requiredEndpoints.includes(endpoint)) return false
  if (endpoint === modelRecord && response.status === 404) return true
  if (response.status >= 300) return false
  const { status } = (await t.send({ ...endpoint.request(t), authorization: null })).response
  return status < 300
}

/** A service that refuses every key shows nothing by refusing one: the valid key must be accepted. */
export async function requireAcceptedKey(t: CaseContext): Promise<void> {
  const { status } = (await t.send(modelList.request(t))).response
  if (status === 401 || status === 403)
    t.inconclusive(`the valid key is answered with ${status}, so a refusal shows nothing`)
}
