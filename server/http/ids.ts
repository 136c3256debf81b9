// Ids that nobody can guess and that never come twice.
import { randomFillSync } from 'node:crypto'

const ID_BYTES = 16

/** Random bytes for the next ids: asked for one by one they cost several times as much. */
const pool = Buffer.alloc(256 * ID_BYTES)
let used = pool.length

/** A new id of 128 random bits, as `req_` and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return prefix + pool.toString('hex', used - ID_BYTES, used)
}
