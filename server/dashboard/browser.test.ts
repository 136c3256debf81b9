// The life of a key in a real browser, with scripts switched off: what only a browser judges (the policy, the cookies,
// the origin of forms, the history) holds there.
import { existsSync } from 'node:fs'
import { Hono } from 'hono'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen, openDashboard, PASSWORD } from './dashboard.fixture.ts'

const CHROMIUM = '/usr/bin/chromium'
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const missing = !existsSync(CHROMIUM) && process.env['CI'] !== 'true'
if (missing) console.warn(`SKIPPED: the dashboard was not tried in a browser, since there is no ${CHROMIUM}`)

describe.skipIf(missing)('in a browser', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof listen>>
  let dashboard: ReturnType<typeof openDashboard>
  let context: BrowserContext
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    dashboard = openDashboard()
    server = await listen(dashboard.app)
    context = await browser.newContext({ javaScriptEnabled: false })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    complaints.length = 0
    page.on('console', (message) => complaints.push(message.text()))
  })
  afterEach(async () => {
    await context.close()
    server.close()
  })

  async function signIn(): Promise<void> {
    await page.goto(`${server.root}/dashboard`)
    await page.getByLabel('Operator password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  }

  test('a key is made, seen once, listed, revoked; and signing out is the end', async () => {
    const { keys } = dashboard
    await signIn()
    await page.getByText('No keys yet').waitFor()

    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('<b>checkout</b>')
    await page.getByLabel('Only some').check()
    await page.getByLabel('svc-0.1-tiny').check()
    await page.getByLabel('Requests').fill('5')
    await page.getByLabel('Seconds').fill('10')
    await page.getByRole('button', { name: 'Create the key' }).click()

    const secret = (await page.locator('#key-secret').innerText()).trim()
    const found = await keys.findActive(secret)
    expect(found).toMatchObject({
      name: '<b>checkout</b>',
      models: ['svc-0.1-tiny'],
      limit: { requests: 5, windowSeconds: 10 },
    })

    await page.reload()
    await page.getByRole('heading', { name: 'Shown once' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(await keys.list()).toHaveLength(1)

    await page.getByRole('link', { name: 'Back to the keys' }).click()
    await page.getByRole('cell', { name: '<b>checkout</b>', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Revoke <b>checkout</b>' }).click()
    expect(await keys.findActive(secret)).toEqual(found)
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“<b>checkout</b>” is revoked').waitFor()
    expect(await keys.findActive(secret)).toBeUndefined()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    expect(await page.content()).not.toContain('checkout')
    await page.goto(`${server.root}/dashboard`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('the style is let in by the policy, and nothing is refused', async () => {
    await signIn()
    await page.getByRole('link', { name: 'Create a key' }).click()
    const button = page.getByRole('button', { name: 'Create the key' })
    expect(await button.evaluate((element) => element.ownerDocument.styleSheets.length)).toBe(1)
    expect(complaints.filter((text) => /content security policy|refused/i.test(text))).toEqual([])
  })

  test('a narrow window shows every page without a scroll bar across', async () => {
    await dashboard.keys.create({ name: 'x'.repeat(80), models: ['m'.repeat(200)], limit: null })
    await page.setViewportSize({ width: 320, height: 640 })
    await signIn()
    for (const path of [
      '/dashboard',
      '/dashboard/keys/new',
      `/dashboard/keys/${(await dashboard.keys.list())[0]?.id}/revoke`,
    ]) {
      await page.goto(server.root + path)
      const wide = await page
        .locator('html')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      expect({ path, wide }).toEqual({ path, wide: 0 })
    }
  })

  test('a page of another site can neither post its own form nor show the dashboard in a frame', async () => {
    await signIn()
    const { key } = await dashboard.keys.create({ name: 'stays', models: null, limit: null })
    const evil = await openDashboardOfSomebodyElse(`${server.root}/dashboard/keys/${key.id}/revoke`)
    await page.goto(evil.root)
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await page.getByText('does not come from a page of this dashboard').waitFor()
    expect(await dashboard.keys.list()).toEqual([key])
    evil.close()
  })
})

/** A page on another host (`localhost` is another site than 127.0.0.1) with a form for `action`. */
async function openDashboardOfSomebodyElse(action: string): Promise<{ root: string; close(): void }> {
  const app = new Hono()
  app.get('/', (c) => c.html(`<form method="post" action="${action}"><button>Win a prize</button></form>`))
  const { root, close } = await listen(app)
  return { root: root.replace('127.0.0.1', 'localhost'), close }
}
