// Which side of a gateway causes a failure, from the same check on both sides.
import { type Exchange, requestJson } from '../../../harness/http/exchange.ts'
import type { Mismatch } from '../../../harness/verify/verify.ts'
import type { Attribution } from '../../contract/result.ts'
import { changedMember } from './compare/request-difference.ts'

/** An expectation that the request is refused. */
const REFUSAL = /^(?:status 4\d\d|a 4\d\d)/

/**
 * The side at fault for a failure at the client: the upstream, if what it sent fails the same expectation, and both, if it
 * fails another one. The gateway, if it answered by itself, or repaired a request that should be refused: what reached the
 * upstream was another request then.
 */
export function sideAtFault(
  atClient: Mismatch,
  atUpstream: Mismatch | undefined,
  { client, upstream }: { readonly client: Exchange | undefined; readonly upstream: Exchange | undefined },
): Attribution {
  if (upstream === undefined || atUpstream === undefined) return 'gateway'
  const isRepaired =
    client !== undefined &&
    changedMember(requestJson(client.request), requestJson(upstream.request)) !== undefined
  if (isRepaired && REFUSAL.test(atClient.expected)) return 'gateway'
  return atUpstream.expected === atClient.expected ? 'upstream' : 'both'
}
