// The function of most scenarios: one question for each arrival of a load.
import { ask, currentLoad, optionsOf } from './k6-load.ts'

export const options = optionsOf('once')

export function once(): void {
  ask({ load: currentLoad() })
}
