// The life of a key in a real browser without scripts: the policy, the cookies, the origin of forms, the history and the
// keyboard, which only a browser enforces.
import { Hono } from 'hono'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { signIn, useBrowser } from './chromium.fixture.ts'
import { listen } from './dashboard.fixture.ts'

/** These tests open many pages. */
const SLOW = { timeout: 120_000, tags: 'slow' }

describe('in a browser', { tags: 'chromium' }, () => {
  const opened = useBrowser()
  let page: Page
  beforeEach(async () => {
    page = await opened.openPage({ javaScriptEnabled: false })
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
    const { keys } = opened.dashboard
    await signIn(page, opened.root)
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
    await page.getByRole('rowheader', { name: '<b>checkout</b>' }).waitFor()
    await follow('link', 'Revoke <b>checkout</b>')
    await page.getByRole('heading', { name: 'Revoke <b>checkout</b>?' }).waitFor()
    expect(await keys.findActive(secret)).toEqual(found)
    await follow('button', 'Revoke this key')
    await page.getByText('“<b>checkout</b>” is revoked').waitFor()
    expect(await keys.findActive(secret)).toBeUndefined()

    await page.goto(`${opened.root}/dashboard?state=revoked`)
    await follow('link', 'Delete <b>checkout</b>')
    await page.getByRole('heading', { name: 'Delete <b>checkout</b>?' }).waitFor()
    await follow('button', 'Delete this key')
    await page.getByText('The key is deleted').waitFor()
    await page.getByText('No keys yet').waitFor()

    await follow('button', 'Sign out')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    expect(await page.content()).not.toContain('checkout')
    await page.goto(`${opened.root}/dashboard`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('a search keeps its state and order, and removes a secret from the address', async () => {
    const { keys } = opened.dashboard
    const { secret, key } = await keys.create({ name: 'wanted', models: null, limit: null })
    await keys.create({ name: 'other', models: null, limit: null })
    await signIn(page, opened.root)
    await page.getByLabel('Search').fill(secret)
    await page.getByLabel('State').selectOption('all')
    await page.getByLabel('Order').selectOption('oldest')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('rowheader', { name: 'wanted' }).waitFor()
    expect(await page.getByRole('rowheader').count()).toBe(1)
    expect(page.url()).toBe(`${opened.root}/dashboard?q=${key.lastFour}&state=all&order=oldest`)
    expect(await page.getByRole('columnheader', { name: 'Created' }).getAttribute('aria-sort')).toBe(
      'ascending',
    )
  })

  test('a rotation page reloads itself and leads to revoking the old key (KEY-8)', SLOW, async () => {
    const { keys, storage } = opened.dashboard
    const { key: old } = await keys.create({ name: 'old', models: null, limit: null })
    const { key: fresh } = await keys.create({ name: 'fresh', models: null, limit: null })
    const use = async (keyId: string, minutesAgo: number, requests: number) => {
      const at = Date.now() - minutesAgo * 60_000
      const minute = Math.floor(at / 60_000)
      await storage.usage.add([{ keyId, minute, requests, tokens: 0, lastUsedAt: at }])
    }
    await use(old.id, 10, 7)
    const intervals: (string | undefined)[] = []
    // The browser gets a shorter interval than the server sent, so that the test need not wait for it.
    await page.route(/refresh=10/, async (route) => {
      const response = await route.fetch()
      intervals.push(response.headers()['refresh'])
      await route.fulfill({ response, headers: { ...response.headers(), refresh: '1' } })
    })
    await signIn(page, opened.root)
    await page.getByRole('link', { name: 'Rotation' }).click()
    await page.getByLabel('Old key').selectOption(old.id)
    await page.getByLabel('New key').selectOption(fresh.id)
    await page.getByLabel('Safe after').selectOption('5 minutes')
    await page.getByLabel('Reload').selectOption('every 10 seconds')
    await page.getByRole('button', { name: 'Watch' }).click()
    await page.getByRole('heading', { name: 'the new key was never used' }).waitFor()
    await page.getByRole('img', { name: '7 requests in 30 minutes, at most 7 in one' }).waitFor()

    await use(fresh.id, 0, 3)
    await page.getByRole('heading', { name: 'Safe to revoke' }).waitFor()
    expect(intervals.length).toBeGreaterThan(1)
    expect(new Set(intervals)).toEqual(new Set(['10']))
    await page.getByRole('img', { name: '3 requests in 30 minutes, at most 3 in one' }).waitFor()
    await use(old.id, 0, 1)
    await page.getByRole('link', { name: 'Reload', exact: true }).click()
    await page.getByRole('heading', { name: 'the old key is in use' }).waitFor()
    await page.getByRole('link', { name: 'stop reloading' }).click()
    expect(await page.getByRole('link', { name: 'stop reloading' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Revoke it anyway' }).click()
    await page.getByText('This key is in use: 8 requests in the last 15 minutes.').waitFor()
  })

  test('no page scrolls horizontally in a narrow window, whatever the names of keys', SLOW, async () => {
    const names = ['W'.repeat(200), '\u202Egnp.exe', '🔑'.repeat(100), '<script>alert(1)</script>']
    const made = []
    for (const name of names) {
      const limit = { requests: 1_000_000, windowSeconds: 3600 }
      const wanted = { name, models: ['m'.repeat(200)], limit, concurrency: 10_000, tokensPerMinute: 1e9 }
      made.push((await opened.dashboard.keys.create(wanted)).key.id)
    }
    for (const keyId of made)
      await opened.dashboard.storage.audit.append({
        at: 0,
        action: 'key-created',
        address: '2001:db8:1234:5678:9abc:def0:1234:5678',
        keyId,
        detail: '',
      })
    await signIn(page, opened.root)
    for (const path of [
      '',
      '/keys/new',
      `/keys/${made[0]}`,
      `/keys/${made[0]}/revoke`,
      `/keys/${made[0]}/delete`,
      `/rotation?old=${made[0]}&new=${made[1]}`,
      '/audit',
      `/audit?key=${made[0]}`,
      '/password',
    ]) {
      await page.goto(`${opened.root}/dashboard${path}`)
      for (const width of [320, 390, 700, 1153, 1280]) {
        await page.setViewportSize({ width, height: 640 })
        const wide = await page
          .locator('html')
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
        expect({ width, path, wide }).toEqual({ width, path, wide: 0 })
      }
    }
  })

  test('a page of another site can neither post a form nor show the dashboard in a frame', SLOW, async () => {
    await signIn(page, opened.root)
    const { key } = await opened.dashboard.keys.create({ name: 'stays', models: null, limit: null })
    const evil = await openForeignPage(`${opened.root}/dashboard/keys/${key.id}/revoke`)
    await page.goto(evil.root)
    expect(await page.frameLocator('iframe').getByText('stays').count()).toBe(0)
    expect(await page.frames()[1]?.content()).not.toContain('Touchstone')
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await page.getByText('does not come from a page of this dashboard').waitFor()
    expect(await opened.dashboard.keys.list()).toEqual([key])
    evil.close()
  })
})

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
