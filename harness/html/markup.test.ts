// Whatever text is put into a template, it stays text.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../conformance/generate/hostile-text.ts'
import { markup, prose, trusted } from './markup.ts'

test('no text can end an element or an attribute, or drive a terminal', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 40 }), (text) => {
      const { html } = markup`<p title="${text}">${text}</p>${prose(text)}`
      const inner = html.replace(/^<p title="([^"]*)">([^<]*)<\/p>/, '').replace(/<\/?code>/g, '')
      expect(inner).not.toMatch(/[<>"]|[^\P{Cc}\n\t]/u)
    }),
  )
})

test('markup, lists and what is not there', () => {
  expect(markup`<b>${trusted('&amp;')}${['<', markup`<i>`]}${undefined}${false}${0}</b>`.html).toBe(
    '<b>&amp;&lt;<i>0</b>',
  )
})

test('control characters are seen, line ends and tabs kept', () => {
  expect(markup`${'a\u001b\u0000\r\r\nb\tc\nd\u007f\u0085'}`.html).toBe('a␛␀␍␍\nb\tc\nd␡\uFFFD')
})

test('code marks of the catalogue are code', () => {
  expect(prose('`a<b` and `').html).toBe('<code>a&lt;b</code> and `')
})
