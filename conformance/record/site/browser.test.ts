// Every page of results in a real browser: the site, a report and a comparison. Each requests only its own files, runs
// nothing that a server or an entry says, is accessible in both themes, fits a phone, and filters without scripts.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findings, useChromium } from '../../../fixtures/chromium.fixture.ts'
import { madeExchange } from '../../../harness/exchange.fixture.ts'
import { compareReports } from '../../report/compare/comparison.ts'
import { renderComparisonHtml } from '../../report/compare/comparison-page.ts'
import { renderHtml } from '../../report/html/report-page.ts'
import { madeReport, results } from '../../report/report.fixture.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { buildSite } from './build-site.ts'
import { built } from './built-site.fixture.ts'
import { HOSTILE, madePairs, madeRecord } from './boards.fixture.ts'

/** The pages may be anywhere below a host, as on GitHub Pages. */
const ROOT = 'http://pages.test/touchstone/'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
}

/** The report on a server that sends hostile text everywhere. */
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

/** The pages in one file. */
const SINGLE: Readonly<Record<string, string>> = {
  'report.html': renderHtml(madeReport()),
  'hostile.html': renderHtml(hostile),
  'green.html': renderHtml(green),
  'comparison.html': renderComparisonHtml(comparison, both),
}

/** One page of each kind. */
const KINDS = [
  '',
  'hostile.html',
  'green.html',
  'comparison.html',
  'matrix/2/server-wire/',
  'server/alpha/',
  'server/hostile/',
  'server/hostile/2/1.0.0-wire/',
  'requirements/WIRE-1/',
  'compare/2/server-wire/alpha/hostile/',
  'pairs/',
  'pairs/2/library/hostile/',
  'requirements/',
  'compare/',
  'search/',
]
/** The pages with a table. */
const PHONE = [
  '',
  'comparison.html',
  'matrix/2/server-wire/',
  'server/alpha/',
  'compare/2/server-wire/alpha/hostile/',
  'pairs/',
]
/** A script whose value names the tables with a wrong hint, and their words that are on two lines. */
const WRONG_TABLES = `[...document.querySelectorAll('.scroll')].flatMap((table) => {
  const isWide = table.scrollWidth > table.clientWidth
  const hint = Number.parseFloat(getComputedStyle(table, '::before').height)
  const wrong = isWide === hint > 0 ? [] : [table.ariaLabel + (isWide ? ': no hint' : ': a hint')]
  const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/(?<!\\S)[^\\s/–-]{2,20}(?!\\S)/g)) {
      const range = new Range()
      range.setStart(texts.currentNode, index)
      range.setEnd(texts.currentNode, index + word.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => top))
      if (lines.size > 1) wrong.push(table.ariaLabel + ': ' + word)
    }
  return wrong
})`

/** `npm test` opens this page, and `npm run test:all` all. */
const SAMPLE = ''

