import { expect, test } from 'vitest'
import { SECTIONS } from './settings.ts'
import { unknownVariables } from './unknown-variables.ts'

test.each([
  ['LLAMA_SLOT', 'LLAMA_SLOTS'],
  ['RATE_LIMIT_REQUEST', 'RATE_LIMIT_REQUESTS'],
  ['RATE_LIMIT_WINDOW', 'RATE_LIMIT_WINDOW_SECONDS'],
  ['TOUCHSTONE_PORT', 'PORT'],
  ['TOUCHSTONE_DATA_DIR', 'DATA_DIR'],
  ['REDIS_TIMEOUT', 'REDIS_TIMEOUT_MS'],
  ['METRICS_PROT', 'METRICS_PORT'],
  ['MAX_BODY_BYTE', 'MAX_BODY_BYTES'],
  ['GENERATION_TIMEOUT_SECOND', 'GENERATION_TIMEOUT_SECONDS'],
])('%s is one line that names %s', (name, setting) => {
  const [line, ...others] = unknownVariables({ [name]: 'x' })
  expect(others).toEqual([])
  expect(line).toMatch(new RegExp(`^${name} .* ${setting}$`))
})

test('every setting, and what has nothing to do with settings, is passed over', () => {
  const settings = SECTIONS.flatMap(([, section]) => Object.values(section).map(({ env }) => env))
  const others = ['PATH', 'HOME', 'DASHBOARD_URL', 'NODE_ENV', 'POSTGRES_PASSWORD', 'MAIL', 'LOGNAME']
  const names = [...settings, ...others]
  expect(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
  const links = {
    REDIS_SERVICE_HOST: '10.0.0.1',
    REDIS_SERVICE_PORT_MAIN: '6379',
    REDIS_PORT: 'tcp://10.0.0.1:6379',
    REDIS_PORT_6379_TCP_ADDR: '10.0.0.1',
  }
  expect(unknownVariables(links)).toEqual([])
  expect(unknownVariables({ UPSTREAM_KEY: 'x' }, ['UPSTREAM_KEY'])).toEqual([])
})
