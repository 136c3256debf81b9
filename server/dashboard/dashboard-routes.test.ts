import { describe, expect, test } from 'vitest'
import {
  openDashboard,
  ORIGIN,
  PASSWORD,
  signedIn,
  target,
  TestBrowser,
  problemsOf,
  hiddenFields,
  openSignedIn,
} from './dashboard.fixture.ts'
import { fields } from './form-fields.ts'
import type { DashboardOptions } from './routes/dashboard.ts'
import { MAX_FORM_BYTES } from './session/protection.ts'
import { DEFAULT_SIGN_IN_LIMITS, type SignInLimits } from './session/sign-in-throttle.ts'

const PAGES = [
  '/dashboard',
  '/dashboard/keys',
  '/dashboard/keys/new',
  '/dashboard/keys/key_1',
  '/dashboard/keys/key_1/revoke',
  '/dashboard/keys/key_1/delete',
  '/dashboard/rotation',
  '/dashboard/audit',
  '/dashboard/password',
]
/** Throttles after this many failures of one address. */
const throttledAfter = (failuresPerAddress: number): SignInLimits => ({
  ...DEFAULT_SIGN_IN_LIMITS,
  failuresPerAddress,
  pauseMs: 0,
})

/** A dashboard that takes the address of a client from a header, and attempts to sign in from an address. */
function openByAddress(options: Partial<DashboardOptions> = {}) {
  const { app } = openDashboard({ ...options, clientAddress: (c) => c.req.header('x-test-address') ?? '' })
  return (password: string, address: string) =>
    new TestBrowser(app).post('/dashboard/sign-in', { password }, { 'x-test-address': address })
}

const CHANGES = [
  '/dashboard/keys',
  '/dashboard/keys/key_1/revoke',
  '/dashboard/keys/key_1/delete',
  '/dashboard/password',
  '/dashboard/sign-out',
]

describe('without a session', () => {
  test.each(PAGES)('%s redirects to the sign-in page', async (path) => {
    const response = await new TestBrowser(openDashboard().app).request(path)
    expect([response.status, target(response)]).toEqual([303, '/dashboard/sign-in'])
  })

  test.each(CHANGES)('a post to %s changes nothing', async (path) => {
    const { app, keys } = openDashboard()
    const browser = new TestBrowser(app)
    const { key } = await keys.create({ name: 'stays', models: null, limit: null })
    const response = await browser.post(path.replace('key_1', key.id), { name: 'new', access: 'all' })
    expect([response.status, target(response)]).toEqual([303, '/dashboard/sign-in'])
    expect(await keys.list()).toEqual([key])
  })

  test('an invented session id is not accepted', async () => {
    const { app } = openDashboard()
    const browser = new TestBrowser(app)
    for (const id of ['', 'undefined', '__proto__', 'A'.repeat(43)]) {
      browser.cookie = `touchstone_session=${id}`
      expect(target(await browser.request('/dashboard'))).toBe('/dashboard/sign-in')
    }
  })
})

describe('signing in', () => {
  test('with the password sets a session cookie that scripts and other sites cannot use', async () => {
    const browser = new TestBrowser(openDashboard().app)
    const response = await browser.signIn()
    expect([response.status, target(response)]).toEqual([303, '/dashboard'])
    const [cookie = '', ...others] = response.headers.getSetCookie()
    expect(others).toEqual([])
    const [pair, ...attributes] = cookie.split('; ')
    // 43 characters of base64url: 256 bits.
    expect(pair).toMatch(/^touchstone_session=[\w-]{43}$/)
    expect(new Set(attributes)).toEqual(new Set(['Path=/dashboard', 'HttpOnly', 'SameSite=Strict']))
    expect((await browser.request('/dashboard')).status).toBe(200)
  })

  test.each([
    ['https://dashboard.test/dashboard/sign-in', {}],
    [`${ORIGIN}/dashboard/sign-in`, { 'x-forwarded-proto': 'https' }],
  ])('over TLS sets a cookie for TLS only: %s %o', async (url, headers) => {
    const { app } = openDashboard()
    const response = await app.request(url, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams({ password: PASSWORD }),
    })
    expect(response.headers.get('set-cookie')).toMatch(/; Secure/)
  })

  test.each(['', 'wrong', `${PASSWORD} `, PASSWORD.toUpperCase()])('fails with %j', async (password) => {
    const browser = new TestBrowser(openDashboard().app)
    const response = await browser.signIn(password)
    expect(response.status).toBe(403)
    expect(browser.cookie).toBe('')
    expect(problemsOf(await response.text())).toEqual(['Password: this is not the operator’s password.'])
  })

  test('again starts another session and ends the earlier one', async () => {
    const { app, browser } = await openSignedIn()
    const { cookie } = browser
    await browser.signIn()
    expect(browser.cookie).not.toBe(cookie)
    const earlier = new TestBrowser(app)
    earlier.cookie = cookie
    expect(target(await earlier.request('/dashboard'))).toBe('/dashboard/sign-in')
  })

  test('is throttled per address after failures: 429 with Retry-After, also for the right password', async () => {
    const attempt = openByAddress({ signInLimits: throttledAfter(3) })
    for (const _ of [1, 2, 3]) expect((await attempt('guess', 'a')).status).toBe(403)
    const refused = await attempt(PASSWORD, 'a')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toSatisfy((s: number) => s > 0 && s <= 60)
    expect(problemsOf(await refused.text())[0]).toMatch(/Too many wrong passwords/)
    expect((await attempt(PASSWORD, 'b')).status).toBe(303)
  })
})

