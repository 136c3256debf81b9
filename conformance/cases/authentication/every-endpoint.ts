// Credentials are judged on every endpoint, streams and single records too; an endpoint that a service may lack, or that
// asks for no key at all, is for other rows.
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { CaseContext } from '../../runner/case.ts'
import { type Endpoint, chat, endpoints, modelRecord, requiredEndpoints } from '../requests/endpoints.ts'

/** Where credentials are tried: everywhere, and in a quick run where they are used most. */
export function judgedEndpoints({ quick }: Pick<CaseContext, 'quick'>): readonly Endpoint[] {
  return quick ? [chat] : endpoints
}

/**
 * Whether an answer to bad credentials says nothing of them: there is no such endpoint (AUTH-7 judges what comes first),
 * or it is open to everybody (AUTH-1).
 */
export async function isAbsentOrOpen(
  t: CaseContext,
  endpoint: Endpoint,
  { response }: Exchange,
): Promise<boolean> {
  if (requiredEndpoints.includes(endpoint)) return false
  if (endpoint === modelRecord && response.status === 404) return true
  if (response.status >= 300) return false
  const { status } = (await t.send({ ...endpoint.request(t), authorization: null })).response
  return status < 300
}
