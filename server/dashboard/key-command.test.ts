import { PassThrough } from 'node:stream'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isKeyForm } from '../../spec/protocol/key.ts'
import { listen, openDashboard, PASSWORD } from './dashboard.fixture.ts'
import { closedAtEnd } from '../test-resources.fixture.ts'
import { passwordInMemory } from '../keys/password-file.ts'
import { loadOperatorPassword } from './session/operator-password.ts'
import { DEFAULT_SIGN_IN_LIMITS } from './session/sign-in-throttle.ts'
import { keyCommand } from './key-command.ts'
import { runProgram } from '../../fixtures/run-program.fixture.ts'

type Environment = Readonly<Record<string, string>>

const inProcess = (args: readonly string[], environment: Environment, input?: string) =>
  runProgram(['server/dashboard/key-command.ts', ...args], environment, input)

/** Runs the command without a process of its own. */
async function run(args: readonly string[], environment: Environment) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const code = await keyCommand([...args], environment, { stdin, stdout, stderr })
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

let dashboard: ReturnType<typeof openDashboard>
let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  // A real password, which takes time to verify.
  const password = await loadOperatorPassword({ record: passwordInMemory(), configured: PASSWORD })
  dashboard = openDashboard({ password })
  server = await listen(dashboard.app)
})
afterAll(() => server.close())

const operator = () => ({ DASHBOARD_URL: server.root, DASHBOARD_PASSWORD: PASSWORD })

async function create(...args: string[]): Promise<{ id: string; secret: string }> {
  const { code, stdout, stderr } = await run(['create', ...args], operator())
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.endsWith('\n')).toBe(true)
  return JSON.parse(stdout)
}

test('a session answers each command with one line, in order, until one fails', async () => {
  const { id } = await create()
  const models = ['svc-0.1-echo', 'not-served-<&">']
  const input = `create --limit 3/2 --models ${models.join(',')}\nrevoke ${id}\ncreate\nrevoke key_none\ncreate\n`
  const { code, stdout, stderr } = await inProcess(['session'], operator(), input)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^key-command: .+\n$/) })
  const [limited = '', revoked, plain = '', ...rest] = stdout.split('\n')
  expect(await dashboard.keys.findActive(JSON.parse(limited).secret)).toMatchObject({
    models,
    limit: { requests: 3, windowSeconds: 2 },
  })
  expect(revoked).toBe('')
  expect((await dashboard.keys.list()).find((key) => key.id === id)?.revokedAt).not.toBeNull()
  expect(await dashboard.keys.findActive(JSON.parse(plain).secret)).toMatchObject({ limit: null })
  expect(rest).toEqual([''])
})

describe('create, revoke and delete', () => {
  test('create a working key, revoke it and remove it from the list', async () => {
    const made = await create()
    expect(Object.keys(made)).toEqual(['id', 'secret'])
    expect(isKeyForm(made.secret)).toBe(true)
    expect(await dashboard.keys.findActive(made.secret)).toMatchObject({
      id: made.id,
      models: null,
      limit: null,
    })
    expect(await run(['revoke', made.id], operator())).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await dashboard.keys.findActive(made.secret)).toBeUndefined()
    // Revoking a revoked key succeeds.
    expect(await run(['revoke', made.id], operator())).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await run(['delete', made.id], operator())).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await dashboard.keys.find(made.id)).toBeUndefined()
  })

  test('list the keys, and find one by its name alone', async () => {
    const [one, other] = [await create('--name', 'Two of a kind'), await create('--name', 'Two of a kind')]
    const single = await create('--name', 'Single')
    const { code, stdout } = await run(['list'], operator())
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ID +NAME +KEY +STATE +CREATED +MODELS\n/)
    const line = stdout.split('\n').find((text) => text.startsWith(single.id))
    expect(line).toContain(`Single`)
    expect(line).toContain(`svc_sk_…${single.secret.slice(-4)}`)
    expect(stdout).not.toContain(single.secret)
    expect(await run(['revoke', 'Single'], operator())).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await dashboard.keys.findActive(single.secret)).toBeUndefined()
    expect((await run(['revoke', 'Single'], operator())).stderr).toContain(
      "no active key has the name or id 'Single'",
    )
    const { code: refused, stderr } = await run(['revoke', 'Two of a kind'], operator())
    expect(refused).toBe(1)
    for (const { id, secret } of [one, other]) {
      expect(stderr).toContain(id)
      expect(await dashboard.keys.findActive(secret)).toBeDefined()
    }
    expect(await run(['delete', 'Single'], operator())).toEqual({ code: 0, stdout: '', stderr: '' })
    for (let more = 0; more < 16; more += 1) await create('--name', `Page ${more}`)
    const all = (await run(['list'], operator())).stdout.trim().split('\n')
    expect(all).toHaveLength((await dashboard.keys.list()).length + 1)
  })

  test('never take the secret of a key for its name, nor repeat it', async () => {
    const { secret } = await create()
    const { code, stderr } = await run(['revoke', secret], operator())
    expect(code).toBe(2)
    expect(stderr).toContain('that is the secret of a key')
    expect(stderr).not.toContain(secret)
  })

  test('give a key its name', async () => {
    const nameOf = async ({ id }: { id: string }) => (await dashboard.keys.find(id))?.name
    expect(await nameOf(await create('--name', 'invoices, staging'))).toBe('invoices, staging')
    expect(await nameOf(await create())).toBe('made on the command line')
  })

  test('work concurrently', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create()))
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(6)
  })
})

test.each(['/', '/dashboard', '/dashboard/'])('DASHBOARD_URL may be root or dashboard: %s', async (path) => {
  const environment = { ...operator(), DASHBOARD_URL: server.root + path }
  expect(await run(['create'], environment)).toMatchObject({ code: 0, stderr: '' })
})

