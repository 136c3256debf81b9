// For tests: the dashboard in a browser.
import type { Page } from 'playwright-core'
import { beforeEach } from 'vitest'
import { useChromium } from '../../fixtures/chromium.fixture.ts'
import { listen, openDashboard, PASSWORD } from './dashboard.fixture.ts'

/** A browser for the tests of a `describe`, and a served dashboard for each of them. */
export function useBrowser(options: { readonly backForwardCache?: boolean } = {}) {
  const opened = { dashboard: openDashboard(), root: '', openPage: useChromium(options) }
  beforeEach(async () => {
    opened.dashboard = openDashboard()
    const { root, close } = await listen(opened.dashboard.app)
    opened.root = root
    return close
  })
  return opened
}

/** Signs in at the dashboard of `root` with the keyboard. */
export async function signIn(page: Page, root: string, password: string = PASSWORD): Promise<void> {
  await page.goto(`${root}/dashboard`)
  await page.getByLabel('Operator password').focus()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
}
