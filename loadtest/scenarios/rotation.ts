// Traffic goes over from an old key to a new one, which are both good for a while; then the old one is revoked, and
// tried again.
import { ask, currentLoad, optionsOf, progress } from './load.ts'

/** Parts of the run: the new key comes in, the old one is no longer used. The launcher revokes it between its end and
 * where it is tried again, a load of its own. */
const NEW_FROM = 0.25
const OLD_UNTIL = 0.5

export const options = optionsOf('once')

export function once(): void {
  const load = currentLoad()
  if (load.name === 'revoked') {
    ask({ load })
    return
  }
  const now = progress(load)
  const usesOld = now < NEW_FROM || (now < OLD_UNTIL && Math.random() < 0.5)
  ask({ load, role: usesOld ? 'old' : 'new' })
}