test.each([[['create']], [['revoke', 'key_unknown']]])('always signs out: %j', async (args) => {
  const { app } = openDashboard()
  const cookies = new Set<string>()
  const watched = new Hono()
  watched.use(async (c, next) => {
    await next()
    for (const cookie of c.res.headers.getSetCookie()) cookies.add(cookie.split(';')[0] ?? '')
  })
  watched.route('/', app)
  const server = closedAtEnd(await listen(watched))
  await run(args, { ...operator(), DASHBOARD_URL: server.root })
  const [cookie = '', cleared] = cookies
  expect(cookie).toMatch(/^touchstone_session=./)
  expect(cleared).toBe('touchstone_session=')
  const answer = await app.request('/dashboard', { headers: { cookie } })
  expect(answer.headers.get('location')).toBe('/dashboard/sign-in')
})

test('--help lists the commands and flags, without a dashboard', async () => {
  const { code, stdout } = await run(['create', '--help'], {})
  expect(code).toBe(0)
  for (const word of [
    'create',
    '--name',
    '--models',
    '--limit',
    'revoke',
    'delete',
    'session',
    'DASHBOARD_URL',
  ])
    expect(stdout).toContain(word)
})

describe('a failure is one line on stderr and nothing on stdout', () => {
  const failures: readonly [number, RegExp, string[], Record<string, string>][] = [
    [2, /^expected a command \(usage: /, [], {}],
    [2, /^there is no command 'destroy' \(usage: /, ['destroy'], {}],
    [2, /^create: unexpected 'extra'; --name NAME .*\(usage: /, ['create', 'extra'], {}],
    [2, /^list stands alone \(usage: /, ['list', 'extra'], {}],
    [2, /^revoke: expected the id or the name of a key \(usage: /, ['revoke'], {}],
    [2, /^delete: expected the id or the name of a key \(usage: /, ['delete'], {}],
    [2, /^delete: unexpected 'key_2' \(usage: /, ['delete', 'key_1', 'key_2'], {}],
    [2, /^revoke has no flag --limit \(usage: /, ['revoke', 'key_1', '--limit', '1/1'], {}],
    [2, /--modles/, ['create', '--modles', 'a'], {}],
    [2, /--limit must be/, ['create', '--limit', '5'], {}],
    [2, /DASHBOARD_URL is not set/, ['create'], { DASHBOARD_URL: '' }],
    [2, /DASHBOARD_PASSWORD is not set/, ['create'], { DASHBOARD_PASSWORD: '' }],
    [2, /DASHBOARD_URL is not an http/, ['create'], { DASHBOARD_URL: 'ftp://127.0.0.1' }],
    [1, /^Password: /, ['create'], { DASHBOARD_PASSWORD: 'not the password' }],
    [1, /^Name: /, ['create', '--name', ' '], {}],
    [1, /^Limit: /, ['create', '--limit', '0/1'], {}],
    [1, /^Models: /, ['create', '--models', ','], {}],
    [1, /^Key: no key has/, ['revoke', 'key_unknown'], {}],
    [1, /^Key: no key has/, ['delete', 'key_unknown'], {}],
    [1, /^no active key has the name or id '\.\.\/new'/, ['revoke', '../new'], {}],
    [1, /does not answer \(ECONNREFUSED\)/, ['create'], { DASHBOARD_URL: 'http://127.0.0.1:1' }],
  ]
  test.each(failures)('%i %s: %j %o', async (code, reason, args, environment) => {
    const { stdout, stderr, ...finished } = await run(args, { ...operator(), ...environment })
    expect({ ...finished, stdout }).toEqual({ code, stdout: '' })
    expect(stderr).toMatch(/^key-command: .+\n$/)
    expect(stderr.slice('key-command: '.length)).toMatch(reason)
    expect(stderr).not.toContain(PASSWORD)
  })

  test('a throttled sign-in reports when to try again', async () => {
    const signInLimits = { ...DEFAULT_SIGN_IN_LIMITS, failuresPerAddress: 1, pauseMs: 0 }
    const server = closedAtEnd(await listen(openDashboard({ signInLimits }).app))
    const environment = { DASHBOARD_URL: server.root, DASHBOARD_PASSWORD: 'wrong' }
    expect((await run(['create'], environment)).stderr).toMatch(/^key-command: Password: /)
    expect(await run(['create'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^key-command: Too many wrong passwords\. Try again in \d+ s\.\n$/),
    })
  })

  test('a 503 is retried if its Retry-After is short', { tags: 'slow' }, async () => {
    for (const [retryAfter, code] of [
      ['1', 0],
      ['60', 1],
      [undefined, 1],
    ] as const) {
      const unavailable = new Set(['/dashboard/sign-in', '/dashboard/keys'])
      const service = new Hono()
      service.post('*', async (c, next) => {
        if (!unavailable.delete(c.req.path)) return next()
        return c.html('', 503, retryAfter === undefined ? {} : { 'Retry-After': retryAfter })
      })
      service.route('/', openDashboard().app)
      const server = closedAtEnd(await listen(service))
      const finished = await run(['create'], { ...operator(), DASHBOARD_URL: server.root })
      expect({ retryAfter, code: finished.code }).toEqual({ retryAfter, code })
    }
  })

  test('another service than a dashboard is an error', async () => {
    const other = new Hono()
    other.all('*', (c) => c.text('hello'))
    const server = closedAtEnd(await listen(other))
    const finished = await run(['create'], { ...operator(), DASHBOARD_URL: server.root })
    expect(finished).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^key-command: .+ is not a dashboard of this project\n$/),
    })
  })
})
