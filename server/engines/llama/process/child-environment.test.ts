import { expect, test } from 'vitest'
import { SECTIONS } from '../../../config/settings.ts'
import { childEnvironment } from './child-environment.ts'

test('no setting of the server reaches the inference child, nor any variable that is not known', () => {
  const settings = SECTIONS.flatMap(([, section]) => Object.values(section).map(({ env }) => env))
  const others = ['UPSTREAM_KEY', 'AWS_SECRET_ACCESS_KEY', 'PGPASSWORD', 'NODE_OPTIONS', 'LD_PRELOAD']
  const env = Object.fromEntries([...settings, ...others].map((name) => [name, 'secret']))
  expect(childEnvironment(env)).toEqual({})
})

test('what it needs to run does', () => {
  const env = {
    PATH: '/bin',
    HOME: '/root',
    OMP_NUM_THREADS: '2',
    CUDA_VISIBLE_DEVICES: '0',
    https_proxy: 'p',
  }
  expect(childEnvironment(env)).toEqual(env)
})
