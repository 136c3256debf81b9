// Ids that cannot be guessed and never repeat.
import { randomBytes } from 'node:crypto'

const ID_BYTES = 16

/** Random digits for the next ids: one call for each id would cost several times as much. */
let digits = ''
let used = 0

/** A new id of 128 random bits: the prefix, such as `req_`, and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  if (used === digits.length) {
    digits = randomBytes(256 * ID_BYTES).toString('hex')
    used = 0
  }
  used += 2 * ID_BYTES
  return prefix + digits.slice(used - 2 * ID_BYTES, used)
}
