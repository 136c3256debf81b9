// The pages about the operator (password and audit log), and the rotation page.
import { describe, expect, test } from 'vitest'
import { passwordInMemory } from '../keys/password-file.ts'
import { clientAddressOf, readTrustedProxies } from '../addresses/client-address.ts'
import {
  openDashboard,
  PASSWORD,
  target,
  TestBrowser,
  problemsOf,
  hiddenFields,
  openSignedIn,
} from './dashboard.fixture.ts'
import { fields } from './form-fields.ts'
import type { DashboardOptions } from './routes/dashboard.ts'
import { loadOperatorPassword } from './session/operator-password.ts'
import { DEFAULT_SIGN_IN_LIMITS } from './session/sign-in-throttle.ts'

const NEXT = 'a new password 🔑'

/** A dashboard with a changeable password, and a signed-in browser. */
async function openChangeable(options: Partial<DashboardOptions> = {}) {
  const password = await loadOperatorPassword({
    record: passwordInMemory(),
    configured: undefined,
    cost: 1024,
  })
  const generated = (await password.makeFirst()) ?? ''
  const dashboard = openDashboard({ password, ...options })
  const browser = new TestBrowser(dashboard.app)
  await browser.signIn(generated)
  async function change(current: string, next = NEXT, repeated = next) {
    return browser.post('/dashboard/password', {
      ...hiddenFields(await browser.page('/dashboard/password')),
      [fields.password]: current,
      [fields.newPassword]: next,
      [fields.repeated]: repeated,
    })
  }
  return { ...dashboard, password, browser, change, generated }
}

describe('changing the password', () => {
  test('ends every other session, renews the session id, and accepts the new password only', async () => {
    const { app, browser, change, generated, storage } = await openChangeable()
    const other = new TestBrowser(app)
    await other.signIn(generated)
    const stolen = new TestBrowser(app)
    stolen.cookie = browser.cookie
    const answer = await change(generated)
    expect([answer.status, target(answer)]).toEqual([303, '/dashboard/password?changed'])
    expect(await browser.page(target(answer))).toContain('The password is changed.')
    for (const ended of [other, stolen])
      expect(target(await ended.request('/dashboard'))).toBe('/dashboard/sign-in')
    expect((await new TestBrowser(app).signIn(generated)).status).toBe(403)
    expect((await new TestBrowser(app).signIn(NEXT)).status).toBe(303)
    expect(await storage.audit.list({ limit: 9 })).toMatchObject([
      { action: 'sign-in' },
      { action: 'sign-in-refused' },
      { action: 'password-changed' },
      { action: 'sign-in' },
      { action: 'sign-in' },
    ])
  })

  test.each([
    [403, /^Password: this is not/, 'not the password', NEXT, NEXT],
    [400, /^New password: 12 to 200 characters/, '', 'x'.repeat(11), 'x'.repeat(11)],
    [400, /^New password: 12 to 200 characters/, '', 'x'.repeat(201), 'x'.repeat(201)],
    [400, /^New password: the two values differ/, '', NEXT, `${NEXT} `],
  ])('is refused with %i %s', async (status, problem, current, next, repeated) => {
    const { app, change, generated } = await openChangeable()
    const answer = await change(current || generated, next, repeated)
    expect(answer.status).toBe(status)
    const page = await answer.text()
    expect(problemsOf(page)).toEqual([expect.stringMatching(problem)])
    expect(page).not.toContain(next)
    expect((await new TestBrowser(app).signIn(generated)).status).toBe(303)
  })

  test('is throttled like the sign-in', async () => {
    const signInLimits = { ...DEFAULT_SIGN_IN_LIMITS, failuresPerAddress: 1, pauseMs: 0 }
    const { change } = await openChangeable({ signInLimits })
    expect((await change('guess')).status).toBe(403)
    const answer = await change('guess')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
  })

  test('is not offered if the environment sets the password', async () => {
    const { browser } = await openSignedIn()
    const page = await browser.page('/dashboard/password')
    expect(page).toContain('DASHBOARD_PASSWORD')
    expect(page).not.toContain('type="password"')
    const form = {
      ...hiddenFields(page),
      [fields.password]: PASSWORD,
      [fields.newPassword]: NEXT,
      [fields.repeated]: NEXT,
    }
    const answer = await browser.post('/dashboard/password', form)
    expect(answer.status).toBe(403)
    expect(problemsOf(await answer.text())[0]).toContain('DASHBOARD_PASSWORD')
  })
})

