// Traffic moves from an old key to a new one while both are valid; then the old key is revoked and tried again.
import { ask, currentLoad, optionsOf, progress } from './k6-load.ts'

/** The new key is used from the first part of the run, the old one until the second. The launcher revokes the old key
 * after that; a second load tries it again. */
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
