// A rate that rises until the service no longer keeps what it promises.
import { ask, currentLoad, optionsOf } from './load.ts'

export const options = optionsOf('once')

/** One question of the load that it belongs to. */
export function once(): void {
  ask({ load: currentLoad() })
}
