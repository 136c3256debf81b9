import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { readCredentials } from '../contract/credentials.ts'
import { gatewaySettings } from '../subjects/gateway/settings.ts'
import { readOptions } from './judge-options.ts'
import { shownAddress, urlAt } from '../../harness/http/service-address.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { FIXED_SEED, settingsOf } from '../contract/settings.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

const folder = temporaryFolder()

function configFile(content: unknown): string {
  const file = join(folder, `${Math.random()}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test.each([
  ['{\n  "model" "m"\n}', 2],
  ['{\n  "model": "m",\n  "CONFORMANCE_API_KEY": secret,\n  "seed": 1\n}', 3],
  ['{\n  "model": "m",\n}', 3],
  ['{\n  "model": "m"', 2],
  ['{\n  "model": "m\n}', 2],
  ['', 1],
])('a config file that is not JSON, %j, is refused with its line and without its text', (text, line) => {
  const attempt = (): unknown => read(['--config', configFile(text)])
  expect(attempt).toThrow(new RegExp(`^--config \\S+: it is not JSON, line ${line}$`))
})

const read = (args: readonly string[], env: Record<string, string> = {}) => readOptions(args, env)

test('nothing said is a run of the service profile on the reference server', () => {
  expect(read([])).toMatchObject({ command: 'check', baseUrl: undefined, profile: 'service', models: [] })
  const defaults = { timeoutMs: 30_000, maxRequests: Infinity, requestsPerSecond: Infinity, require: [] }
  expect(settingsOf(read([]))).toMatchObject({ ...defaults, runs: 50, checkSet: undefined })
})

test('the first answer has two minutes, or the time that is given for each answer', () => {
  const warmUpOf = (...args: readonly string[]): number => settingsOf(read(args)).warmUpMs
  expect(warmUpOf()).toBe(120_000)
  expect(warmUpOf('--timeout', '5')).toBe(5_000)
  expect(warmUpOf('--timeout', '5', '--warm-up', '60')).toBe(60_000)
  const gateway = gatewaySettings({ baseUrl: 'http://h', timeoutMs: 5_000 })
  expect(gateway.warmUpMs).toBe(120_000)
})

test('a gate throws no dice: the seed is fixed in CI and of a quick run, and otherwise drawn', () => {
  const seedOf = (args: readonly string[], env: Record<string, string>) => settingsOf(read(args, env)).seed
  expect([seedOf([], {}), seedOf([], { CI: 'false' })]).toEqual([undefined, undefined])
  expect([seedOf([], { CI: 'true' }), seedOf(['--quick'], {})]).toEqual([FIXED_SEED, FIXED_SEED])
  expect(seedOf(['--seed', '7'], { CI: 'true' })).toBe(7)
  expect(seedOf(['--seed', 'random'], { CI: 'true' })).toBeTypeOf('number')
})

test.each([
  [['run', 'http://h', 'more'], /too many arguments for 'check'.*more/],
  [['lst'], /unknown command 'lst' \(Did you mean list\?\)/],
  [['check', 'lst'], /--base-url: expected an http or https address/],
  [['http://h', '--base-url', 'http://h'], /--base-url: the address .* is given too/],
  [['--base-url', 'ftp://h'], /--base-url: expected an http or https address/],
  [['--base-url', 'http://u:p@h'], /no credentials in the address/],
  [['--base-url', 'http://h/#x'], /no fragment/],
  [['--auth-header', 'api key'], /--auth-header: expected the name of a header/],
  [['--auth-header', 'Host'], /--auth-header: expected the name of a header/],
  [['--profile', 'strict'], /--profile: expected service or wire/],
  [['--tier', 'wire'], /--tier: expected interop or strict, got 'wire'/],
  [['client', '--tier', 'interop', '--', 'x'], /--tier: client does not take it/],
  [['--seed', '1.5'], /--seed: expected a whole number from 0/],
  [['--runs', '0'], /--runs: expected a whole number from 1/],
  [['--concurrency', '65'], /--concurrency/],
  [['--requests-per-second', '0'], /--requests-per-second: expected a number above 0/],
  [['--catalogue', '2'], /--catalogue: no set of checks '2': expected 2026-12/],
  [['--model', 'a,,b'], /--model: expected a value/],
  [['--limit', '5'], /--limit: expected N\/SECONDS/],
  [['--require', 'wings'], /--require: no capability 'wings'/],
  [['--header', 'no colon'], /--header: expected 'NAME: VALUE'/],
  [['--header', 'Authorization: Bearer x'], /--header: Authorization is the judge's own/],
  [['--header', 'x: a\r\ny: b'], /--header: expected/],
  [['--json', '/no/such/folder/report.json'], /--json: there is no folder/],
  [['--json', tmpdir()], /--json: .* is a folder/],
  [['--config', '/no/such/file'], /--config \/no\/such\/file: the file does not exist/],
  [['--only', ' '], /--only: expected a value/],
  [['--api-key', 'x'], /unknown option '--api-key': a key is never a flag; set CONFORMANCE_API_KEY/],
  [['list', '--key=x'], /set CONFORMANCE_API_KEY/],
])('%j is refused in one line', (args, message) => {
  const attempt = (): unknown => read(args)
  expect(attempt).toThrow(UsageError)
  expect(attempt).toThrow(message)
  expect(attempt).not.toThrow(/\n/)
})

test.each([
  [['http://h:1/v1']],
  [['check', 'http://h:1']],
  [['run', 'http://h:1', '--quick']],
  [['--quick', 'http://h:1']],
])('%j names the service', (args) => {
  expect(read(args)).toMatchObject({ command: 'check', baseUrl: expect.stringMatching(/^http:\/\/h:1/) })
})

test('the root, with or without slashes and /v1, is the same address', () => {
  const roots = ['http://h:1', 'https://example.org', 'http://[::1]:8080', 'http://h/api/openai']
  forAll(fc.constantFrom(...roots), fc.constantFrom('', '/', '/v1', '/v1/', '//'), (root, end) => {
    const { baseUrl = '' } = settingsOf(read(['--base-url', root + end]))
    expect(urlAt(baseUrl, '/v1/models')).toBe(`${root}/v1/models`)
    expect(shownAddress(baseUrl)).toBe(root)
  })
})

test('a flag that npm took is refused: the judge would not see it', () => {
  const attempt = (): unknown => read([], { npm_config_base_url: 'http://127.0.0.1:8080' })
  expect(attempt).toThrow(/^--base-url: npm took this flag .*put -- before the flags/)
  expect(() => read([], { npm_config_cache: '/tmp' })).not.toThrow()
})

test('headers are read to their value, and may be repeated', () => {
  const { headers } = read(['--header', 'X-Team: a: b', '--header', 'x-other:c'])
  expect(headers).toEqual({ 'X-Team': 'a: b', 'x-other': 'c' })
})

test('credentials come from the environment, which wins over the file', () => {
  const config = configFile({ CONFORMANCE_API_KEY: 'from-file', CONFORMANCE_SECOND_KEY: 'second' })
  const { credentials: given } = read(['--config', config], { CONFORMANCE_API_KEY: 'from-env' })
  const credentials = readCredentials(given)
  expect(credentials.keys).toEqual({ main: 'from-env', second: 'second' })
  expect([...credentials.secrets]).toEqual([
    ['from-env', 'CONFORMANCE_API_KEY'],
    ['second', 'CONFORMANCE_SECOND_KEY'],
  ])
})

test('an empty variable is one that is not set', () => {
  expect(read([], { CONFORMANCE_API_KEY: '', CONFORMANCE_KEY_COMMAND: '' }).credentials).toEqual({})
})

test('the key command is words, and no shell reads it', () => {
  const env = { CONFORMANCE_KEY_COMMAND: ' node  keys.ts; echo $HOME ' }
  expect(readCredentials(read([], env).credentials).keyCommand).toEqual(['node', 'keys.ts;', 'echo', '$HOME'])
})

test.each([
  [{ CONFORMANCE_RESTRICTED_KEY: 'k' }, /go together/],
  [{ CONFORMANCE_RESTRICTED_MODEL: 'm' }, /go together/],
  [{ CONFORMANCE_API_KEY: 'k', CONFORMANCE_SECOND_KEY: 'k' }, /CONFORMANCE_SECOND_KEY: expected another key/],
])('%j is refused', (env, message) => {
  expect(() => read([], env)).toThrow(message)
})

test('a key with white space is refused without being repeated', () => {
  const attempt = (): unknown => read([], { CONFORMANCE_API_KEY: 'secret value\n' })
  expect(attempt).toThrow(/^CONFORMANCE_API_KEY: expected/)
  expect(attempt).not.toThrow(/secret value/)
})

test('a config file says what flags say, and flags win', () => {
  const config = configFile({
    'base-url': 'http://file/v1',
    model: ['a', 'b'],
    catalogue: '2026-12',
    tier: 'interop',
    runs: 7,
    strict: true,
    limit: '5/2',
    require: ['n', 'stop'],
    header: ['x-a: 1', 'x-b: 2'],
    token: { id: 104, text: 'h' },
  })
  expect(read(['--config', config, '--runs', '9'])).toMatchObject({
    baseUrl: 'http://file/v1',
    models: ['a', 'b'],
    catalogue: '2026-12',
    tier: 'interop',
    runs: 9,
    strict: true,
    limit: { requests: 5, windowSeconds: 2 },
    require: ['n', 'stop'],
    headers: { 'x-a': '1', 'x-b': '2' },
    token: { id: '104', text: 'h' },
  })
})

test.each([
  [{ 'base-urls': 'http://h' }, /unknown key 'base-urls' \(Did you mean base-url\?\)/],
  [{ config: 'x' }, /unknown key 'config'/],
  [{ version: true }, /unknown key 'version'/],
  [{ catalogue: 99 }, /--catalogue: no set of checks '99'/],
  [{ 'api-key': 'x' }, /unknown key 'api-key'/],
  [{ strict: 'yes' }, /strict: expected true or false/],
  [{ runs: [1] }, /runs: expected a string or a number/],
  [{ runs: 0 }, /--runs: expected a whole number/],
  [{ header: [1] }, /header: expected strings/],
  [{ token: 'a' }, /token: expected/],
  [[], /expected an object/],
  ['{', /it is not JSON/],
])('the config file %j is refused', (content, message) => {
  expect(() => read(['--config', configFile(content)])).toThrow(message)
})
