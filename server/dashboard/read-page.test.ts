import * as fc from 'fast-check'
import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { hidden, problemNote } from './pages/layout.ts'
import { attributeTexts, elementText, hiddenFields } from './read-page.ts'

test('reads back whatever text a page holds', () => {
  const text = fc.string({ unit: 'binary' })
  const property = fc.property(text, text, (one, other) => {
    const page = String(
      html`<p>${other}</p>
        ${hidden('before', other)}${hidden('csrf', one)} ${problemNote(one)}
        <p>${one}</p>
        ${problemNote(other)}<code class="x" id="key-id">${one}</code>`,
    )
    const spaced = (text: string) => text.replace(/\s+/g, ' ').trim()
    expect(hiddenFields(page)).toEqual({ before: other, csrf: one })
    expect(attributeTexts(page, 'data-problem')).toEqual([spaced(one), spaced(other)])
    expect(elementText(page, 'key-id')).toBe(one.trim())
    expect(elementText(page, 'key-secret')).toBeUndefined()
  })
  expect(fc.check(property)).toMatchObject({ failed: false })
})