describe('a session', () => {
  test('expires without use, and the sign-in page says so', async () => {
    let time = 0
    const { app } = openDashboard({
      now: () => time,
      sessionLimits: { idleMs: 1000, lifetimeMs: 5000 },
    })
    const browser = await signedIn(app)
    time += 999
    expect((await browser.request('/dashboard')).status).toBe(200)
    time += 1000
    expect((await browser.request('/dashboard')).status).toBe(303)
    expect(await browser.page('/dashboard/sign-in')).toContain('Your session has ended.')
  })

  test('ends on the server at sign-out', async () => {
    const { browser } = await openSignedIn()
    const { cookie } = browser
    const form = hiddenFields(await browser.page('/dashboard'))
    const response = await browser.post('/dashboard/sign-out', form)
    expect(target(response)).toBe('/dashboard/sign-in')
    expect(response.headers.get('set-cookie')).toMatch(/^touchstone_session=; Max-Age=0; Path=\/dashboard/)
    browser.cookie = cookie
    expect((await browser.request('/dashboard')).status).toBe(303)
    expect((await browser.create()).status).toBe(303)
  })
})

describe('a forged request', () => {
  test('from another site is refused even with the token', async () => {
    const { app, keys } = openDashboard()
    const { key } = await keys.create({ name: 'stays', models: null, limit: null })
    const browser = await signedIn(app)
    const token = hiddenFields(await browser.page('/dashboard/keys/new'))
    const headers = { origin: 'http://evil.test' }
    for (const path of [...CHANGES, '/dashboard/sign-in']) {
      const form = { ...token, name: 'forged', access: 'all', password: PASSWORD }
      expect((await browser.post(path.replace('key_1', key.id), form, headers)).status).toBe(403)
    }
    expect(await keys.list()).toEqual([key])
    expect((await browser.request('/dashboard')).status).toBe(200)
  })

  test.each(CHANGES)('to %s without the token of its session is refused', async (path) => {
    const { app, keys } = openDashboard()
    const { key } = await keys.create({ name: 'stays', models: null, limit: null })
    const [browser, other] = [await signedIn(app), await signedIn(app)]
    const foreign = hiddenFields(await other.page('/dashboard'))[fields.csrf] ?? ''
    const own = hiddenFields(await browser.page('/dashboard'))[fields.csrf] ?? ''
    for (const csrf of ['', foreign, own.slice(1), `${own}A`, undefined]) {
      const form = { name: 'forged', access: 'all', ...(csrf !== undefined && { csrf }) }
      expect((await browser.post(path.replace('key_1', key.id), form)).status).toBe(403)
    }
    expect(await keys.list()).toEqual([key])
    expect((await browser.request('/dashboard')).status).toBe(200)
  })

  test('with another content type than a form is refused', async () => {
    const { keys, browser } = await openSignedIn()
    const { csrf = '' } = hiddenFields(await browser.page('/dashboard'))
    const response = await browser.request('/dashboard/keys', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: `csrf=${csrf}&name=forged&access=all`,
    })
    expect(response.status).toBe(403)
    expect(await keys.list()).toEqual([])
  })
})

