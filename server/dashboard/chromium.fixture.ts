// Debian's Chromium for tests of the dashboard, with the findings of axe.
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
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

/** A browser for the tests of a `describe`, and a served dashboard for each of them. */
export function useBrowser({ backForwardCache = false } = {}) {
  let browser: Browser
  const contexts: BrowserContext[] = []
  const opened = { dashboard: openDashboard(), root: '', openPage }

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: backForwardCache ? [...ARGUMENTS, '--enable-features=BackForwardCache'] : ARGUMENTS,
      // Automated browsers have no back-forward cache by default.
      ignoreDefaultArgs: backForwardCache ? ['--disable-back-forward-cache'] : [],
    })
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    opened.dashboard = openDashboard()
    const { root, close } = await listen(opened.dashboard.app)
    opened.root = root
    return close
  })
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())))

  async function openPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options)
    contexts.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    return page
  }
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

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Serious and critical findings of axe, each `rule: element`. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE })
  const findings: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  )
  if (!Array.isArray(findings)) throw new TypeError('axe gave no list')
  return findings.map(String)
}
