// A loud key beside quiet ones.
import { ask, currentLoad, optionsOf } from './load.ts'

export const options = optionsOf('once')

/** One question of the load that it belongs to. */
export function once(): void {
  ask({ load: currentLoad() })
}
