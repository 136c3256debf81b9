// The site in a real browser: it requests only its own files, runs nothing that an entry says, is accessible in both
// themes, fits a phone, and works without scripts except for filters and search.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findings, useChromium } from '../../../fixtures/chromium.fixture.ts'
import { type Files, built } from './built-site.fixture.ts'
import { madeRecord } from './record.fixture.ts'

/** The pages may be anywhere below a host, as on GitHub Pages. */
const ROOT = 'http://pages.test/touchstone/'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  json: 'application/json',
  xml: 'application/atom+xml',
}

/** One page of each kind. */
const KINDS = {
  'the front page': '',
  'a matrix': 'matrix/1/server-wire/',
  'an implementation': 'server/alpha/',
  'a hostile implementation': 'server/hostile/',
  'an entry': 'server/hostile/1/1.0.0-wire/',
  'a requirement': 'requirements/WIRE-1/',
  'a comparison': 'compare/1/server-wire/alpha/hostile/',
  'all requirements': 'requirements/',
  'all comparisons': 'compare/',
  'the search': 'search/',
}

describe('in a browser', { tags: 'chromium' }, () => {
  const openPage = useChromium()
  let files: Files
  const complaints: string[] = []

  beforeAll(async () => {
    files = await built(madeRecord)
  })

  /** Opens a page of the site, and notes its complaints and each request for something that is not of the site. */
  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(options)
    complaints.length = 0
    await page.route('**/*', async (route) => {
      const url = new URL(route.request().url())
      const path = url.href.startsWith(ROOT) ? url.pathname.slice(new URL(ROOT).pathname.length) : undefined
      const file = path === '' || path?.endsWith('/') ? `${path}index.html` : path
      const body = file === undefined ? undefined : files.get(file)
      if (body === undefined) complaints.push(`requested ${url.href}`)
      await (body === undefined
        ? route.abort()
        : route.fulfill({ body, contentType: TYPES[file?.split('.').at(-1) ?? ''] ?? '' }))
    })
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    await page.goto(ROOT + address)
    return page
  }

  const names = (page: Page, selector: string): Promise<string[]> =>
    page.locator(`${selector}:visible`).allInnerTexts()
  const rowsShown = (page: Page): Promise<number> => page.locator('[data-row]:visible').count()

  describe.each(Object.entries(KINDS))('%s', (name, address) => {
    // `npm test` opens the front page, and `npm run test:all` every kind.
    const tags = name === 'the front page' ? [] : ['slow']
    test('axe finds nothing', { tags }, async () => {
      // The policy allows no script but the site's own, so that of axe needs it lifted.
      const page = await open(address, { bypassCSP: true })
      expect(await findings(page)).toEqual([])
    })

    test('a phone shows it without a horizontal scroll bar', { tags }, async () => {
      const page = await open(address)
      for (const width of [320, 390, 700]) {
        await page.setViewportSize({ width, height: 844 })
        const wide = await page
          .locator('html')
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
        expect({ width, wide }).toEqual({ width, wide: 0 })
      }
    })
  })

  test(
    'every page loads without a complaint, and requests only files of the site',
    { tags: 'slow' },
    async () => {
      const pages = [...files.keys()].filter((file) => file.endsWith('index.html'))
      expect(pages.length).toBeGreaterThan(150)
      const page = await open('')
      for (const file of pages) {
        await page.goto(ROOT + file.replace(/index\.html$/, ''))
        expect([file, await page.title()]).toEqual([file, expect.stringMatching(/ · Touchstone$/)])
        expect([file, complaints]).toEqual([file, []])
      }
    },
  )

  test('the policy allows no script and no style that an entry brings', { tags: 'slow' }, async () => {
    const page = await open('server/hostile/')
    expect(complaints).toEqual([])
    expect(await page.locator('main script, [onclick], [onerror], a[href^=javascript]').count()).toBe(0)
    await page.evaluate(`
      document.body.innerHTML += '<img src="http://other.test/x"><b style="color:red">x</b>'
      const script = document.createElement('script')
      script.textContent = "document.title = 'taken'"
      document.body.append(script)
    `)
    const refused = (what: RegExp): boolean =>
      complaints.some((text) => /policy/i.test(text) && what.test(text))
    await expect.poll(() => [/script-src/, /style-src/, /img-src/].filter(refused)).toHaveLength(3)
    expect(await page.title()).not.toBe('taken')
  })

  test(
    'without scripts a row of the matrix unfolds to its requirements, and columns can be chosen',
    { tags: 'slow' },
    async () => {
      const page = await open('', { javaScriptEnabled: false })
      expect(await page.locator('[data-filters]:visible').count()).toBe(0)
      const numbers = page.locator('.more:visible')
      expect(await numbers.count()).toBe(0)
      await page.getByRole('checkbox', { name: 'Show the requirements of Alpha' }).first().check()
      expect(await numbers.count()).toBe(1)
      expect(await numbers.innerText()).toMatch(/does not hold\s+1\s/)
      const board = await open('matrix/1/server-wire/', { javaScriptEnabled: false })
      const headings = (): Promise<string[]> => names(board, '.grid thead th a')
      expect((await headings()).filter((heading) => heading.startsWith('Alpha'))).toEqual(['Alpha 2.0.0'])
      await board.getByText('Choose the columns').click()
      await board.getByRole('checkbox', { name: 'Alpha 1.0.0' }).check()
      await board.getByRole('checkbox', { name: 'Alpha 1.1.0' }).check()
      expect(await headings()).toEqual(['Alpha 1.1.0', 'Alpha 1.0.0'])
    },
  )

  test('the address keeps the filters and the compared versions', async () => {
    const address = 'matrix/1/server-wire/?entries=alpha%402.0.0&entries=alpha%401.0.0&show=differ'
    const page = await open(address)
    expect(await names(page, '.grid thead th a')).toEqual(['Alpha 2.0.0', 'Alpha 1.0.0'])
    const ids = await names(page, '[data-row] th .id')
    expect(ids).toContain('WIRE-1')
    expect(ids).toContain('TOOL-1')
    expect(ids).not.toContain('CHAT-1')
    await page.getByLabel('Group').selectOption('WIRE')
    expect(await names(page, '[data-row] th .id')).toEqual(['WIRE-1'])
    expect(new URL(page.url()).searchParams.get('group')).toBe('WIRE')
    await page.reload()
    expect(await names(page, '[data-row] th .id')).toEqual(['WIRE-1'])
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(() => rowsShown(page)).toBeGreaterThan(50)
    expect(new URL(page.url()).search).toBe('')
  })

  test('the front page filters by kind, group and failures', { tags: 'slow' }, async () => {
    const page = await open('?kind=server&show=f&group=STREAM')
    // Only the hostile one fails a requirement of streams.
    expect(await rowsShown(page)).toBe(1)
    expect(await names(page, 'h2')).toEqual(['Servers profile wire'])
    await page.locator('[name=show]').selectOption('')
    expect(await rowsShown(page)).toBeGreaterThan(2)
  })

  test('a search from any page shows what has every word', { tags: 'slow' }, async () => {
    const page = await open('requirements/WIRE-1/')
    await page.keyboard.press('/')
    await page.keyboard.type('done-once stream')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search\/\?q=done-once\+stream$/)
    expect(await names(page, '[data-row] .id')).toEqual(['STREAM-2'])
    await page.locator('main .search').fill('no such thing anywhere')
    await page.getByText('Nothing matches').waitFor()
  })

  test('two choices lead to the comparison of two implementations', { tags: 'slow' }, async () => {
    const page = await open('compare/')
    const form = page.locator('[data-pair="compare/1/server-wire/"]')
    await form.getByLabel('First').selectOption('old')
    await form.getByLabel('Second').selectOption('alpha')
    await form.getByRole('button').click()
    await page.waitForURL(`${ROOT}compare/1/server-wire/alpha/old/`)
    await page.getByRole('heading', { name: 'Alpha and old' }).waitFor()
  })

  test('a link to a failure unfolds it', { tags: 'slow' }, async () => {
    const page = await open('server/alpha/1/2.0.0-wire/#WIRE-1')
    await page.locator('#WIRE-1 .checks').getByText('wire.created').waitFor()
  })
})
