// The command line as a process of its own, against servers on real sockets: what it prints, writes and ends with.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { KEY, refusal, runCli as run, startCli as start, startService } from './cli.fixture.ts'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { testSampled } from '../../fixtures/sampled.fixture.ts'

// Each test starts processes, on machines that may be busy with others.
vi.setConfig({ testTimeout: 90_000 })

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

test('0: every selected requirement holds', async () => {
  await using service = await startService()
  const { code, stdout } = await run(['--base-url', `${service.baseUrl}/v1`, ...missingHeader])
  expect(code).toBe(0)
  expect(stdout).toContain(`Touchstone judges ${service.baseUrl}`)
  expect(stdout).toMatch(/✓ AUTH-3 +MUST/)
  expect(stdout).toMatch(/PASS {2}1 of \d+ MUST judged/)
})

test('1: a requirement fails, and the failure shows all that proves it', async () => {
  await using service = await startService('invalid_api_key')
  const { code, stdout } = await run(['--base-url', service.baseUrl, '--seed', '42', ...missingHeader])
  expect(code).toBe(1)
  expect(stdout).toContain(
    '“No `Authorization` header: 401, type `authentication_error`, code `missing_api_key`.”',
  )
  expect(stdout).toMatch(/expected +error.code "missing_api_key"/)
  expect(stdout).toMatch(/actual +"invalid_api_key"/)
  expect(stdout).toContain(`> GET ${service.baseUrl}/v1/models`)
  expect(stdout).toContain('< {"error":{"message":"No."')
  expect(stdout).toContain(`--base-url ${service.baseUrl} --only auth.missing-header-models --seed 42`)
  expect(stdout).toMatch(/or +curl /)
})

test('3: a MUST that cannot be judged, with the variable that would let it be judged', async () => {
  await using service = await startService()
  const { code, stdout } = await run(['--base-url', service.baseUrl, ...revokedKey])
  expect(code).toBe(3)
  expect(stdout).toMatch(/AUTH-4 .*CONFORMANCE_REVOKED_KEY/)
  expect(stdout).toMatch(/INCOMPLETE {2}0 of \d+ MUST judged/)
})

const bothRows = ['--only', 'auth.revoked-key,auth.missing-header-models']

test.each<[number, string, string, readonly string[], RegExp]>([
  [
    0,
    'an open MUST is allowed beside a judged one',
    'missing_api_key',
    [...bothRows, '--allow-incomplete'],
    /1 of \d+ MUST/,
  ],
  [
    3,
    'nothing was judged, whatever is allowed',
    'missing_api_key',
    [...revokedKey, '--allow-incomplete'],
    /INCOMPLETE {2}0 of \d+ MUST judged/,
  ],
  [1, 'a failure outweighs a MUST that could not be judged', 'invalid_api_key', bothRows, /FAIL/],
])('%i: %s', async (expected, _, missingKey, args, verdict) => {
  await using service = await startService(missingKey)
  const { code, stdout } = await run(['--base-url', service.baseUrl, ...args])
  expect(code).toBe(expected)
  expect(stdout).toMatch(verdict)
})

const unusable: readonly [readonly string[], Readonly<Record<string, string>>, RegExp][] = [
  [
    ['--base-url', 'http://127.0.0.1:9'],
    {},
    /http:\/\/127.0.0.1:9 cannot be judged: the connection was refused/,
  ],
  [['--base-url', 'http://127.0.0.1:9', '--only', 'nothing.*'], {}, /--only nothing\.\*: no check matches/],
  [['--strictly'], {}, /unknown option '--strictly' \(Did you mean --strict\?\)/],
  [['--base-url', 'http://127.0.0.1:9'], { CONFORMANCE_API_KEY: '' }, /set CONFORMANCE_API_KEY/],
  [['--baseline', '/no/such/file'], {}, /--baseline: cannot read/],
  [['--baseline', file([{ check: 'no.such-check', reason: 'r' }])], {}, /there is no check "no.such-check"/],
  [['compare', 'a.json'], {}, /compare: expected two reports/],
  [['compare', 'a.json', 'b.json'], {}, /compare: cannot read a\.json/],
  [['client'], {}, /client: expected the command to judge/],
  [['explain', 'AUTH-99'], {}, /'AUTH-99'/],
]

testSampled(unusable, 4, '2: %j %j is one line on stderr', async (args, env, message) => {
  const { code, stdout, stderr } = await run(args, env)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('2: a target that lists no model, unless one is named', { tags: 'slow' }, async () => {
  await using service = await startTestServer((request, response) =>
    request.headers.authorization === undefined
      ? sendJson(response, 401, refusal('missing_api_key'))
      : sendJson(response, 404, refusal('not_found', 'model_not_found')),
  )
  const args = ['--base-url', service.baseUrl, ...missingHeader]
  expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('name one with --model') })
  expect((await run([...args, '--model', 'm-1'])).code).toBe(0)
})

test('a baseline: expected failures do not count; one that passes must go', { tags: 'slow' }, async () => {
  const baseline = file([{ check: 'auth.missing-header-models', reason: 'the gateway says so' }])
  await using wrong = await startService('invalid_api_key')
  const expected = await run(['--base-url', wrong.baseUrl, '--baseline', baseline, ...missingHeader])
  expect(expected.code).toBe(0)
  expect(expected.stdout).toContain('the gateway says so')
  await using right = await startService()
  const stale = await run(['--base-url', right.baseUrl, '--baseline', baseline, ...missingHeader])
  expect(stale.code).toBe(1)
  expect(stale.stdout).toContain('auth.missing-header-models passes now')
})

