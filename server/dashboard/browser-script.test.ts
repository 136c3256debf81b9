// The pages in a browser with scripts: the one script copies and removes a secret, no other script runs, no other host is
// contacted, and axe finds nothing in light and dark.
import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { docsRoutes } from '../docs/routes.ts'
import { findings } from '../../fixtures/chromium.fixture.ts'
import { signIn, useBrowser } from './chromium.fixture.ts'
import { listen } from './dashboard.fixture.ts'

/** These tests open many pages. */
const SLOW = { timeout: 180_000 }

describe('in a browser with scripts', { tags: ['chromium', 'slow'] }, () => {
  const opened = useBrowser({ backForwardCache: true })
  const { openPage } = opened

  async function createKey(page: Page): Promise<string> {
    await page.goto(`${opened.root}/dashboard/keys/new`)
    await page.getByLabel('Name').fill('a key')
    await page.getByRole('button', { name: 'Create the key' }).click()
    return (await page.locator('#key-secret').innerText()).trim()
  }

  test('a button copies the secret, and the console shows no error', async () => {
    const page = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await signIn(page, opened.root)
    const secret = await createKey(page)
    await page.getByRole('button', { name: 'Copy the secret' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    expect(complaints).toEqual([])
  })

  test.each([true, false])('going back does not show the secret, scripts: %s (KEY-2)', async (scripts) => {
    const page = await openPage({ javaScriptEnabled: scripts })
    await signIn(page, opened.root)
    const secret = await createKey(page)
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByRole('rowheader', { name: 'a key' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    // The browser may also refuse to show a posted page again.
    await page.goBack().catch(() => undefined)
    expect(await shown(page)).not.toContain(secret)
    await page.reload().catch(() => undefined)
    expect(await shown(page)).not.toContain(secret)
    expect(await opened.dashboard.keys.list()).toHaveLength(1)
    await page.goto(`${opened.root}/dashboard`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goBack().catch(() => undefined)
    expect(await shown(page)).not.toContain('a key')
  })

  test('no name of a key runs as a script, and no page contacts another host', async () => {
    const page = await openPage()
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    page.on('dialog', (dialog) => {
      asked.add(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    const names = [
      '<script>alert(1)</script>',
      '"><img src=//evil.test/x onerror=alert(2)>',
      '</title><svg onload=alert(3)>',
    ]
    const ids = []
    for (const name of names)
      ids.push((await opened.dashboard.keys.create({ name, models: [name], limit: null })).key.id)
    await signIn(page, opened.root)
    for (const path of pagesOf(ids)) await page.goto(`${opened.root}/dashboard${path}`)
    await page.goto(`${opened.root}/dashboard?q=${encodeURIComponent(`"><script>alert(4)</script>`)}`)
    expect([...asked]).toEqual([opened.root])
  })

  test('axe finds nothing on /docs', async () => {
    const docs = await listen(docsRoutes())
    const page = await openPage({ bypassCSP: true })
    await page.goto(`${docs.root}/docs`)
    expect(await findings(page)).toEqual([])
    docs.close()
  })

  test('axe finds nothing', SLOW, async () => {
    // The policy would block axe.
    const page = await openPage({ bypassCSP: true })
    const found: [name: string, what: string][] = []
    const look = async (name: string) => {
      for (const what of await findings(page)) found.push([name, what])
    }
    await page.goto(`${opened.root}/dashboard/sign-in`)
    await look('sign in')
    await page.getByLabel('Operator password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await look('wrong password')
    await signIn(page, opened.root)
    await look('no keys')
    await createKey(page)
    await look('created')
    const [key] = await opened.dashboard.keys.list()
    const { key: other } = await opened.dashboard.keys.create({
      name: 'other',
      models: ['gone'],
      limit: { requests: 1, windowSeconds: 1 },
      concurrency: 3,
    })
    const { key: revoked } = await opened.dashboard.keys.create({
      name: 'revoked',
      models: null,
      limit: null,
    })
    await opened.dashboard.keys.revoke(revoked.id)
    const minute = Math.floor(Date.now() / 60_000)
    const lastUsedAt = Date.now()
    await opened.dashboard.storage.usage.add([
      { keyId: other.id, minute, requests: 5, tokens: 9, lastUsedAt },
    ])
    const ids = [other.id, key?.id ?? '', revoked.id]
    for (const path of [...pagesOf(ids), `?revoked=${revoked.id}`, '/keys/key_none', '?q=nothing']) {
      await page.goto(`${opened.root}/dashboard${path}`)
      await look(path)
    }
    await page.goto(`${opened.root}/dashboard/keys/new`)
    await page.getByLabel('Name').fill(' ')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('The key was not created').waitFor()
    await look('refused form')
    expect(found).toEqual([])
  })
})

/** The content of the page when navigation has ended. */
function shown(page: Page): Promise<string> {
  return vi.waitFor(() => page.content(), { timeout: 10_000 })
}

/** Every page of the dashboard, with three keys. */
function pagesOf([one = '', two = '', three = '']: readonly string[]): string[] {
  return [
    '',
    '?state=all&order=name',
    '?state=revoked',
    '/keys/new',
    `/keys/${one}`,
    `/keys/${three}`,
    `/keys/${one}/revoke`,
    `/keys/${one}/delete`,
    '/rotation',
    `/rotation?old=${one}&new=${two}&silence=1`,
    `/rotation?old=${two}&new=${one}&silence=1`,
    `/rotation?old=${one}&new=${three}`,
    '/audit',
    `/audit?key=${one}`,
    '/password',
  ]
}