describe('a program that accepts JSON', () => {
  const accept = { accept: 'application/json' }

  test('gets the token of its session, and problems with their status', async () => {
    const { app, keys } = openDashboard()
    const program = new TestBrowser(app)
    const post = async (path: string, form: Record<string, string>) => {
      const response = await program.post(`/dashboard${path}`, form, accept)
      return { status: response.status, body: await response.json() }
    }
    const problem = (status: number, text: RegExp) => ({
      status,
      body: { problems: [expect.stringMatching(text)] },
    })
    expect(await post('/keys', {})).toEqual(problem(401, /Sign in first/))
    expect(await post('/sign-in', { password: 'wrong' })).toEqual(problem(403, /^Password: /))
    const session = await post('/sign-in', { password: PASSWORD })
    expect(session).toEqual({ status: 200, body: { csrf: expect.stringMatching(/^[\w-]{43}$/) } })
    const csrf = String(Object(session.body).csrf)
    expect(await post('/keys', { name: 'forged', access: 'all' })).toEqual(problem(403, /out of date/))
    expect(await post('/keys', { csrf, form: 'key_1' })).toEqual(problem(403, /out of date/))
    const form = { csrf, form: `key_${'0'.repeat(24)}`, access: 'all' }
    expect(await post('/keys', form)).toEqual(problem(400, /^Name: /))
    expect(await post('/keys/key_1/delete', form)).toEqual(problem(404, /^Key: /))
    expect(await keys.list()).toEqual([])
    const made = await post('/keys', { ...form, name: 'made' })
    expect(made).toEqual({ status: 200, body: { id: form.form, secret: expect.stringMatching(/^svc_sk_/) } })
    expect(await post('/keys', { ...form, name: 'made' })).toEqual(problem(409, /shown once/))
    expect(await post('/sign-out', { csrf })).toEqual({ status: 200, body: {} })
    expect(await post('/keys', form)).toEqual(problem(401, /Sign in first/))
  })

  test('from another site is refused', async () => {
    const { app } = openDashboard()
    const headers = { ...accept, 'sec-fetch-site': 'cross-site' }
    const response = await new TestBrowser(app).post('/dashboard/sign-in', { password: PASSWORD }, headers)
    expect(response.status).toBe(403)
    expect(response.headers.getSetCookie()).toEqual([])
  })
})

describe('every answer', () => {
  /** One answer of each kind, with its status. */
  async function answers(): Promise<readonly (readonly [status: number, Response])[]> {
    const { app, keys } = openDashboard({ signInLimits: throttledAfter(1) })
    const stranger = new TestBrowser(app)
    const browser = await signedIn(app)
    const form = { ...hiddenFields(await browser.page('/dashboard/keys/new')), name: 'a key', access: 'all' }
    const again = () => browser.post('/dashboard/keys', form)
    const created = await again()
    const { key: other } = await keys.create({ name: 'another', models: null, limit: null })
    const { key } = await keys.create({ name: 'a key', models: ['other'], limit: null })
    return [
      [200, await stranger.request('/dashboard/sign-in')],
      [303, await stranger.request('/dashboard')],
      [403, await stranger.signIn('wrong')],
      [429, await stranger.signIn('wrong')],
      [413, await stranger.post('/dashboard/sign-in', { password: 'x'.repeat(MAX_FORM_BYTES) })],
      [404, await stranger.request('/dashboard/nothing-here')],
      [404, await stranger.request('/dashboard/keys', { method: 'DELETE' })],
      [200, created],
      [409, await again()],
      [200, await browser.request('/dashboard')],
      [303, await browser.request('/dashboard/keys')],
      [200, await browser.request('/dashboard/keys/new')],
      [200, await browser.request(`/dashboard/keys/${key.id}`)],
      [200, await browser.request(`/dashboard/rotation?old=${key.id}&new=${other.id}`)],
      [200, await browser.request('/dashboard/audit')],
      [200, await browser.request('/dashboard/password')],
      [403, await browser.post('/dashboard/password', hiddenFields(await browser.page('/dashboard')))],
      [200, await browser.request(`/dashboard/keys/${key.id}/revoke`)],
      [200, await browser.request(`/dashboard/keys/${key.id}/delete`)],
      [404, await browser.request('/dashboard/keys/key_1/revoke')],
      [400, await browser.create({ name: '' })],
      [403, await browser.post('/dashboard/keys', {})],
      [500, await failure()],
    ]
  }

  async function failure(): Promise<Response> {
    const { storage, errors, browser } = await openSignedIn()
    await storage.close()
    const response = await browser.request('/dashboard')
    expect(errors).toHaveLength(1)
    return response
  }

  test('forbids frames, caches, content sniffing and foreign scripts', async () => {
    for (const [status, response] of await answers()) {
      expect(response.status).toBe(status)
      const { headers } = response
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      )
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('access-control-allow-origin')).toBeNull()
      const page = await response.text()
      const scripts = page.match(/<script/g) ?? []
      expect(scripts).toHaveLength(page.includes('id="key-secret"') ? 1 : 0)
      expect(page).not.toMatch(/<link|<img|<iframe|\son\w+\s*=|\sstyle\s*=|\ssrc=|url\(|@import|javascript:/i)
      if (status >= 400) expect(problemsOf(page)).not.toEqual([])
    }
  })

  test('of a failure contains no details of it', async () => {
    const response = await failure()
    expect(await response.text()).not.toMatch(/sqlite|database|statement|\.ts\b|node:/i)
  })

  test('is a 413 for a body that is too large, also without a length', async () => {
    const { app } = openDashboard()
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`password=${'x'.repeat(MAX_FORM_BYTES)}`))
        controller.close()
      },
    })
    const response = await new TestBrowser(app).request('/dashboard/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      duplex: 'half',
    })
    expect(response.status).toBe(413)
  })
})