describe('in a browser', { tags: 'chromium' }, () => {
  const openPage = useChromium()
  let files: ReadonlyMap<string, string>
  const complaints: string[] = []

  beforeAll(async () => {
    files = new Map([...(await built(madeRecord, { pairs: madePairs })), ...Object.entries(SINGLE)])
  })

  /** Opens a page, and notes its complaints and each request for something that is not its own. */
  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(options)
    complaints.length = 0
    await page.route('**/*', async (route) => {
      const { href } = new URL(route.request().url())
      const path = href.slice(ROOT.length).replace(/[?#].*/, '')
      const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
      const body = Object.hasOwn(SINGLE, address) && path !== address ? undefined : files.get(file)
      if (href.startsWith(ROOT) && body !== undefined)
        return route.fulfill({ body, contentType: TYPES[file.split('.').at(-1) ?? ''] ?? '' })
      complaints.push(`requested ${href}`)
      return route.abort()
    })
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    await page.goto(ROOT + asLinked(address))
    return page
  }

  /** The address as links have it: with the name of the file. */
  const asLinked = (address: string): string => address.replace(/(?<=^|\/)(?=$|\?)/, 'index.html')

  const names = (page: Page, selector: string): Promise<string[]> =>
    page.locator(`${selector}:visible`).allInnerTexts()
  const rowsShown = (page: Page): Promise<number> => page.locator('[data-row]:visible').count()
  const shownIds = (page: Page): Promise<readonly (string | null)[]> =>
    page.locator('[data-row]:visible').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')))

  describe.each(KINDS)('%j', (address) => {
    const tags = address === SAMPLE ? [] : ['slow']

    test('axe finds nothing', { tags }, async () => {
      // The policy allows no script but the page's own, so that of axe needs it lifted.
      expect(await findings(await open(address, { bypassCSP: true }))).toEqual([])
    })

    test('it fits a phone, complains of nothing, and its policy allows nothing else', { tags }, async () => {
      const page = await open(address)
      for (const width of [320, 390, 700]) {
        await page.setViewportSize({ width, height: 844 })
        const wide = await page
          .locator('html')
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
        expect({ width, wide }).toEqual({ width, wide: 0 })
      }
      expect(
        await page
          .locator('main script, [onclick], [onerror], [src*="127.0.0.1"], a[href^=javascript]')
          .count(),
      ).toBe(0)
      expect(complaints).toEqual([])
      const title = await page.title()
      await page.evaluate(`
        document.body.innerHTML += '<img src="http://other.test/x"><b style="color:red">x</b>'
        const script = document.createElement('script')
        script.textContent = "document.title = 'taken'"
        document.body.append(script)
      `)
      const refused = (what: RegExp): boolean =>
        complaints.some((text) => /policy/i.test(text) && what.test(text))
      await expect
        .poll(() => [/script-src/, /style-src/, /(img|default)-src/].filter(refused))
        .toHaveLength(3)
      expect(await page.title()).toBe(title)
    })
  })

  describe.each(PHONE)('on a phone a table of %j', (address) => {
    const tags = address === SAMPLE ? [] : ['slow']
    test('scrolls with a hint or not at all, and breaks no word', { tags }, async () => {
      const page = await open(address, { viewport: { width: 390, height: 844 } })
      expect(await page.evaluate<string[]>(WRONG_TABLES)).toEqual([])
    })
  })

  test('every page of the site loads, and requests only files of the site', { tags: 'slow' }, async () => {
    const pages = [...files.keys()].filter((file) => file.endsWith('index.html'))
    expect(pages.length).toBeGreaterThan(150)
    const page = await open('')
    for (const file of pages) {
      await page.goto(ROOT + file.replace(/index\.html$/, ''))
      expect([file, await page.title()]).toEqual([file, expect.stringMatching(/ · Touchstone$/)])
      expect([file, complaints]).toEqual([file, []])
    }
  })

  test('a report filters without scripts, and a row without a check is never among what passed', async () => {
    const page = await open('hostile.html', { javaScriptEnabled: false })
    expect(await page.locator('.search').isVisible()).toBe(false)
    const choose = async (name: RegExp) => {
      await page.getByRole('radio', { name }).check()
      return shownIds(page)
    }
    expect(await choose(/Passed/)).toEqual(['AUTH-3'])
    expect(await choose(/Failed/)).toEqual(['AUTH-4', 'WIRE-4'])
    expect(await names(page, '.group h2')).toEqual(['Does not hold 2'])
    expect(await choose(/Wire format/)).toEqual(['WIRE-4'])
    expect(await choose(/Passed/)).toEqual([])
    await page.getByText('No requirement matches').waitFor()
    const notJudged = await choose(/Not judged/)
    expect(notJudged).toContain('WIRE-1')
    expect(notJudged).not.toContain('WIRE-4')
  })

  test('a report begins with its failures unfolded; a line of a section leads there', async () => {
    const page = await open('report.html')
    const first = page.locator('details[data-row]').first()
    expect(await first.getAttribute('data-row')).toBe('AUTH-4')
    for (const text of ['the proxy is old', /^curl -sS/, /--only auth\.fail --seed 42$/, 'status 401'])
      await first.getByText(text).first().waitFor()
    await page.getByRole('button', { name: 'Fold all', exact: true }).click()
    await page.locator('a.ref[href="#AUTH-4"]').click()
    await page.locator('#AUTH-4').getByText('error.code "invalid_api_key"', { exact: true }).waitFor()
  })

  test('a finding of a report unfolds without scripts to its check, and leads to its requirement', async () => {
    const page = await open('report.html', { javaScriptEnabled: false })
    const finding = page.locator('.fixes li').filter({ hasText: 'error.code "invalid_api_key"' })
    const received = finding.getByText('"missing_api_key"', { exact: true })
    expect(await received.isVisible()).toBe(false)
    await finding.locator('summary').first().click()
    await received.waitFor()
    expect(await finding.locator('a').getAttribute('href')).toBe('#AUTH-4')
  })

  test('a search in a report shows what has every word', async () => {
    const page = await open('report.html')
    await page.keyboard.press('/')
    await page.keyboard.type('revoked KEY-5')
    await expect.poll(() => page.locator('[data-status]').innerText()).toBe('1 requirement shown')
    expect(new Set(await shownIds(page))).toEqual(new Set(['KEY-5']))
    await page.locator('.search').fill('nowhere to be found')
    await page.getByText('No requirement matches').waitFor()
  })

  test('a comparison filters its differences without scripts', { tags: 'slow' }, async () => {
    const page = await open('comparison.html', { javaScriptEnabled: false })
    expect(await shownIds(page)).toHaveLength(comparison.rows.length)
    await page.getByRole('radio', { name: /Differences/ }).check()
    expect(await shownIds(page)).not.toContain('AUTH-3')
    expect(await shownIds(page)).toContain('AUTH-4')
  })

  test(
    'without scripts a row of the site leads to its implementation, and columns are chosen',
    { tags: 'slow' },
    async () => {
      const page = await open('', { javaScriptEnabled: false })
      expect(await page.locator('[data-filters]:visible').count()).toBe(0)
      await page.locator('.front').first().getByRole('link', { name: 'Alpha' }).click()
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Alpha')
      const board = await open('matrix/2/server-wire/', { javaScriptEnabled: false })
      const headings = (): Promise<string[]> => names(board, '.grid thead th a')
      expect((await headings()).filter((heading) => heading.startsWith('Alpha'))).toEqual(['Alpha 2.0.0'])
      await board.getByText('Choose the columns').click()
      await board.getByRole('checkbox', { name: 'Alpha 1.0.0' }).check()
      await board.getByRole('checkbox', { name: 'Alpha 1.1.0' }).check()
      expect(await headings()).toEqual(['Alpha 1.1.0', 'Alpha 1.0.0'])
    },
  )

  test('the address keeps the filters and the compared versions', async () => {
    const page = await open('matrix/2/server-wire/?entries=alpha%402.0.0&entries=alpha%401.0.0&show=differ')
    const ids = () => names(page, '[data-row] th .id')
    expect(await names(page, '.grid thead th a')).toEqual(['Alpha 2.0.0', 'Alpha 1.0.0'])
    expect(await ids()).toEqual(expect.arrayContaining(['WIRE-1', 'TOOL-1']))
    expect(await ids()).not.toContain('CHAT-1')
    await page.getByLabel('Group').selectOption('WIRE')
    await page.reload()
    expect(await ids()).toEqual(['WIRE-1'])
    expect(new URL(page.url()).searchParams.get('group')).toBe('WIRE')
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(() => rowsShown(page)).toBeGreaterThan(50)
    expect(new URL(page.url()).search).toBe('')
    await page.goto(`${ROOT}?kind=server&show=f&group=STREAM`)
    // Only the hostile one fails a requirement of streams.
    expect(await rowsShown(page)).toBe(1)
    expect(await names(page, 'h2')).toEqual(['Clients with servers', 'Servers profile wire'])
    await page.locator('[name=show]').selectOption('')
    expect(await rowsShown(page)).toBeGreaterThan(2)
  })

  test('the pairs are filtered by a use, which the address keeps', { tags: 'slow' }, async () => {
    const page = await open('pairs/')
    const cell = page.locator('.matched a[href="pairs/2/library/alpha/index.html"]')
    expect(await cell.innerText()).toMatch(/^17 of 18 uses/)
    await page.getByLabel('Use').selectOption('call')
    await expect.poll(() => cell.innerText()).toMatch(/^✗\s*fails$/)
    expect(await names(page, '.matched .plate.pass')).toHaveLength(2)
    await page.reload()
    await expect.poll(() => cell.innerText()).toMatch(/^✗\s*fails$/)
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(() => cell.innerText()).toMatch(/^17 of 18 uses/)
  })

  test('the site works from a disk: its links, its style, its search and its filters', async () => {
    const folder = join(temporaryFolder(), 'site')
    await buildSite(madeRecord, folder, { date: '2026-11-20', pairs: madePairs })
    const page = await openPage({})
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => errors.push(message.text()))
    await page.goto(pathToFileURL(join(folder, 'index.html')).href)
    await page.locator('main a', { hasText: 'Alpha' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor()
    expect(await page.evaluate("getComputedStyle(document.querySelector('.skip')).position")).toBe('absolute')
    await page.locator('.find input').fill('Does library work with Alpha?')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await expect.poll(() => names(page, 'main [data-row] a')).toEqual(['library 1.0.0 with Alpha 2.0.0'])
    await page.locator('main .search').fill('good-server')
    await expect
      .poll(() => names(page, 'main [data-row] a'))
      .toEqual(['library-two 1.0.0 with Good server 4.5.6'])
    await page.locator('main .search').fill('nowhere to be found?')
    await page.getByText('Nothing matches').waitFor()
    expect(errors).toEqual([])
  })

  test('a search, a pair of choices and a link lead to their page', { tags: 'slow' }, async () => {
    const page = await open('requirements/WIRE-1/')
    await page.keyboard.press('/')
    await page.keyboard.type('done-once stream')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search\/index\.html\?q=done-once\+stream$/)
    expect(await names(page, '[data-row] .id')).toEqual(['STREAM-2'])
    await page.locator('main .search').fill('no such thing anywhere')
    await page.getByText('Nothing matches').waitFor()
    await page.goto(`${ROOT}compare/`)
    const form = page.locator('[data-pair="compare/2/server-wire/"]')
    await form.getByLabel('First').selectOption('old')
    await form.getByLabel('Second').selectOption('alpha')
    await form.getByRole('button').click()
    await page.waitForURL(`${ROOT}compare/2/server-wire/alpha/old/index.html`)
    await page.getByRole('heading', { name: 'Alpha and old' }).waitFor()
    await page.goto(`${ROOT}server/alpha/2/2.0.0-wire/#WIRE-1`)
    await page.locator('#WIRE-1 .checks').getByText('wire.created').waitFor()
  })
})
