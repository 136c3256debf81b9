// Any text in a template stays text.
import { expect, test } from 'vitest'
import { forAll } from '../../spec/property.fixture.ts'
import { anyText } from '../../conformance/generate/hostile-text.ts'
import { markup, prose, trusted } from './markup.ts'

test('no text can end an element or an attribute, or drive a terminal', () => {
  forAll(anyText({ maxLength: 40 }), (text) => {
    const html = String(markup`<p title="${text}">${text}</p>${prose(text)}`)
    const inner = html.replace(/^<p title="([^"]*)">([^<]*)<\/p>/, '').replace(/<\/?code>/g, '')
    expect(inner).not.toMatch(/[<>"]|[^\P{Cc}\n\t]/u)
  })
})

test('markup passes unescaped, lists are joined, undefined and false leave nothing', () => {
  expect(String(markup`<b>${trusted('&amp;')}${['<', markup`<i>`]}${undefined}${false}${0}</b>`)).toBe(
    '<b>&amp;&lt;<i>0</b>',
  )
})

test('control characters are visible, line ends and tabs stay', () => {
  expect(String(markup`${'a\u001b\u0000\r\r\nb\tc\nd\u007f\u0085'}`)).toBe('a␛␀␍␍\nb\tc\nd␡\uFFFD')
})

test('backticks of the catalogue mark code', () => {
  expect(String(prose('`a<b` and `'))).toBe('<code>a&lt;b</code> and `')
})
