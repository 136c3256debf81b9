import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { isKeyForm } from '../../../spec/protocol/key.ts'
import { curlLine } from '../pages/created-page.ts'
import {
  openDashboard,
  openSignedIn,
  SERVED,
  signedIn,
  target,
  TestBrowser,
  problemsOf,
  elementText,
  hiddenFields,
} from '../dashboard.fixture.ts'
import { fields } from '../form-fields.ts'

/** The text of a page, and the text alternatives of its charts. */
function plain(page: string): string {
  return page
    .replace(/<svg[^>]*aria-label="([^"]*)"[^]*?<\/svg>/g, '$1')
    .replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/“ | ”/g, (quote) => quote.trim())
}

/** The fields of a new form, with the required values. */
async function filledForm(browser: TestBrowser, name = 'a key') {
  const hidden = hiddenFields(await browser.page('/dashboard/keys/new'))
  return { ...hidden, [fields.name]: name, [fields.access]: 'all' }
}

const secretOf = (page: string) => elementText(page, 'key-secret') ?? ''

describe('creating a key', () => {
  test('shows a working secret in the answer to the form (KEY-1)', async () => {
    const { keys, browser } = await openSignedIn()
    const page = await (await browser.create({ name: 'checkout' })).text()
    expect(isKeyForm(secretOf(page))).toBe(true)
    expect(await keys.findActive(secretOf(page))).toMatchObject({
      id: elementText(page, 'key-id'),
      name: 'checkout',
      models: null,
      limit: null,
      concurrency: null,
      tokensPerMinute: null,
    })
  })

  test('shows its secret once: on no other page and not when the form is sent again (KEY-2)', async () => {
    const { keys, storage, browser } = await openSignedIn()
    const form = await filledForm(browser)
    const secret = secretOf(await (await browser.post('/dashboard/keys', form)).text())
    expect(secret).toMatch(/^svc_sk_/)
    const [key] = await keys.list()
    const path = `/dashboard/keys/${key?.id}`
    const pages = [path, '/dashboard', '/dashboard/keys/new', `${path}/revoke`, '/dashboard/audit']
    for (const later of pages)
      expect(await browser.page(later)).not.toContain(secret.slice('svc_sk_'.length, -4))
    const again = await browser.post('/dashboard/keys', form)
    expect(again.status).toBe(409)
    expect(await again.text()).not.toContain(secret.slice('svc_sk_'.length, -4))
    expect(await keys.list()).toEqual([key])
    expect(JSON.stringify(await storage.audit.list({ limit: 100 }))).not.toContain(secret.slice(-4))
  })

  test('creates one key and shows one secret if a form is sent several times at once, to any instance', async () => {
    const { app, keys, storage } = openDashboard()
    const { app: elsewhere } = openDashboard({ storage })
    const browser = await signedIn(app)
    const other = new TestBrowser(elsewhere)
    other.cookie = browser.cookie
    const form = await filledForm(browser, 'clicked twice')
    const answers = await Promise.all(
      [browser, other, browser, other].map((instance) => instance.post('/dashboard/keys', form)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    expect(await keys.list()).toHaveLength(1)
    await browser.create()
    expect(await keys.list()).toHaveLength(2)
  })

  test('can be retried with the same form after a failure', async () => {
    const { keys, errors, browser } = await openSignedIn()
    const form = await filledForm(browser, 'second time lucky')
    const { createOnce } = keys
    keys.createOnce = () => Promise.reject(new Error('disk full'))
    expect((await browser.post('/dashboard/keys', form)).status).toBe(500)
    expect(errors).toEqual([new Error('disk full')])
    keys.createOnce = createOnce
    expect((await browser.post('/dashboard/keys', form)).status).toBe(200)
    expect(await keys.list()).toHaveLength(1)
  })

  test('shows the secret also if the audit log cannot be written', async () => {
    const { storage, errors, browser } = await openSignedIn()
    storage.audit.append = () => Promise.reject(new Error('disk full'))
    expect(secretOf(await (await browser.create()).text())).toMatch(/^svc_sk_/)
    expect(errors).toEqual([new Error('disk full')])
  })

  test.each(['', 'key_', 'key_1', `key_${'A'.repeat(24)}`, 'x'.repeat(1000)])(
    'is refused to a form with the id %j',
    async (id) => {
      const { keys, browser } = await openSignedIn()
      const form = { ...(await filledForm(browser)), [fields.form]: id }
      expect((await browser.post('/dashboard/keys', form)).status).toBe(403)
      expect(await keys.list()).toEqual([])
    },
  )

  test('accepts selected and typed models, once each, and limits', async () => {
    const { keys, browser } = await openSignedIn()
    const form = new URLSearchParams({
      ...hiddenFields(await browser.page('/dashboard/keys/new')),
      [fields.name]: '  narrow  ',
      [fields.access]: 'some',
      [fields.moreModels]: ' svc-9-huge, svc-0.1-echo ,,',
      [fields.limitRequests]: '3',
      [fields.limitSeconds]: '2',
      [fields.concurrency]: '4',
      [fields.tokensPerMinute]: '5000',
    })
    for (const id of SERVED) form.append(fields.model, id)
    const page = await (await browser.post('/dashboard/keys', form)).text()
    expect(await keys.list()).toMatchObject([
      {
        name: 'narrow',
        models: [...SERVED, 'svc-9-huge'],
        limit: { requests: 3, windowSeconds: 2 },
        concurrency: 4,
        tokensPerMinute: 5000,
      },
    ])
    expect(page).toMatch(/Not served at present:\s*<bdi class="mono">svc-9-huge<\/bdi>\./)
  })

  test('mentions only models that are not served', async () => {
    const { browser } = await openSignedIn()
    const created = await browser.create({
      [fields.access]: 'some',
      [fields.moreModels]: SERVED.join(','),
    })
    expect(await created.text()).not.toContain('Not served')
  })

  test('names each invalid field, keeps the input, and creates no key', async () => {
    const { keys, browser } = await openSignedIn()
    const response = await browser.create({
      [fields.name]: '',
      [fields.access]: 'some',
      [fields.limitRequests]: '12',
    })
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(problemsOf(page)).toEqual([
      expect.stringMatching(/^Name: /),
      expect.stringMatching(/^Models: /),
      expect.stringMatching(/^Limit: /),
    ])
    expect(page).toContain('value="12"')
    expect(await keys.list()).toEqual([])
  })
})

describe('revoking a key', () => {
  test('asks for confirmation, then acts at once and for good', async () => {
    const { keys, storage, browser } = await openSignedIn()
    const { key, secret } = await keys.create({ name: 'old', models: null, limit: null })
    const path = `/dashboard/keys/${key.id}/revoke`
    const question = await browser.page(path)
    expect(question).toContain('Revoke this key')
    expect(await keys.findActive(secret)).toEqual(key)

    const done = await browser.post(path, hiddenFields(question))
    expect(target(done)).toBe(`/dashboard?revoked=${key.id}`)
    expect(await keys.findActive(secret)).toBeUndefined()
    expect(plain(await browser.page(target(done)))).toContain('“old” is revoked')
    expect(plain(await browser.page('/dashboard'))).not.toContain('“old” is revoked')
    expect(target(await browser.request(path))).toBe(`/dashboard/keys/${key.id}`)
    // Repeating it changes nothing and adds no audit entry.
    await browser.post(path, hiddenFields(question))
    expect(await storage.audit.list({ limit: 10, keyId: key.id })).toMatchObject([{ action: 'key-revoked' }])
  })

  test('shows the recent use of the key (KEY-8)', async () => {
    const now = Date.UTC(2026, 10, 21, 12, 30, 20)
    const { keys, storage, browser } = await openSignedIn({ now: () => now })
    const { key } = await keys.create({ name: 'busy', models: null, limit: null })
    const { key: idle } = await keys.create({ name: 'idle', models: null, limit: null })
    const used = (minutesAgo: number, requests: number) => {
      const minute = Math.floor(now / 60_000) - minutesAgo
      return { keyId: key.id, minute, requests, tokens: 0, lastUsedAt: minute * 60_000 }
    }
    await storage.usage.add([used(0, 1), used(4, 2), used(5, 4), used(14, 8), used(15, 16), used(59, 32)])
    const page = plain(await browser.page(`/dashboard/keys/${key.id}/revoke`))
    expect(page).toContain('This key is in use: 15 requests in the last 15 minutes')
    expect(page).toMatch(
      /Last used 20 seconds ago Last 5 minutes 3 requests Last 15 minutes 15 requests Last hour 63 requests/,
    )
    expect(plain(await browser.page(`/dashboard/keys/${idle.id}/revoke`))).toMatch(
      /No request in the last 15 minutes.+Last used never/,
    )
  })

  test('is reported only for a revoked key', async () => {
    const { keys, browser } = await openSignedIn()
    const { key } = await keys.create({ name: 'stays', models: null, limit: null })
    for (const id of [key.id, 'key_1', '<b>'])
      expect(await browser.page(`/dashboard?revoked=${encodeURIComponent(id)}`)).not.toContain('is revoked')
  })

  test('of an unknown id is a 404', async () => {
    const { browser } = await openSignedIn()
    const form = hiddenFields(await browser.page('/dashboard'))
    const response = await browser.post('/dashboard/keys/key_unknown/revoke', form)
    expect(response.status).toBe(404)
    expect(problemsOf(await response.text())).toEqual(['Key: no key has this id.'])
  })
})

describe('deleting a key', () => {
  test('asks for confirmation, then refuses the key and removes it from the list (KEY-12)', async () => {
    const { keys, storage, browser } = await openSignedIn()
    const { key, secret } = await keys.create({ name: 'old', models: null, limit: null })
    const path = `/dashboard/keys/${key.id}/delete`
    const question = await browser.page(path)
    expect(question).toContain('Delete this key')
    expect(await keys.findActive(secret)).toEqual(key)

    const done = await browser.post(path, hiddenFields(question))
    expect(target(done)).toBe('/dashboard?deleted')
    expect(plain(await browser.page(target(done)))).toContain('The key is deleted')
    expect(await keys.findActive(secret)).toBeUndefined()
    expect(await keys.list()).toEqual([])
    for (const gone of ['', '/revoke', '/delete'])
      expect((await browser.request(`/dashboard/keys/${key.id}${gone}`)).status).toBe(404)
    expect((await browser.post(path, hiddenFields(question))).status).toBe(404)
    const rotation = await browser.page(`/dashboard/rotation?old=${key.id}`)
    expect(rotation).toContain('Key: no key has this id.')
    expect(await storage.audit.list({ limit: 10, keyId: key.id })).toMatchObject([
      { action: 'key-deleted', detail: 'old' },
    ])
    expect(plain(await browser.page('/dashboard/audit'))).toContain('Deleted a key old')
  })

  test('is offered for revoked keys too, and the form of a deleted key creates no second key', async () => {
    const { keys, browser } = await openSignedIn()
    const form = await filledForm(browser)
    await browser.post('/dashboard/keys', form)
    const [key] = await keys.list()
    const id = key?.id ?? ''
    await keys.revoke(id)
    const path = `/dashboard/keys/${id}/delete`
    expect(await browser.page('/dashboard?state=revoked')).toContain(`href="${path}"`)
    const question = await browser.page(path)
    expect(plain(question)).toContain('This key is already revoked')
    await browser.post(path, hiddenFields(question))
    expect((await browser.post('/dashboard/keys', form)).status).toBe(409)
    expect(await keys.list()).toEqual([])
  })
})

test('the list identifies each key without its secret', async () => {
  const { keys, browser } = await openSignedIn()
  expect(await browser.page('/dashboard')).toContain('No keys yet')
  const { key, secret } = await keys.create({
    name: 'batch',
    models: ['svc-0.1-echo', 'gone'],
    limit: { requests: 7, windowSeconds: 30 },
  })
  const page = await browser.page('/dashboard')
  const time = key.createdAt.toISOString()
  for (const text of ['batch', `svc_sk_…${key.lastFour}`, 'active', 'svc-0.1-echo', time])
    expect(page).toContain(text)
  expect(plain(page)).toContain('gone (not served now)')
  expect(plain(page)).toContain('7 per 30 s')
  expect(plain(page)).toContain('no request in 24 hours')
  expect(page).not.toContain(secret.slice(0, 15))
})

test('the curl line is one shell command, whatever the name of the model', () => {
  const model = `it's "$HOME" \`id\` \\ ; touch /nowhere`
  const line = curlLine('http://127.0.0.1:8080', model)
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${line}\n`
  const words = execFileSync('sh', ['-c', script], {
    env: { SVC_API_KEY: 'svc_sk_secret' },
    encoding: 'utf8',
  })
  expect(words.split('\0')).toEqual([
    'http://127.0.0.1:8080/v1/chat/completions',
    '-H',
    'Authorization: Bearer svc_sk_secret',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    '',
  ])
})
