// Every request of the run gets an answer (CHAT-9), whatever another check sends it for.
import { createHash } from 'node:crypto'
import { type Observer, observe } from '../../runner/case.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'

/** A path that is not a URI is not well-formed HTTP: a 5xx to it breaks no row. */
function isWellFormed({ request }: Exchange): boolean {
  return !/%(?![0-9a-f]{2})/i.test(request.path)
}

/** A server may fail once for a reason of its own, but not again for the same request. */
function noFailureTwice(): Verifier {
  const failed = new Set<string>()
  return ({ request, response: { status } }) => {
    if (status < 500 || status === 501 || status === 503) return undefined
    const body = createHash('sha256')
      .update(request.body ?? '')
      .digest('base64')
    const key = `${request.method} ${request.path} ${body}`
    if (failed.has(key))
      return { expected: 'no 5xx for a request each time', actual: `status ${status} again` }
    failed.add(key)
    return undefined
  }
}

export const answeredObserver: Observer = observe(
  'chat.every-request-answered',
  'CHAT-9',
  'an answer to every request, and no 5xx twice to one of them',
)
  .with({ includesBroken: true })
  .on(isWellFormed)
  .compare(noFailureTwice)
