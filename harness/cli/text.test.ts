import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { messageLine, cut, printable } from './text.ts'

test.each([
  ['short', 11, 'short'],
  ['a text that is long', 11, 'a text tha…'],
  ['a text `that is` long', 12, 'a text…'],
  ['a `text` that is long', 12, 'a `text` th…'],
])('a text that is too long, %j, does not end within a code mark', (text, room, expected) => {
  expect(cut(text, room)).toBe(expected)
})

test('no text moves a cursor, opens a link, ends a line or hides a part of itself', () => {
  const hostile = fc.array(
    fc.constantFrom(
      'a',
      '\u001b]52;c;QQ==\u0007',
      '\u001b[2J',
      '\r',
      '\n',
      '\u009b',
      '\u202e',
      '\u200b',
      '\u2028',
    ),
  )
  forAll(hostile, (parts) => {
    expect(printable(parts.join(''))).toMatch(/^[\x20-\x7e]*$/)
  })
  expect(printable('é😀\u202e')).toBe('é😀\\u202e')
})

test('the message of an error is one line of a bounded length, whatever it quotes', () => {
  const names = Array.from({ length: 100_000 }, (_, nth) => `'k${nth}'`).join(', ')
  const line = messageLine(`unknown members: ${names}\n`)
  expect(line).toMatch(/^unknown members: 'k0', .*…$/)
  expect(line.length).toBeLessThanOrEqual(2_000)
})
