// No secret that an operator gives in an address, a header or the environment reaches a terminal or a file, for any subject.
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { freePort } from '../../fixtures/services/free-port.ts'
import { sendJson, startTestServer } from '../../harness/http-server.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { readZip } from '../exchanges/zip.ts'
import { type Ended, KEY, callCli, runCli, startCli } from './cli.fixture.ts'

/** Values as keys of other vendors look; each is unique. */
const secret = (name: string): string => `q7${Buffer.from(`${name}-Zk3v9`).toString('base64url')}x4T`

const PARAMETERS = [
  'api-key',
  'code',
  'sas',
  'token',
  'X-Amz-Signature',
  'subscription-key',
  'access_token',
  'jwt',
]
const query = `?${PARAMETERS.map((name) => `${name}=${secret(name)}`).join('&')}&region=eu-readable`

/** Every file of a folder as text, with the parts of bundles. */
function writtenIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      if (!name.endsWith('.zip')) return bytes.toString('latin1')
      return [...readZip(bytes, 1e9).values()]
        .map(({ content }) => Buffer.from(content).toString('latin1'))
        .join('\n')
    })
    .join('\n')
}

function expectHidden(folder: string, { stdout, stderr }: Ended, secrets: readonly string[]): void {
  const written = writtenIn(folder) + stdout + stderr
  for (const one of secrets) {
    const forms = [
      one,
      encodeURIComponent(one),
      Buffer.from(one).toString('base64').replace(/=+$/, '').slice(4),
    ]
    for (const form of forms) expect(written).not.toContain(form)
  }
}

const filesIn = (folder: string, ...forms: readonly string[]) =>
  forms.flatMap((form) => [`--${form}`, join(folder, form === 'bundle' ? 'run.zip' : `report.${form}`)])
const FORMS = ['json', 'junit', 'html', 'markdown', 'badge']

/** A service that quotes each request in its answers, in several codings. */
const startQuoting = () =>
  startTestServer((request, response) => {
    const url = request.url ?? ''
    response.setHeader('location', `http://elsewhere.example${url}`)
    response.setHeader('x-quoted', Buffer.from(url).toString('base64'))
    if (url.includes('/models'))
      return sendJson(response, 200, { object: 'list', data: [{ id: 'm-1', object: 'model', of: url }] })
    return sendJson(response, 404, {
      error: {
        message: `no ${url} ${JSON.stringify(request.headers)}`,
        type: 'x',
        at: encodeURIComponent(url),
      },
    })
  })

test('a run hides the keys of its address and of its headers', { timeout: 60_000 }, async () => {
  await using service = await startQuoting()
  const folder = temporaryFolder()
  const names = ['X-Vault-Token', 'Cf-Access-Jwt-Assertion', 'Cookie', 'X-Note']
  const headers = names.flatMap((name) => ['--header', `${name}: ${secret(name)}`])
  const env = { GITHUB_TOKEN: secret('environment') }
  for (const evidence of ['bundle', 'capture']) {
    const files = filesIn(folder, ...FORMS, evidence)
    const ended = await runCli(
      ['--base-url', service.baseUrl + query, ...headers, '--quick', '--only', 'MODEL-*,CHAT-1', ...files],
      env,
    )
    expect([ended.code, ended.stderr]).toEqual([1, expect.any(String)])
    expectHidden(folder, ended, [...PARAMETERS, ...names, 'environment'].map(secret))
    expect(ended.stdout).toContain('region=eu-readable')
    expect(ended.stdout).toContain('api-key=[redacted]')
  }
  const { code, stdout } = await callCli(['verify', join(folder, 'run.zip')])
  expect([code, stdout]).toEqual([0, expect.stringContaining('confirmed')])
})

