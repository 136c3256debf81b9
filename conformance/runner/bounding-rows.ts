// The rows that bound time and broken connections. Elsewhere neither says anything of the row that was asked.
import type { RequirementId } from '../../spec/catalogue/requirements.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'

/** Whether a row demands that no connection breaks. */
export function boundsConnection(row: RequirementId | undefined): boolean {
  return row === 'CHAT-9' || row === 'KEY-7'
}

/** Whether a row demands what this error took away: the answer itself, or an answer in time. */
export function bounds(row: RequirementId | undefined, { isLate }: TransportError): boolean {
  return isLate ? row === 'CHAT-9' : boundsConnection(row)
}

/** Whether a row demands that an answer comes to its end: a stream has an end of its own. */
export function boundsEnd(row: RequirementId): boolean {
  return boundsConnection(row) || row === 'STREAM-2'
}
