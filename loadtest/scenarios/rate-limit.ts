// Keys below, at and far above their limit, one asked by many at once, and one whose answers are slow.
import { ask, currentLoad, optionsOf } from './load.ts'

export const options = optionsOf('once')

/** One question of the load that it belongs to. */
export function once(): void {
  ask({ load: currentLoad() })
}
