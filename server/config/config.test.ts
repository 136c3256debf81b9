import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { readConfig } from './config.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { defaultOf, type Setting } from '../../harness/cli/setting.ts'
import { SECTIONS } from './settings.ts'
import { usageOf } from './settings-help.ts'

test('without anything set, no other service is used and no bound of keys is on', () => {
  expect(readConfig([], {})).toMatchObject({
    port: 8080,
    database: undefined,
    dashboardPassword: undefined,
    rateLimit: { requests: 600, concurrency: null, tokensPerMinute: null },
    redis: undefined,
    metrics: undefined,
    llama: { models: [], gpu: false, contextTokens: undefined, contextMb: 4096, loadOnUse: false },
    logLevel: 'info',
  })
})

test('no proxy is trusted unless it is named', () => {
  expect(readConfig([], {}).trustedProxies('127.0.0.1')).toBe(false)
  expect(readConfig([], { TRUSTED_PROXIES: '127.0.0.0/8' }).trustedProxies('127.0.0.1')).toBe(true)
})

test('a flag wins over its variable, and an empty variable is none', () => {
  const env = { PORT: '1', HOST: '', DATA_DIR: '/from-env' }
  expect(readConfig(['--port', '2', '--data', '/from-flag'], env)).toMatchObject({
    port: 2,
    host: '127.0.0.1',
    dataDir: '/from-flag',
  })
})

const ALL = SECTIONS.flatMap(([, settings]): readonly Setting[] => Object.values(settings))

const WHOLE = ALL.flatMap(({ env, range = '' }) => (/^\d+ to \d+/.test(range) ? env : []))

test.each(WHOLE)('%s takes whole numbers within its range, and says so otherwise', (name) => {
  forAll(
    fc.oneof(
      fc.constantFrom('-1', '1.5', 'ten', '1e3', '0x10', ' ', '99999999999999'),
      fc.string({ minLength: 1 }),
    ),
    (text) => {
      fc.pre(!/^\d{1,10}$/.test(text))
      expect(() => readConfig([], { [name]: text })).toThrow(UsageError)
      expect(() => readConfig([], { [name]: text })).toThrow(
        new RegExp(`^${name}: expected a whole number from \\d+ to \\d+`),
      )
    },
  )
})

test.each([
  [['--prot', '1'], {}, '--prot'],
  [['extra'], {}, 'extra'],
  [[], { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
  [
    [],
    { DASHBOARD_HOSTS: 'a.test, b.test:80' },
    "DASHBOARD_HOSTS: expected host names without ports, separated by commas, got 'b.test:80'",
  ],
  [[], { DASHBOARD_PASSWORD: '7 chars' }, 'DASHBOARD_PASSWORD: expected at least 8 characters'],
  [[], { LLAMA_GPU: 'yes' }, 'LLAMA_GPU'],
  [[], { LLAMA_LOAD: 'later' }, 'LLAMA_LOAD'],
  [[], { LLAMA_TINY: 'no' }, 'LLAMA_TINY'],
  [[], { FAULTS: 'maybe' }, 'FAULTS'],
  [
    [],
    { TRUSTED_PROXIES: '10.0.0.0/8, proxy.test' },
    "TRUSTED_PROXIES: expected addresses or networks, as 10.0.0.0/8, separated by commas, got 'proxy.test'",
  ],
  [[], { LLAMA_MODELS: 'a=/x,a=/y' }, "'a' is given twice"],
  [[], { UPSTREAM_MODELS: 'a=http://127.0.0.1:1' }, 'id=BASE_URL#MODEL'],
  [[], { UPSTREAM_MODELS: 'a=ftp://127.0.0.1#b' }, 'id=BASE_URL#MODEL'],
  [[], { UPSTREAM_MODELS: 'a=http://127.0.0.1#b#NOT_SET' }, "'NOT_SET'"],
  [[], { UPSTREAM_MODELS: 'a=http://x#b,a=http://y#b' }, "'a' is given twice"],
])('%j %j cannot be used, which is one line', (args, env, named) => {
  expect(() => readConfig(args, env)).toThrow(UsageError)
  expect(() => readConfig(args, env)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^[^\n]+$/) }),
  )
  expect(() => readConfig(args, env)).toThrow(named)
})

test.each([
  [{}, 10],
  [{ DATABASE_URL: 'postgresql://host/name' }, 100],
  [{ DATABASE_URL: 'postgresql://host/name', KEY_LEASE_MS: '0' }, 0],
])('with %j a key is cached for %i ms', (env, leaseMs) => {
  expect(readConfig([], env).keyLeaseMs).toBe(leaseMs)
})

test('an address of Redis that cannot be used is not printed: it may hold a password', () => {
  const secret = 'hunter2-in-the-url'
  for (const url of [`http://:${secret}@host`, `redis//:${secret}@host`, `${secret}`])
    expect(() => readConfig([], { REDIS_URL: url })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret) }),
    )
  const url = `rediss://:${secret}@host:6380/1`
  expect(readConfig([], { REDIS_URL: url, REDIS_TIMEOUT_MS: '50' }).redis).toEqual({ url, timeoutMs: 50 })
})

test.each([
  'secret-word',
  'mysql://touchstone:secret-word@host/name',
  'postgresql://touchstone:secret-word@host:port/name',
  'postgresql://touchstone:secret-word@host/name?sslmode=maybe',
])('a DATABASE_URL that cannot be used is not repeated: %s', (url) => {
  expect(() => readConfig([], { DATABASE_URL: url })).toThrow(/^DATABASE_URL: (?!.*secret-word)/)
})

test('models are named one by one', () => {
  const { llama } = readConfig([], { LLAMA_MODELS: 'a=/m/a.gguf, b=hf:owner/name:Q4' })
  expect(llama.models).toEqual([
    { id: 'a', source: '/m/a.gguf' },
    { id: 'b', source: 'hf:owner/name:Q4' },
  ])
})

test('models of other services have an address, a name there, and perhaps a key', () => {
  const { upstream } = readConfig([], {
    UPSTREAM_MODELS: 'a=http://127.0.0.1:9/v1#org/b#THEIR_KEY, c=https://host/base/#d',
    THEIR_KEY: 'k',
  })
  expect(upstream.models).toEqual([
    { id: 'a', baseUrl: 'http://127.0.0.1:9', model: 'org/b', apiKey: 'k' },
    { id: 'c', baseUrl: 'https://host/base', model: 'd', apiKey: undefined },
  ])
})

test('the help has a line for every setting, with its default', () => {
  expect(WHOLE.length).toBeGreaterThan(30)
  for (const setting of ALL)
    expect(usageOf('npm start --')).toMatch(
      new RegExp(`\\b${setting.env} .+\\(${RegExp.escape(defaultOf(setting))}[;)]`),
    )
})
