// The dashboard in a real browser: the policy, the cookies, the origin of forms, the history, the keyboard, scripts and the
// layout, which only a browser enforces.
import { Hono } from 'hono'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { findings, useChromium } from '../../fixtures/chromium.fixture.ts'
import { docsRoutes } from '../docs/docs-routes.ts'
import { listen, openDashboard, PASSWORD } from './dashboard.fixture.ts'

/** These tests open many pages. */
const SLOW = { timeout: 180_000, tags: 'slow' }

describe('in a browser', { tags: 'chromium' }, () => {
  const openPage = useChromium({ backForwardCache: true })
  let dashboard: ReturnType<typeof openDashboard>
  let root: string
  let page: Page
  beforeEach(async () => {
    dashboard = openDashboard()
    const served = await listen(dashboard.app)
    root = served.root
    page = await openPage({ javaScriptEnabled: false })
    return served.close
  })

  /** Signs in with the keyboard. */
  async function signIn(): Promise<void> {
    await page.goto(`${root}/dashboard`)
    await page.getByLabel('Operator password').focus()
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  }

  test('thirty keys take two pages, and the buttons that end a key have the colour of danger in both themes', async () => {
    for (let number = 1; number <= 30; number += 1)
      await dashboard.keys.create({ name: `key ${number}`, models: null, limit: null })
    await signIn()
    expect(await page.locator('tbody tr').count()).toBe(15)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.getByText('Page 2 of 2').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(15)
    const colours = { light: 'rgb(168, 40, 30)', dark: 'rgb(255, 148, 136)' } as const
    for (const [colorScheme, colour] of Object.entries(colours)) {
      await page.emulateMedia({ colorScheme: colorScheme as keyof typeof colours })
      const revoke = page.getByRole('link', { name: /^Revoke/ }).first()
      expect(
        await revoke.evaluate((link) => link.ownerDocument.defaultView?.getComputedStyle(link).color),
      ).toBe(colour)
    }
  })

  /** Presses Tab until the element with this name has the focus. */
  async function tabTo(role: 'link' | 'button' | 'textbox' | 'radio' | 'checkbox', name: string) {
    const wanted = page.getByRole(role, { name, exact: true })
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab')
      if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    }
    throw new Error(`Tab never reaches the ${role} ${name}`)
  }

  async function follow(role: 'link' | 'button', name: string): Promise<void> {
    await tabTo(role, name)
    await page.keyboard.press('Enter')
  }

  test('a key is created, shown once, listed, revoked and deleted with the keyboard, until the sign-out (KEY-2, KEY-12)', async () => {
    const { keys } = dashboard
    await signIn()
    await page.getByText('No keys yet').waitFor()

    await follow('link', 'Create a key')
    await page.getByLabel('Name').waitFor()
    await page.keyboard.type('<b>checkout</b>')
    await tabTo('radio', 'Every model, now and later')
    await page.keyboard.press('ArrowDown')
    await tabTo('checkbox', 'svc-0.1-tiny')
    await page.keyboard.press('Space')
    for (const digit of ['5', '10', '2', '3000']) {
      if (digit === '5') await page.getByLabel('Requests', { exact: true }).focus()
      else await page.keyboard.press('Tab')
      await page.keyboard.type(digit)
    }
    await follow('button', 'Create the key')

    const secret = (await page.locator('#key-secret').innerText()).trim()
    const found = await keys.findActive(secret)
    expect(found).toMatchObject({
      name: '<b>checkout</b>',
      models: ['svc-0.1-tiny'],
      limit: { requests: 5, windowSeconds: 10 },
      concurrency: 2,
      tokensPerMinute: 3000,
    })
    expect(await page.getByRole('button', { name: 'Copy the secret' }).isVisible()).toBe(false)

    await page.reload()
    await page.getByRole('heading', { name: 'Shown once' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(await keys.list()).toHaveLength(1)

    await follow('link', 'Show the key')
    await page.getByRole('heading', { name: '<b>checkout</b>', exact: true }).waitFor()
    await follow('link', 'Back to the keys')
    await page.getByLabel('Search').fill(secret)
    await page.getByLabel('Order').selectOption('oldest')
    await follow('button', 'Show')
    await page.getByRole('rowheader', { name: '<b>checkout</b>' }).waitFor()
    expect(page.url()).toBe(`${root}/dashboard?q=${found?.lastFour}&order=oldest`)
    await follow('link', 'Revoke <b>checkout</b>')
    await page.getByRole('heading', { name: 'Revoke <b>checkout</b>?' }).waitFor()
    expect(await keys.findActive(secret)).toEqual(found)
    await follow('button', 'Revoke this key')
    await page.getByText('“<b>checkout</b>” is revoked').waitFor()
    expect(await keys.findActive(secret)).toBeUndefined()

    await page.goto(`${root}/dashboard?state=revoked`)
    await follow('link', 'Delete <b>checkout</b>')
    await page.getByRole('heading', { name: 'Delete <b>checkout</b>?' }).waitFor()
    await follow('button', 'Delete this key')
    await page.getByText('The key is deleted').waitFor()
    await page.getByText('No keys yet').waitFor()

    await follow('button', 'Sign out')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    expect(await page.content()).not.toContain('checkout')
    await page.goto(`${root}/dashboard`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test.each([true, false])(
    'a secret is copied, and going back does not show it, scripts: %s (KEY-2)',
    { tags: 'slow' },
    async (scripts) => {
      const permissions = ['clipboard-read', 'clipboard-write']
      page = await openPage({ javaScriptEnabled: scripts, permissions })
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await signIn()
      await page.goto(`${root}/dashboard/keys/new`)
      await page.getByLabel('Name').fill('a key')
      await page.getByRole('button', { name: 'Create the key' }).click()
      const secret = (await page.locator('#key-secret').innerText()).trim()
      if (scripts) {
        await page.getByRole('button', { name: 'Copy the secret' }).click()
        await page.getByText('Copied.').waitFor()
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
      }
      expect(complaints).toEqual([])

      await page.getByRole('link', { name: 'Done' }).click()
      await page.getByRole('rowheader', { name: 'a key' }).waitFor()
      expect(await page.content()).not.toContain(secret)
      // The browser may also refuse to show a posted page again.
      await page.goBack().catch(() => undefined)
      expect(await shown(page)).not.toContain(secret)
      await page.reload().catch(() => undefined)
      expect(await shown(page)).not.toContain(secret)
      expect(await dashboard.keys.list()).toHaveLength(1)
      await page.goto(`${root}/dashboard`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.goBack().catch(() => undefined)
      expect(await shown(page)).not.toContain('a key')
    },
  )

  test(
    'every page is accessible, fits any window, runs no name as a script and asks no other host',
    SLOW,
    async () => {
      // The policy would block axe, and also the scripts that a name could smuggle in.
      page = await openPage({ bypassCSP: true })
      const asked = new Set<string>()
      page.on('request', (request) => asked.add(new URL(request.url()).origin))
      page.on('dialog', (dialog) => {
        asked.add(`dialog ${dialog.message()}`)
        void dialog.dismiss()
      })
      const found: (readonly [page: string, what: string])[] = []
      async function look(name: string): Promise<void> {
        for (const width of [320, 390, 700, 1153, 1280]) {
          await page.setViewportSize({ width, height: 640 })
          const wide = await page
            .locator('html')
            .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
          if (wide !== 0) found.push([name, `${wide} pixels too wide at ${width}`])
        }
        for (const what of await findings(page)) found.push([name, what])
      }
      await page.goto(`${root}/dashboard/sign-in`)
      await look('sign in')
      await page.getByLabel('Operator password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await look('wrong password')
      await signIn()
      await look('no keys')

      const ids: string[] = []
      for (const name of [
        '<script>alert(1)</script>',
        '"><img src=//evil.test/x onerror=alert(2)>',
        '</title><svg onload=alert(3)>',
        'W'.repeat(200),
        '\u202Egnp.exe',
        '🔑'.repeat(100),
      ]) {
        const limit = { requests: 1_000_000, windowSeconds: 3600 }
        const wanted = {
          name,
          models: [name, 'm'.repeat(200)],
          limit,
          concurrency: 10_000,
          tokensPerMinute: 1e9,
        }
        const { key } = await dashboard.keys.create(wanted)
        ids.push(key.id)
        const [at, address] = [Date.now(), '2001:db8:1234:5678:9abc:def0:1234:5678']
        await dashboard.storage.audit.append({
          at,
          action: 'key-created',
          address,
          keyId: key.id,
          detail: name,
        })
        const minute = Math.floor(at / 60_000)
        await dashboard.storage.usage.add([{ keyId: key.id, minute, requests: 5, tokens: 9, lastUsedAt: at }])
      }
      await dashboard.keys.revoke(ids[2] ?? '')
      for (const path of pagesOf(ids)) {
        await page.goto(`${root}/dashboard${path}`)
        await look(path)
      }
      await page.goto(`${root}/dashboard/keys/new`)
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Create the key' }).click()
      await page.getByText('The key was not created').waitFor()
      await look('refused form')
      await page.getByLabel('Name').fill('a key')
      await page.getByRole('button', { name: 'Create the key' }).click()
      await page.locator('#key-secret').waitFor()
      await look('created')
      expect(found).toEqual([])
      expect([...asked]).toEqual([root])

      const docs = await listen(docsRoutes())
      await page.goto(`${docs.root}/docs`)
      expect(await findings(page)).toEqual([])
      docs.close()
    },
  )

  test('a page of another site can neither post a form nor show the dashboard in a frame', SLOW, async () => {
    await signIn()
    const { key } = await dashboard.keys.create({ name: 'stays', models: null, limit: null })
    const evil = await openForeignPage(`${root}/dashboard/keys/${key.id}/revoke`)
    await page.goto(evil.root)
    expect(await page.frameLocator('iframe').getByText('stays').count()).toBe(0)
    expect(await page.frames()[1]?.content()).not.toContain('Touchstone')
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await page.getByText('does not come from a page of this dashboard').waitFor()
    expect(await dashboard.keys.list()).toEqual([key])
    evil.close()
  })
})

/** The content of the page when navigation has ended. */
function shown(page: Page): Promise<string> {
  return vi.waitFor(() => page.content(), { timeout: 10_000 })
}

/** Every page of the dashboard, with three keys of which the third is revoked. */
function pagesOf([one = '', two = '', three = '']: readonly string[]): string[] {
  return [
    '',
    '?state=all&order=name',
    '?state=revoked',
    `?q=${encodeURIComponent('"><script>alert(4)</script>')}`,
    `?revoked=${three}`,
    '/keys/new',
    '/keys/key_none',
    `/keys/${one}`,
    `/keys/${three}`,
    `/keys/${one}/revoke`,
    `/keys/${one}/delete`,
    '/rotation',
    `/rotation?old=${one}&new=${two}&silence=1`,
    `/rotation?old=${one}&new=${three}`,
    '/audit',
    `/audit?key=${one}`,
    '/password',
  ]
}

/** A page of another site (`localhost`, not 127.0.0.1) with a form that posts to `action`, and a frame of it. */
async function openForeignPage(action: string): Promise<{ root: string; close(): void }> {
  const app = new Hono()
  app.get('/', (c) =>
    c.html(
      `<form method="post" action="${action}"><button>Win a prize</button></form><iframe src="${action}"></iframe>`,
    ),
  )
  const { root, close } = await listen(app)
  return { root: root.replace('127.0.0.1', 'localhost'), close }
}
