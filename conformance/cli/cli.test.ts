// The command line as a process of its own, against servers on real sockets: what it prints, writes and ends with.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tierOf } from '../../spec/catalogue/requirements.ts'
import { KEY, callCli, runCli as run, startCli as start, startService } from './cli.fixture.ts'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { testSampled } from '../../fixtures/sampled.fixture.ts'

const keyCommand = `${process.execPath} ${join(import.meta.dirname, '..', '..', 'harness', 'keys', 'key-command.fixture.ts')}`
const folder = temporaryFolder()
function file(content: unknown): string {
  const name = join(folder, `${Math.random()}.json`)
  writeFileSync(name, JSON.stringify(content))
  return name
}

/** The environment of a judge that makes its keys by a command, and the file in which the command logs them. */
function withKeyCommand(name: string, fault?: string) {
  const log = join(folder, `${name}.log`)
  writeFileSync(log, '')
  const env = { CONFORMANCE_API_KEY: '', CONFORMANCE_KEY_COMMAND: keyCommand, KEY_LOG: log }
  const lines = (): readonly string[] => readFileSync(log, 'utf8').trim().split('\n')
  return { env: fault === undefined ? env : { ...env, KEY_FAULT: fault }, lines }
}

const missingHeader = ['--only', 'auth.missing-header-models']
const revokedKey = ['--only', 'auth.revoked-key']

const bothRows = ['--only', 'auth.revoked-key,auth.missing-header-models']
const baseline = [
  '--baseline',
  file([{ check: 'auth.missing-header-models', reason: 'the gateway says so' }]),
]

test.each<[number, string, string, readonly string[], RegExp]>([
  [0, 'every MUST holds', 'missing_api_key', missingHeader, /✓ AUTH-3 +MUST[^]*PASS {2}1 of \d+ MUST judged/],
  [0, 'an open MUST is allowed', 'missing_api_key', [...bothRows, '--allow-incomplete'], /1 of \d+ MUST/],
  [0, 'a failure is expected', 'invalid_api_key', [...missingHeader, ...baseline], /the gateway says so/],
  [
    1,
    'a failure outweighs an open MUST',
    'invalid_api_key',
    bothRows,
    /expected +error.code "missing_api_key"/,
  ],
  [1, 'a line of the baseline is stale', 'missing_api_key', [...missingHeader, ...baseline], /passes now/],
  [3, 'a MUST is open', 'missing_api_key', revokedKey, /AUTH-4 .*CONFORMANCE_REVOKED_KEY/],
  [
    3,
    'no MUST was judged',
    'missing_api_key',
    [...revokedKey, '--allow-incomplete'],
    /INCOMPLETE {2}0 of \d+/,
  ],
])('%i: %s', async (expected, _, missingKey, args, said) => {
  await using service = await startService(missingKey)
  const { code, stdout } = await run(['--base-url', `${service.baseUrl}/v1`, ...args])
  expect([code, stdout]).toEqual([expected, expect.stringMatching(said)])
  expect(stdout).toContain(`Touchstone judges ${service.baseUrl} `)
})

const nowhere = ['--base-url', 'http://127.0.0.1:9']
const unusable: readonly [readonly string[], Readonly<Record<string, string>>, RegExp][] = [
  [nowhere, {}, /http:\/\/127.0.0.1:9 cannot be judged: the connection was refused/],
  [[...nowhere, '--only', 'nothing.*'], {}, /--only nothing\.\*: no check matches/],
  [['--strictly'], {}, /unknown option '--strictly' \(Did you mean --strict\?\)/],
  [nowhere, { CONFORMANCE_API_KEY: '' }, /set CONFORMANCE_API_KEY/],
  [['--baseline', file([{ check: 'no.such-check', reason: 'r' }])], {}, /there is no check "no.such-check"/],
  [['compare', 'a.json'], {}, /compare: expected two reports/],
  [['compare', 'a.json', 'b.json'], {}, /compare: cannot read a\.json/],
  [['client'], {}, /client: expected the command to judge/],
  [['explain', 'AUTH-99'], {}, /'AUTH-99'/],
]

