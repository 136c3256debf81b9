import { expect, test } from 'vitest'
import { fc, forAllAsyncWith } from '../../../spec/property.fixture.ts'
import { openDashboard, signedIn, target, hiddenFields } from '../dashboard.fixture.ts'
import { fields } from '../form-fields.ts'

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
  const { app, keys, storage } = openDashboard()
  const browser = await signedIn(app)
  // The limit is always refused, and the form shows the name again.
  const refused = await (await browser.create({ name, [fields.limitSeconds]: name })).text()
  const { key } = await keys.create({ name, models: [name], limit: null })
  const form = hiddenFields(await browser.page('/dashboard'))
  const revoked = await browser.page(target(await browser.post(`/dashboard/keys/${key.id}/revoke`, form)))
  const { key: active } = await keys.create({ name, models: [name], limit: null })
  await storage.audit.append({
    at: 0,
    action: 'sign-out',
    address: name,
    keyId: key.id,
    detail: `${name}.`,
  })
  const pages = [revoked]
  for (const path of [
    '/dashboard?state=all',
    `/dashboard?q=${encodeURIComponent(`<${name}`)}`,
    `/dashboard/keys/${active.id}`,
    `/dashboard/keys/${active.id}/revoke`,
    `/dashboard/rotation?old=${key.id}&new=${active.id}`,
    '/dashboard/audit',
    `/dashboard/audit?key=${encodeURIComponent(`<${name}`)}`,
  ])
    pages.push(await browser.page(path))
  const created = await browser.create({ name, [fields.access]: 'some', [fields.moreModels]: name })
  return created.status === 200 ? [...pages, refused, await created.text()] : pages
}

test('names that try to be more than text are shown as text on every page', async () => {
  const plain = (await pagesFor('plain')).map(skeleton)
  await forAllAsyncWith({ numRuns: 60 }, names, async (name) => {
    const pages = await pagesFor(name)
    // A name with commas is a list of several models, each its own element.
    const comparable = name.includes(',') ? pages.slice(0, 8) : pages
    expect(comparable.map(skeleton)).toEqual(plain.slice(0, comparable.length))
  })
})
