// What is wrong with the outcome of an attack: nothing but whole answers of known statuses, in time and in the envelope.
import type { Attack } from './attack.ts'
import type { Outcome } from './send-attack.ts'

/** Whatever is sent, an answer has one of these statuses: never a 500. Pages may lead elsewhere. */
const ALLOWED_STATUSES: ReadonlySet<number> = new Set([200, 302, 400, 401, 404, 429, 503])

/** Says what is wrong, in words that are the same for the same fault; undefined where nothing is. */
export function problemOf({ stallMs }: Attack, { ending, status, start, end }: Outcome): string | undefined {
  switch (ending) {
    case 'left':
    case 'refused':
      // A connection that is closed while a body is sent may take the answer with it: nobody can tell.
      return undefined
    case 'late':
      return status === undefined ? 'no answer within the bound' : 'no end of the answer within the bound'
    case 'closed':
      return 'closed without an answer'
    case 'unreachable':
      return 'no connection'
    case 'cut':
      // Who does not read may be cut off.
      return stallMs === undefined ? 'an answer that is cut' : undefined
    case 'answered':
  }
  if (status === undefined || !ALLOWED_STATUSES.has(status)) return `status ${status}`
  if (status >= 400 && !/"error"\s*:\s*\{/.test(start)) return `status ${status} without the error envelope`
  if (/^data: \{"error":.*"api_error"/m.test(end)) return 'a stream that ends with an internal error'
  return undefined
}
