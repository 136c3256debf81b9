import { expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { code, codeBlock, words } from './markdown-text.ts'

const hostile = fc
  .array(
    fc.constantFrom('`', '``', '\r', '\n', '# ', '![x](http://e.example/p)', '|', '<img>', '\u202e', 'a '),
  )
  .map((parts) => parts.join(''))

test('no text ends its line', () => {
  forAll(hostile, (text) => {
    for (const written of [code(text), words(text)]) expect(written).not.toMatch(/[\r\n\u202e]/)
  })
})

test('a code span ends where its fence comes again, and nowhere in its text', () => {
  forAll(hostile, (text) => {
    const written = code(text)
    const fence = /^`+/.exec(written)?.[0] ?? ''
    const runs = [...written.matchAll(/`+/g)].map(([run]) => run)
    expect(runs.filter((run) => run === fence)).toHaveLength(2)
    expect(written.endsWith(fence)).toBe(true)
  })
  expect(code('a ``` b')).toBe('```` a ``` b ````')
})

test('words open no link, picture, heading, cell or element, and no address becomes a link', () => {
  forAll(hostile, (text) => {
    expect(words(text)).not.toMatch(/(?<!\\)[[\]<>#|]/)
    expect(words(text)).not.toMatch(/(?<!\\):\/\//)
  })
  expect(words('see www.e.example')).toBe('see www\\.e.example')
})

test('a block has a longer fence than any run in it', () => {
  expect(codeBlock(['a', '````'])[0]).toBe('`````')
})
