// The judge's pages in a real browser: they reach nothing, obey their own policy, are accessible, and filter
// with scripts switched off.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findings, useChromium } from '../../fixtures/chromium.fixture.ts'
import { compareReports } from './compare/comparison.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { renderComparisonHtml } from './compare/html.ts'
import { renderHtml } from './html/html.ts'
import { madeReport, results } from './report.fixture.ts'

/** Text of a hostile server that reaches the page. */
const HOSTILE = `</pre></script><script>document.title='taken'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"'&amp;`

const hostile = madeReport({
  results: results.map((result) => ({
    ...result,
    title: `${result.title} ${HOSTILE}`,
    ...(result.mismatch && { mismatch: { expected: HOSTILE, actual: `" onclick="alert(1)${HOSTILE}` } }),
    ...(result.reason !== undefined && { reason: HOSTILE }),
    exchanges: [
      madeExchange({
        body: HOSTILE,
        headers: [['x-note', HOSTILE]],
        requestHeaders: [['x-note', HOSTILE]],
        requestBody: HOSTILE,
      }),
    ],
  })),
})

const green = madeReport({ results: results.filter(({ outcome }) => outcome === 'pass') })
const both = [green, hostile]
const comparison = compareReports(both.map((report, at) => ({ file: `${HOSTILE}-${at}.json`, report })))

const pages = {
  'a report': renderHtml(hostile),
  'a green report': renderHtml(green),
  'a comparison': renderComparisonHtml(comparison, both),
}

describe('in a browser', { tags: 'chromium' }, () => {
  const openPage = useChromium()
  const folder = temporaryFolder()
  const complaints: string[] = []

  /** Opens a page from a file, and notes whatever it complains of and whatever it asks for beside itself. */
  async function open(html: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(options)
    complaints.length = 0
    const file = join(folder, 'page.html')
    writeFileSync(file, html)
    const address = pathToFileURL(file).href
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    page.on('request', (request) => {
      if (request.url() !== address) complaints.push(request.url())
    })
    await page.goto(address)
    return page
  }

  const shownIds = (page: Page): Promise<readonly (string | null)[]> =>
    page.locator('[data-row]:visible').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')))

  describe.each(Object.entries(pages))('%s', (name, html) => {
    // `npm test` looks at the report, and `npm run test:all` at every page.
    const tags = name === 'a report' ? [] : ['slow']
    test('axe finds nothing', { tags }, async () => {
      // The policy lets no script in but the page's own, so that of axe needs it lifted.
      const page = await open(html, { bypassCSP: true })
      expect(await findings(page)).toEqual([])
    })

    test('complains of nothing, requests nothing, and runs nothing from a server', { tags }, async () => {
      const page = await open(html)
      expect(await page.locator('.search').isVisible()).toBe(true)
      expect(await page.title()).toMatch(/ · Touchstone$/)
      expect(await page.locator('img, main script, [onclick], [onerror]').count()).toBe(0)
      expect(complaints).toEqual([])
    })

    test('its policy lets in no other script and no other style', { tags }, async () => {
      const page = await open(html)
      await page.evaluate(() => {
        const { document } = globalThis as unknown as { document: { body: { innerHTML: string } } }
        document.body.innerHTML += '<img src="data:,"><b style="color:red" onclick="1">x</b>'
      })
      await expect.poll(() => complaints.filter((text) => /policy/i.test(text)).length).toBeGreaterThan(1)
    })

    test('a phone shows it without a scroll bar across', { tags }, async () => {
      const page = await open(html, { viewport: { width: 390, height: 844 } })
      expect(
        await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBe(0)
    })
  })

  test('filters need no script; what no check stands for is never among what passed', async () => {
    const page = await open(pages['a report'], { javaScriptEnabled: false })
    expect(await page.locator('.search').isVisible()).toBe(false)
    await page.getByRole('radio', { name: /Passed/ }).check()
    expect(await shownIds(page)).toEqual(['AUTH-3'])
    await page.getByRole('radio', { name: /Failed/ }).check()
    expect(await shownIds(page)).toEqual(['AUTH-4', 'WIRE-4'])
    expect(await page.locator('.group h2:visible').allInnerTexts()).toEqual(['Does not hold 2'])
    await page.getByRole('radio', { name: /Wire format/ }).check()
    expect(await shownIds(page)).toEqual(['WIRE-4'])
    await page.getByRole('radio', { name: /Passed/ }).check()
    expect(await shownIds(page)).toEqual([])
    await page.getByText('No requirement matches').waitFor()
    await page.getByRole('radio', { name: /Not judged/ }).check()
    const notJudged = await shownIds(page)
    expect(notJudged).toContain('WIRE-1')
    expect(notJudged).not.toContain('WIRE-4')
  })

  test('what does not hold comes first, unfolded, with all that shows it', { tags: 'slow' }, async () => {
    const page = await open(renderHtml(madeReport()))
    const first = page.locator('details[data-row]').first()
    expect(await first.getAttribute('data-row')).toBe('AUTH-4')
    await first.getByText('error.code "invalid_api_key"', { exact: true }).waitFor()
    await first.getByText('the proxy is old').waitFor()
    await first
      .getByText(/^curl -sS/)
      .first()
      .waitFor()
    await first.getByText(/--only auth\.fail --seed 42$/).waitFor()
    await first.getByText('status 401').first().waitFor()
  })

  test('a search shows what holds every word, in requirements, checks and exchanges', async () => {
    const page = await open(renderHtml(madeReport()))
    await page.keyboard.press('/')
    await page.keyboard.type('revoked KEY-5')
    await expect.poll(() => page.locator('[data-status]').innerText()).toBe('1 requirement shown')
    expect(new Set(await shownIds(page))).toEqual(new Set(['KEY-5']))
    await page.locator('.search').fill('nowhere to be found')
    await page.getByText('No requirement matches').waitFor()
  })

  test('a line of a section leads to the failure, and unfolds it', { tags: 'slow' }, async () => {
    const page = await open(renderHtml(madeReport()))
    await page.getByRole('button', { name: 'Fold all', exact: true }).click()
    await page.locator('a.ref[href="#AUTH-4"]').click()
    await page.getByText('error.code "invalid_api_key"', { exact: true }).waitFor()
  })

  test('differences alone', { tags: 'slow' }, async () => {
    const page = await open(pages['a comparison'], { javaScriptEnabled: false })
    expect(await shownIds(page)).toHaveLength(comparison.rows.length)
    await page.getByRole('radio', { name: /Differences/ }).check()
    expect(await shownIds(page)).not.toContain('AUTH-3')
    expect(await shownIds(page)).toContain('AUTH-4')
  })
})