test('an address that cannot be used is refused without its keys', async () => {
  const one = secret('refused')
  const addresses = [
    `http://user:${one}@127.0.0.1:9`,
    `http://${one}@127.0.0.1:9`,
    `http://127.0.0.1:9/#access_token=${one}`,
    `http://127.0.0.1:9/chat/completions?api-key=${one}`,
    `http://127.0.0.1:9/?api-key=${one}`,
    `ftp://127.0.0.1:9/?api-key=${one}`,
    `http://127.0.0.1:9/?code=ab1`,
  ]
  for (const address of addresses)
    for (const args of [['--base-url', address], [`--base-url=${address}`], [address]]) {
      const { code, stdout, stderr } = await callCli([...args, '--only', 'MODEL-1'])
      expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
      expect(stdout + stderr).not.toContain(one)
      expect(stdout + stderr).not.toContain('code=ab1')
    }
}, 90_000)

test('a gateway and its upstream', { timeout: 60_000 }, async () => {
  const [port, listen] = await Promise.all([freePort(), freePort()])
  const folder = temporaryFolder()
  const gateway = `
    import http from 'node:http'
    console.error('Error: ' + JSON.stringify(process.env))
    http.createServer((asked, answer) => {
      asked.resume()
      answer.writeHead(404, { 'content-type': 'application/json' })
      answer.end(JSON.stringify({ error: { message: asked.url + ' ' + JSON.stringify(process.env) } }))
    }).listen(${port}, '127.0.0.1')`
  const env = { VENDOR_TOKEN: secret('vendor'), PASSED_KEY: secret('passed') }
  const own = [
    '--base-url',
    `http://127.0.0.1:${port}/?api-key=${secret('api-key')}`,
    '--listen',
    `${listen}`,
  ]
  const upstream = ['--upstream', `http://127.0.0.1:9/?code=${secret('code')}`]
  const command = ['--', process.execPath, '--input-type=module', '-e', gateway]
  for (const more of [[], upstream]) {
    const ended = await runCli(
      [
        'gateway',
        ...own,
        ...more,
        '--model',
        'm',
        '--warm-up',
        '3',
        '--only',
        'WIRE-1',
        '--timeout',
        '2',
        ...filesIn(folder, ...FORMS),
        ...command,
      ],
      env,
    )
    expect([1, 2, 3]).toContain(ended.code)
    expectHidden(folder, ended, ['api-key', 'code', 'vendor', 'passed'].map(secret))
  }
})

test('a client gets no key of its operator, and its output shows none', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder()
  const file = join(temporaryFolder(), 'client.mjs')
  const program = `
    console.error('Error: ' + JSON.stringify(process.env))
    const { OPENAI_BASE_URL, OPENAI_API_KEY, TOUCHSTONE_REQUEST, PASSED_KEY, GITHUB_TOKEN } = process.env
    const answer = await fetch(OPENAI_BASE_URL + '/chat/completions?code=hidden-in-address&sig=' + PASSED_KEY, {
      method: 'POST',
      headers: { authorization: 'Bearer ' + PASSED_KEY, 'x-own': PASSED_KEY, 'x-vault-token': 'hidden-by-name-4711', cookie: 'a=hidden-as-cookie', 'content-type': 'application/json' },
      body: JSON.stringify({ ...JSON.parse(TOUCHSTONE_REQUEST), user: PASSED_KEY }),
    })
    console.log(PASSED_KEY, Buffer.from(PASSED_KEY).toString('base64'), encodeURIComponent(PASSED_KEY), GITHUB_TOKEN ?? 'no token')
    process.exit(3)`
  const env = {
    GITHUB_TOKEN: secret('github'),
    PASSED_KEY: secret('passed'),
    DB_URL: `pg://u:${secret('db')}@h/d`,
  }
  const passed = ['--env', 'PASSED_KEY', '--env', 'DB_URL']
  writeFileSync(file, program)
  const words = [
    `http://a.example/?sig=${secret('word')}`,
    '--api-key',
    secret('flag'),
    `--token=${secret('assigned')}`,
  ]
  const command = ['--', process.execPath, file, ...words, '-H', `X-Api-Key: ${secret('header')}`]
  const ended = await runCli(
    [
      'client',
      '--only',
      'CALL-1,CALL-4,READ-1',
      '--quick',
      ...passed,
      ...filesIn(folder, ...FORMS, 'bundle'),
      ...command,
    ],
    env,
  )
  expect([ended.code, ended.stderr]).toEqual([1, expect.any(String)])
  const given = ['github', 'passed', 'db', 'word', 'flag', 'assigned', 'header']
  expectHidden(folder, ended, given.map(secret))
  expect(writtenIn(folder)).toContain('no token')
  expect(writtenIn(folder)).toContain('x-vault-token')
  for (const one of ['hidden-by-name-4711', 'hidden-as-cookie', 'hidden-in-address'])
    expect(writtenIn(folder) + ended.stdout).not.toContain(one)
  const { code, stdout } = await callCli(['verify', join(folder, 'run.zip')])
  expect([code, stdout]).toEqual([0, expect.stringContaining('confirmed')])
})