testSampled(unusable, 4, '2: %j %j is one line on stderr', async (args, env, message) => {
  const { code, stdout, stderr } = await callCli(args, env)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('every report is written, valid, and without a key, wherever it was sent', async () => {
  await using service = await startTestServer((request, response) => {
    const { authorization = '' } = request.headers
    // A service that repeats all that it was sent.
    if (request.url === '/v1/models' && authorization === `Bearer ${KEY}`)
      return sendJson(response, 200, { data: [{ id: 'm-1' }] })
    const echoed = `${authorization} ${request.url} ${JSON.stringify(request.headers)}`
    return sendJson(
      response,
      200,
      { data: [], message: echoed },
      { 'x-echo': Buffer.from(echoed).toString('base64') },
    )
  })
  const base = join(folder, 'all')
  const formats = ['json', 'junit', 'html', 'markdown']
  const flags = ['--only', 'AUTH-*', '--seed', '7', '--header', 'X-Gateway-Token: a-secret-of-the-gateway']
  const reports = formats.flatMap((format) => [`--${format}`, `${base}.${format}`])
  const { code, stdout, stderr } = await run(['--base-url', service.baseUrl, ...flags, ...reports])
  expect(code).toBe(1)
  const written = formats.map((format) => readFileSync(`${base}.${format}`, 'utf8'))
  for (const text of [...written, stdout, stderr]) {
    expect(text).not.toContain('a-secret-of-the-gateway')
    for (let at = 7; at + 8 <= KEY.length; at++)
      expect(text.toLowerCase()).not.toContain(KEY.slice(at, at + 8).toLowerCase())
    for (const word of text.match(/[A-Za-z0-9+/]{24,}/g) ?? [])
      expect(Buffer.from(word, 'base64').toString('latin1')).not.toContain(KEY.slice(7, 15))
  }
  const report = readReport(`${base}.json`)
  expect(report).toMatchObject({ schema: 'touchstone.report/1', seed: 7, exitCode: 1 })
  const failure = report.checks.find(({ id }) => id === 'auth.missing-header-models')
  expect(failure).toMatchObject({ requirement: 'AUTH-3', level: 'MUST', outcome: 'fail' })
  expect(failure?.exchanges.at(-1)?.response?.status).toBe(200)
  for (const check of report.checks) expect(check.outcome === 'pass').toBe(check.reason === undefined)
  expect(report.coverage.notCovered).not.toContain('AUTH-3')
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s: a run revokes every key that it made, and one that is being made',
  { tags: 'slow' },
  async (signal, exit) => {
    await using service = await startService('missing_api_key', () => 'silent')
    const { env, lines } = withKeyCommand(signal, 'slow')
    const judge = start(['--base-url', service.baseUrl, '--only', 'KEY-*', '--concurrency', '1'], env)
    // The key that the judge works with is made; the next one is written down before it is printed.
    await expect.poll(() => lines().join(), { timeout: 60_000 }).toContain('create key_2')
    judge.interrupt(signal)
    const { code, stderr } = await judge.ended
    expect([code, stderr]).toEqual([exit, expect.stringContaining('interrupted')])
    const idsOf = (action: string) =>
      lines().flatMap((line) => (line.startsWith(action) ? [line.split(' ')[1]] : []))
    expect(idsOf('create').length).toBeGreaterThan(1)
    expect(idsOf('revoke').toSorted()).toEqual(idsOf('create').toSorted())
  },
)

test('missing keys are made, and revoked after a run and after an error', { tags: 'slow' }, async () => {
  await using service = await startService()
  const args = ['--base-url', service.baseUrl, ...missingHeader]
  for (const [name, more, code] of [
    ['whole', [], 0],
    // The model list answers, but the chosen address below it does not.
    ['error', ['--max-requests', '1', '--header', 'x-a: 1', '--base-url', `${service.baseUrl}/elsewhere`], 2],
  ] as const) {
    const { env, lines } = withKeyCommand(name)
    expect(await run([...args, ...more], env)).toMatchObject({ code })
    expect(lines()).toEqual(['create key_1 --limit 100000/60', 'revoke key_1'])
  }
})

test('2: a key that cannot be revoked is said, and the run has no verdict', async () => {
  await using service = await startService()
  const { env } = withKeyCommand('left', 'revoke-fails')
  const { code, stderr } = await run(['--base-url', service.baseUrl, ...missingHeader], env)
  expect([code, stderr]).toEqual([2, expect.stringContaining('could not revoke key_1')])
})

test('list prints every check without a target; --json writes it', async () => {
  const json = join(folder, 'list.json')
  const { code, stdout } = await run(['list', '--json', json], { CONFORMANCE_API_KEY: '' })
  expect(code).toBe(0)
  const { checks } = JSON.parse(readFileSync(json, 'utf8')) as {
    checks: { id: string; requirement: string; tier?: string }[]
  }
  expect(stdout).toMatch(/\n {2}AUTH-2 MUST strict\n/)
  for (const { requirement, tier } of checks) expect(tier).toBe(tierOf(requirement))
  for (const { id, requirement } of checks) {
    expect(stdout).toContain(` ${id} `)
    expect(stdout).toContain(` ${requirement} `)
  }
  expect(stdout).toContain(`${checks.length} checks of`)
})

test('list --tier prints the checks of a tier, of servers alone', async () => {
  const { code, stdout } = await run(['list', '--tier', 'strict'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {2}AUTH-2 MUST strict\n/)])
  expect(stdout).not.toMatch(/interop|RETRY-|GATE-/)
})

test('explain shows what a row demands and accepts, and an exchange', { tags: 'slow' }, async () => {
  await using service = await startService()
  const { code, stdout } = await run(['explain', 'auth-3', '--base-url', service.baseUrl])
  expect(code).toBe(0)
  expect(stdout).toContain('AUTH-3  MUST, judges the server, from Authentication, tier interop')
  expect(stdout).toContain('auth.missing-header-models')
  expect(stdout).toMatch(/Example .*pass\n +> GET /)
})

test('--version and --help print, and colour is for terminals only', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^touchstone \d+\.\d+\.\d+, catalogue \d+\n$/)
  expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('check [URL]') })
  await using service = await startService('invalid_api_key')
  const judged = await run(['--base-url', service.baseUrl, ...missingHeader], { FORCE_COLOR: '1' })
  expect(judged.stdout + judged.stderr).not.toContain('\u001b')
})
