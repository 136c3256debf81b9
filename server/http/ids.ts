// Ids that nobody can guess and that never come twice.
import { randomBytes } from 'node:crypto'

const ID_BYTES = 16

/** Random digits for the next ids: asked for one by one they cost several times as much. */
let digits = ''
let used = 0

/** A new id of 128 random bits, for example `req_` and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  if (used === digits.length) {
    digits = randomBytes(256 * ID_BYTES).toString('hex')
    used = 0
  }
  used += 2 * ID_BYTES
  return prefix + digits.slice(used - 2 * ID_BYTES, used)
}