describe('the audit log', () => {
  test('lists actions with time, key and address, newest first', async () => {
    let time = Date.UTC(2026, 0, 1)
    const { app, keys, storage } = openDashboard({
      now: () => (time += 1000),
      clientAddress: clientAddressOf(readTrustedProxies('127.0.0.1')),
    })
    const browser = new TestBrowser(app)
    await browser.signIn('wrong')
    await browser.signIn()
    await browser.create({ name: 'audited' })
    const [key] = await keys.list()
    const path = `/dashboard/keys/${key?.id}/revoke`
    const form = hiddenFields(await browser.page(path))
    await browser.post(path, form)
    const page = await browser.page('/dashboard/audit')
    const of = await browser.page(`/dashboard/audit?key=${key?.id}`)
    await browser.post('/dashboard/sign-out', form)

    const entries = await storage.audit.list({ limit: 10 })
    expect(entries.map(({ action, keyId, detail, address }) => ({ action, keyId, detail, address }))).toEqual(
      (['sign-out', 'key-revoked', 'key-created', 'sign-in', 'sign-in-refused'] as const).map((action) => ({
        action,
        keyId: action.startsWith('key') ? key?.id : null,
        detail: action.startsWith('key') ? 'audited' : '',
        address: 'unknown',
      })),
    )
    expect(entries.map(({ at }) => at)).toEqual(
      entries.map(({ at }) => at).toSorted((one, other) => other - one),
    )
    const said = ['Revoked a key', 'Created a key', 'Signed in', 'Sign-in refused']
    const places = said.map((words) => page.indexOf(`>${words}<`))
    expect(places.every((place) => place > 0)).toBe(true)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(page).toContain('2026-01-01')
    expect(of).toContain('>Revoked a key<')
    expect(of).not.toContain('>Signed in<')
  })

  test('shows the newest entries, and more on request', async () => {
    const { storage, browser } = await openSignedIn()
    for (let at = 0; at < 150; at += 1)
      await storage.audit.append({ at, action: 'sign-out', address: `host-${at}-`, keyId: null, detail: '' })
    const page = await browser.page('/dashboard/audit')
    expect([page.includes('host-50-'), page.includes('host-49-')]).toEqual([true, false])
    const [, older = ''] = /href="([^"]*show=[^"]*)"/.exec(page) ?? []
    expect(await browser.page(older)).toContain('host-0-')
  })
})

test('the rotation reports invalid keys, and reloads only while it shows two keys', async () => {
  const { keys, browser } = await openSignedIn()
  expect(await browser.page('/dashboard/rotation')).toContain('No active key')
  const { key: old } = await keys.create({ name: 'old', models: null, limit: null })
  expect(await browser.page('/dashboard/rotation')).toContain('Only one active key')
  const { key: fresh } = await keys.create({ name: 'fresh', models: null, limit: null })
  const at = (query: string) => browser.request(`/dashboard/rotation?${query}`)
  for (const [query, problem] of [
    [`old=${old.id}&new=${old.id}`, 'Choose two different keys.'],
    [`old=${old.id}&new=key_none`, 'Key: no key has this id.'],
  ] as const) {
    const answer = await at(query)
    expect(answer.headers.get('refresh')).toBeNull()
    expect(await answer.text()).toContain(problem)
  }
  const both = `old=${old.id}&new=${fresh.id}`
  expect((await at(`${both}&refresh=60`)).headers.get('refresh')).toBe('60')
  expect((await at(`${both}&refresh=0`)).headers.get('refresh')).toBeNull()
  await keys.revoke(old.id)
  expect(await (await at(both)).text()).toContain('The old key is revoked')
})
