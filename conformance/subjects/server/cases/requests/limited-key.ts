// Keys for a single case: a new one if the judge can make keys, and the limited one until its limit is exhausted.
import type { CaseContext } from '../../case.ts'
import { Inconclusive } from '../../../../contract/outcome.ts'
import type { MadeKey } from '../../../../../harness/keys/key-command.ts'

/** The most requests that are spent. */
const MOST_REQUESTS = 200

/** Concurrent requests: a slow model that answers one by one would let the window pass. */
const AT_ONCE = 8

/** Makes a key; undefined if the judge cannot make one. */
export async function keyIfPossible(
  t: CaseContext,
  ...options: Parameters<CaseContext['target']['createKey']>
): Promise<MadeKey | undefined> {
  try {
    return await t.target.createKey(...options)
  } catch (error) {
    if (error instanceof Inconclusive) return undefined
    throw error
  }
}

/**
 * Makes concurrent attempts until at least one of them is refused. `attempt` returns the refusal, or undefined for an
 * admitted request. Inconclusive if no attempt is refused.
 */
export async function exhaustLimit<Refusal>(
  t: CaseContext,
  attempt: (key: string) => Promise<Refusal | undefined>,
): Promise<readonly Refusal[]> {
  if (t.target.profile === 'wire') t.notApplicable('the format does not define limits')
  const { key } = await t.target.limited()
  for (let sent = 0; sent < MOST_REQUESTS; sent += AT_ONCE) {
    const attempts = await Promise.all(Array.from({ length: AT_ONCE }, () => attempt(key)))
    const refusals = attempts.filter((refusal) => refusal !== undefined)
    if (refusals.length > 0) return refusals
  }
  t.inconclusive(`the limit was not reached with ${MOST_REQUESTS} requests`)
}
