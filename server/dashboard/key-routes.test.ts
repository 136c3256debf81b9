import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { isKeyForm } from '../../spec/key.ts'
import { curlLine } from './create-pages.ts'
import { openDashboard, SERVED, signedIn, target } from './dashboard.fixture.ts'
import { fields, pageElements } from './page-elements.ts'
import { attributeTexts, elementText, hiddenFields } from './read-page.ts'

describe('making a key', () => {
  test('shows its secret on the page behind the form, and that secret works (KEY-1)', async () => {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    const page = await browser.page(target(await browser.create({ name: 'checkout' })))
    const secret = elementText(page, pageElements.keySecret) ?? ''
    expect(isKeyForm(secret)).toBe(true)
    expect(await keys.findActive(secret)).toMatchObject({
      id: elementText(page, pageElements.keyId),
      name: 'checkout',
      models: null,
      limit: null,
    })
  })

  test('shows its secret once: neither again, nor to another session, nor in any other page (KEY-2)', async () => {
    const { app, keys } = openDashboard()
    const [browser, other] = [await signedIn(app), await signedIn(app)]
    const path = target(await browser.create())
    expect((await other.request(path)).status).toBe(410)
    const secret = elementText(await browser.page(path), pageElements.keySecret) ?? ''
    expect(secret).toMatch(/^svc_sk_/)
    const [key] = await keys.list()
    for (const later of [path, path, '/dashboard', '/dashboard/keys/new', `${path}/revoke`]) {
      const page = await browser.page(later)
      expect(page).not.toContain(secret.slice('svc_sk_'.length))
      expect(page.includes(secret.slice(-4))).toBe(later === '/dashboard' || later.endsWith('/revoke'))
    }
    expect((await browser.request(path)).status).toBe(410)
    expect(await keys.list()).toEqual([key])
  })

  test('does not use the secret up on a HEAD request', async () => {
    const { app } = openDashboard()
    const browser = await signedIn(app)
    const path = target(await browser.create())
    await browser.request(path, { method: 'HEAD' })
    expect(elementText(await browser.page(path), pageElements.keySecret)).toMatch(/^svc_sk_/)
  })

  test('makes one key of a form that is posted twice, at once or again', async () => {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    const form = {
      ...hiddenFields(await browser.page('/dashboard/keys/new')),
      [fields.name]: 'clicked twice',
      [fields.access]: 'all',
    }
    const answers = await Promise.all([
      browser.post('/dashboard/keys', form),
      browser.post('/dashboard/keys', form),
    ])
    answers.push(await browser.post('/dashboard/keys', form))
    expect(new Set(answers.map(target)).size).toBe(1)
    expect(await keys.list()).toHaveLength(1)
    await browser.create()
    expect(await keys.list()).toHaveLength(2)
  })

  test('can be tried again with the same form after a failure', async () => {
    const { app, keys, errors } = openDashboard()
    const browser = await signedIn(app)
    const form = {
      ...hiddenFields(await browser.page('/dashboard/keys/new')),
      [fields.name]: 'second time lucky',
      [fields.access]: 'all',
    }
    const { create } = keys
    keys.create = () => Promise.reject(new Error('disk full'))
    expect((await browser.post('/dashboard/keys', form)).status).toBe(500)
    expect(errors).toEqual([new Error('disk full')])
    keys.create = create
    expect((await browser.post('/dashboard/keys', form)).status).toBe(303)
    expect(await keys.list()).toHaveLength(1)
  })

  test('takes ticked and typed models, once each, and a limit', async () => {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    const form = new URLSearchParams({
      ...hiddenFields(await browser.page('/dashboard/keys/new')),
      [fields.name]: '  narrow  ',
      [fields.access]: 'some',
      [fields.moreModels]: ' svc-9-huge, svc-0.1-echo ,,',
      [fields.limitRequests]: '3',
      [fields.limitSeconds]: '2',
    })
    for (const id of SERVED) form.append(fields.model, id)
    const page = await browser.page(target(await browser.post('/dashboard/keys', form)))
    expect(await keys.list()).toMatchObject([
      { name: 'narrow', models: [...SERVED, 'svc-9-huge'], limit: { requests: 3, windowSeconds: 2 } },
    ])
    expect(page).toMatch(/Not served at present:\s*<bdi class="mono">svc-9-huge<\/bdi>\./)
  })

  test('says of served models nothing about serving', async () => {
    const { app } = openDashboard()
    const browser = await signedIn(app)
    const created = await browser.create({
      [fields.access]: 'some',
      [fields.moreModels]: SERVED.join(','),
    })
    expect(await browser.page(target(created))).not.toContain('Not served')
  })

  test('names each field that is wrong, keeps what was typed, and makes no key', async () => {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    const response = await browser.create({
      [fields.name]: '',
      [fields.access]: 'some',
      [fields.limitRequests]: '12',
    })
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(attributeTexts(page, pageElements.problem)).toEqual([
      expect.stringMatching(/^Name: /),
      expect.stringMatching(/^Models: /),
      expect.stringMatching(/^Limit: /),
    ])
    expect(page).toContain('value="12"')
    expect(await keys.list()).toEqual([])
  })
})

describe('revoking a key', () => {
  test('asks first, then acts at once, for good', async () => {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    const { key, secret } = await keys.create({ name: 'old', models: null, limit: null })
    const path = `/dashboard/keys/${key.id}/revoke`
    const question = await browser.page(path)
    expect(question).toContain('Revoke this key')
    expect(await keys.findActive(secret)).toEqual(key)

    expect(target(await browser.post(path, hiddenFields(question)))).toBe('/dashboard')
    expect(await keys.findActive(secret)).toBeUndefined()
    expect(await browser.page('/dashboard')).toContain('“old” is revoked')
    expect(await browser.page('/dashboard')).not.toContain('“old” is revoked')
    expect(target(await browser.request(path))).toBe('/dashboard')
    expect(await browser.page('/dashboard')).toContain('“old” was revoked before')
  })

  test('of an unknown id says so', async () => {
    const { app } = openDashboard()
    const browser = await signedIn(app)
    const form = hiddenFields(await browser.page('/dashboard'))
    const response = await browser.post('/dashboard/keys/key_unknown/revoke', form)
    expect(response.status).toBe(404)
    expect(attributeTexts(await response.text(), pageElements.problem)).toEqual([
      'Key: there is none with this id.',
    ])
  })
})

describe('the list', () => {
  test('shows of each key what tells it apart, and never its secret', async () => {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    expect(await browser.page('/dashboard')).toContain('No keys yet')
    const { key, secret } = await keys.create({
      name: 'batch',
      models: ['svc-0.1-echo', 'gone'],
      limit: { requests: 7, windowSeconds: 30 },
    })
    const page = await browser.page('/dashboard')
    const time = key.createdAt.toISOString()
    for (const text of ['batch', `svc_sk_…${key.lastFour}`, 'active', 'svc-0.1-echo', '7 per 30 s', time])
      expect(page).toContain(text)
    expect(page.replace(/\s+/g, ' ')).toContain(
      '<bdi class="mono">gone</bdi> <span class="quiet">(not served now)',
    )
    expect(page).not.toContain(secret.slice(0, 15))
  })
})

test('the curl line is one command for a shell, whatever the model is called', () => {
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
