// One request of each kind, a few times: shows that the service works at all.
import { ask, currentLoad, listModels, optionsOf } from './k6-load.ts'

export const options = optionsOf('everything')

export function everything(): void {
  const load = currentLoad()
  listModels(load, 'models')
  listModels(load, 'no key', false)
  ask({ load, phase: 'plain' })
  ask({ load: { ...load, stream: true }, phase: 'streamed' })
}
