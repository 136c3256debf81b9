import { expect, test } from 'vitest'
import { cut } from './text.ts'

test.each([
  ['short', 11, 'short'],
  ['a text that is long', 11, 'a text tha…'],
  ['a text `that is` long', 12, 'a text…'],
  ['a `text` that is long', 12, 'a `text` th…'],
])('a text that is too long, %j, does not end within a code mark', (text, room, expected) => {
  expect(cut(text, room)).toBe(expected)
})
