import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openDashboard, signedIn, target } from './dashboard.fixture.ts'
import { fields } from './page-elements.ts'
import { hiddenFields } from './read-page.ts'

describe('names that try to be more than text', () => {
  const hostile = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus='alert(1)",
    '</bdi></td></table>',
    '&lt;b&gt;',
    '${1}',
    '\u202Egpj.exe',
    '-->',
  )
  const names = fc.oneof(
    hostile,
    fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }),
    fc.tuple(hostile, fc.string()).map(([one, other]) => one + other),
  )

  /** The tags of a page, without what their attributes hold. */
  const skeleton = (page: string) => Array.from(page.matchAll(/<\/?([a-z0-9]+)[\s>]/gi), ([, tag]) => tag)

  async function pagesFor(name: string): Promise<string[]> {
    const { app, keys } = openDashboard()
    const browser = await signedIn(app)
    // Where the name itself is refused, the form shows it again; the limit is refused always.
    const refused = await (await browser.create({ name, [fields.limitSeconds]: name })).text()
    const { key } = await keys.create({ name, models: [name], limit: null })
    await browser.post(`/dashboard/keys/${key.id}/revoke`, hiddenFields(await browser.page('/dashboard')))
    const revoked = await browser.page('/dashboard')
    const { key: active } = await keys.create({ name, models: [name], limit: null })
    const listed = await browser.page('/dashboard')
    const asked = await browser.page(`/dashboard/keys/${active.id}/revoke`)
    const created = await browser.create({ name, [fields.access]: 'some', [fields.moreModels]: name })
    const shown = created.status === 303 ? [await browser.page(target(created))] : []
    return [revoked, listed, asked, ...(created.status === 303 ? [refused, ...shown] : [])]
  }

  test('are shown as text on every page', async () => {
    const plain = (await pagesFor('plain')).map(skeleton)
    const property = fc.asyncProperty(names, async (name) => {
      const pages = await pagesFor(name)
      // A name with commas is a list of several models, each its own element.
      const comparable = name.includes(',') ? pages.slice(0, 3) : pages
      expect(comparable.map(skeleton)).toEqual(plain.slice(0, comparable.length))
    })
    expect(await fc.check(property, { numRuns: 100 })).toMatchObject({ failed: false })
  })
})
