// One request of each kind, a few times: shows that the service works at all.
import { ask, currentLoad, get, optionsOf } from './k6-load.ts'

export const options = optionsOf('everything')

export function everything(): void {
  const load = currentLoad()
  get('/v1/models', load, 'models')
  get('/v1/models', load, 'no key', false)
  ask({ load, phase: 'plain' })
  ask({ load: { ...load, stream: true }, phase: 'streamed' })
}