test('a capture hides the keys of its address, and shows a kept header', { timeout: 60_000 }, async () => {
  await using service = await startQuoting()
  const out = join(temporaryFolder(), 'capture.jsonl')
  const running = startCli(
    [
      'capture',
      '--base-url',
      service.baseUrl + query,
      '--listen',
      '0',
      '--out',
      out,
      '--keep',
      'X-Session-Id',
      '--keep',
      'x-kept-key',
    ],
    { GITHUB_TOKEN: secret('github') },
  )
  const address = await vi.waitFor(() => {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(running.printed())?.[0]
    if (found === undefined) throw new Error('it does not listen')
    return found
  }, 10_000)
  await fetch(`${address}/v1/models?a=1`, {
    headers: {
      'x-session-id': 'shown-Hw4p8NtLs2dK',
      'x-kept-key': secret('github'),
      'x-vault-token': secret('vault'),
    },
  })
  running.interrupt('SIGINT')
  const ended = await running.ended
  expect(ended.code).toBe(0)
  const text = readFileSync(out, 'utf8')
  expect(statSync(out).mode & 0o777).toBe(0o600)
  for (const one of [...PARAMETERS, 'github', 'vault'].map(secret))
    expect(text + ended.stdout).not.toContain(one)
  expect(text).toContain('shown-Hw4p8NtLs2dK')
  expect(text).toContain('region=eu-readable')
})

test(
  'a kept header is shown in the evidence of a run, and a key of the run in it is not',
  { timeout: 60_000 },
  async () => {
    await using service = await startQuoting()
    const folder = temporaryFolder()
    const shown = secret('shown')
    const flags = ['--header', `X-Vault-Token: ${shown}`, '--header', `X-Own-Key: ${KEY}`]
    for (const evidence of ['bundle', 'capture']) {
      const file = join(folder, evidence === 'bundle' ? 'run.zip' : 'capture.jsonl')
      const files = [`--${evidence}`, file]
      const judged = ['--base-url', service.baseUrl, ...flags, '--quick', '--only', 'MODEL-1', ...files]
      await runCli([...judged, '--keep', 'x-vault-token', '--keep', 'X-Own-Key'])
      expect(existsSync(file)).toBe(true)
      expect(writtenIn(folder)).toContain(shown)
      expect(writtenIn(folder)).not.toContain(KEY)
    }
  },
)

test.each([
  [['--keep', 'no header'], /^conformance: --keep: expected the name of a header/],
  [['--keep', 'X-A: hunter2hunter2'], /^(?!.*hunter2).*--keep: expected the name of a header/],
  [
    ['client', '--env', 'TOUCHSTONE_MISSING', '--', 'true'],
    /--env TOUCHSTONE_MISSING: the variable is not set/,
  ],
])('%j is refused in one line', async (args, line) => {
  const { code, stderr } = await callCli(args)
  expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(line)]])
})
