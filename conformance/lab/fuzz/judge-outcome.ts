// Judges the outcome of an attack: only whole answers of known statuses are right, in time and with the error envelope.
import type { Attack } from './attack.ts'
import type { Outcome } from './send-attack.ts'

/** The allowed statuses for any request: never a 500. Pages may redirect. */
const ALLOWED_STATUSES: ReadonlySet<number> = new Set([200, 302, 400, 401, 404, 429, 503])

/** Returns the problem as a text that is the same for the same fault; undefined if there is none. */
export function problemOf({ stallMs }: Attack, { ending, status, start, end }: Outcome): string | undefined {
  switch (ending) {
    case 'left':
    case 'refused':
      // A connection that closes while a body is sent may lose the answer.
      return undefined
    case 'late':
      return status === undefined ? 'no answer within the bound' : 'no end of the answer within the bound'
    case 'closed':
      return 'closed without an answer'
    case 'unreachable':
      return 'no connection'
    case 'cut':
      // The server may cut off a client that does not read.
      return stallMs === undefined ? 'an answer that is cut' : undefined
    case 'answered':
  }
  if (status === undefined || !ALLOWED_STATUSES.has(status)) return `status ${status}`
  if (status >= 400 && !/"error"\s*:\s*\{/.test(start)) return `status ${status} without the error envelope`
  if (/^data: \{"error":.*"api_error"/m.test(end)) return 'a stream that ends with an internal error'
  return undefined
}
