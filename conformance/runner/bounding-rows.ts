// The rows that bound time and broken connections. Elsewhere neither says anything of the row that was asked.
import type { RequirementId } from '../../spec/catalogue/requirements.ts'

const ROWS: ReadonlySet<RequirementId> = new Set(['CHAT-9', 'KEY-7'])

/** Whether a row demands that an answer comes, and in time. */
export function boundsTime(row: RequirementId): boolean {
  return ROWS.has(row)
}

/** Whether a row demands that an answer comes to its end: a stream has an end of its own. */
export function boundsEnd(row: RequirementId): boolean {
  return ROWS.has(row) || row === 'STREAM-2'
}
