// Debian's Chromium for tests of the dashboard, with the findings of axe.
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { PASSWORD } from './dashboard.fixture.ts'

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

/** Starts the browser. Automated browsers have no back-forward cache by default. */
export function launchChromium({ backForwardCache = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: backForwardCache ? [...ARGUMENTS, '--enable-features=BackForwardCache'] : ARGUMENTS,
    ignoreDefaultArgs: backForwardCache ? ['--disable-back-forward-cache'] : [],
  })
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