test('a SHOULD warns, and fails with --strict', { tags: 'slow' }, async () => {
  await using service = await startTestServer((request, response) => {
    if (request.url === '/v1/models') return sendJson(response, 200, { data: [{ id: 'm-1' }] })
    return sendJson(response, 404, refusal('x', 'model_not_found'))
  })
  const args = ['--base-url', service.baseUrl, '--only', 'auth.before-unknown-path']
  expect((await run(args)).code).toBe(0)
  expect((await run([...args, '--strict'])).code).toBe(1)
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
  { timeout: 90_000, tags: 'slow' },
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

test('the budget of requests is kept', { tags: 'slow' }, async () => {
  let requests = 0
  await using service = await startTestServer((_, response) => {
    requests += 1
    sendJson(response, 200, { data: [{ id: 'm-1' }] })
  })
  const args = ['--base-url', service.baseUrl, '--only', 'AUTH-*', '--max-requests', '5']
  const { stdout } = await run(args)
  expect(requests).toBe(5)
  expect(stdout).toContain('budget of 5 requests')
})

test('a key command that ignores its flags is reported, and fails no row', { tags: 'slow' }, async () => {
  const message = { role: 'assistant', content: 'OK' }
  await using service = await startTestServer((request, response) =>
    request.url === '/v1/models'
      ? sendJson(response, 200, { data: [{ id: 'm-1' }, { id: 'm-2' }] })
      : sendJson(response, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }),
  )
  const { env, lines } = withKeyCommand('deaf')
  const report = join(folder, 'deaf.json')
  const only = ['--only', 'limits.form,LIMIT-4,LIMIT-5,MODEL-3']
  const { code } = await run(['--base-url', service.baseUrl, ...only, '--json', report], env)
  expect(code).toBe(3)
  const { checks } = readReport(report)
  for (const { requirement, outcome, reason } of checks) {
    const flag = requirement === 'MODEL-3' ? '--models' : '--limit'
    expect([outcome, reason]).toEqual([
      'inconclusive',
      expect.stringContaining(`the key command ignores ${flag}`),
    ])
  }
  expect(lines().join()).toContain('--models m-1')
})

test('wire needs no key, judges only the format, and names what is refused', { tags: 'slow' }, async () => {
  await using service = await startTestServer((request, response) => {
    if (request.headers.authorization !== undefined) return sendJson(response, 401, refusal('x'))
    if (request.url === '/v1/models') return sendJson(response, 200, { data: [{ id: 'm-1' }] })
    const error = { message: 'n is not supported', param: 'n' }
    if (request.text.includes('"n":')) return sendJson(response, 400, { error })
    const choices = [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }]
    return sendJson(response, 200, { choices })
  })
  const args = ['--base-url', service.baseUrl, '--profile', 'wire', '--only', 'WIRE-5,WIRE-6,AUTH-*']
  const { code, stdout } = await run(args, { CONFORMANCE_API_KEY: '' })
  expect(code).toBe(0)
  expect(stdout).not.toContain('AUTH-')
  expect(stdout).toMatch(/– WIRE-6/)
  expect(stdout).toMatch(/Not offered by the target[^\n]*\n(?: +\S.*\n)* +n /)
  const required = await run([...args, '--require', 'n'], { CONFORMANCE_API_KEY: '' })
  expect(required.code).toBe(1)
  expect(required.stdout).toContain('n is required and not offered')
})

test('list prints every check without a target; --json writes it', async () => {
  const json = join(folder, 'list.json')
  const { code, stdout } = await run(['list', '--json', json], { CONFORMANCE_API_KEY: '' })
  expect(code).toBe(0)
  const { checks } = JSON.parse(readFileSync(json, 'utf8')) as {
    checks: { id: string; requirement: string }[]
  }
  for (const { id, requirement } of checks) {
    expect(stdout).toContain(` ${id} `)
    expect(stdout).toContain(` ${requirement} `)
  }
  expect(stdout).toContain(`${checks.length} checks of`)
})

test('explain shows what a row demands and accepts, and an exchange', { tags: 'slow' }, async () => {
  await using service = await startService()
  const { code, stdout } = await run(['explain', 'auth-3', '--base-url', service.baseUrl])
  expect(code).toBe(0)
  expect(stdout).toContain('AUTH-3  MUST, judges the server, from Authentication')
  expect(stdout).toContain('auth.missing-header-models')
  expect(stdout).toMatch(/Example .*pass\n +> GET /)
})

test('--version prints the package and the catalogue', async () => {
  const { code, stdout } = await run(['--version'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^touchstone \d+\.\d+\.\d+, catalogue \d+\n$/)
})

test('--help says how, and colour is for terminals only', async () => {
  const { code, stdout } = await run(['--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('--base-url')
  await using service = await startService('invalid_api_key')
  const judged = await run(['--base-url', service.baseUrl, ...missingHeader], { FORCE_COLOR: '1' })
  expect(judged.stdout + judged.stderr).not.toContain('\u001b')
})
