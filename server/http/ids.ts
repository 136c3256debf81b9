// Ids that nobody can guess and that never come twice.
import { randomUUID } from 'node:crypto'

/** A new id of 122 random bits, as `req_` and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  const id = randomUUID()
  return prefix + id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24)
}
