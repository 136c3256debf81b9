// Text is counted in characters, as JSON Schema counts it, and names have one form.
import { expect, test } from 'vitest'
import { fc, forAll } from '../property.fixture.ts'
import { isAtMost, name, participantName, textUpTo } from './text.ts'

test('length is that in code points, for any text and bound', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', '😀', '\uD83D') }),
  )
  forAll(text, fc.nat(15), (text, maximum) => {
    expect(isAtMost(text, maximum)).toBe([...text].length <= maximum)
    expect(textUpTo(maximum).safeParse(text).success).toBe([...text].length <= maximum)
  })
})

test('names are 1 to 64 letters, digits, underscores and hyphens', () => {
  const accepted = (text: string) => name.safeParse(text).success
  expect(['a', 'A-b_9', 'x'.repeat(64), '-'].map(accepted)).toEqual([true, true, true, true])
  expect(['', 'x'.repeat(65), 'a b', 'a.b', 'é', 'a\n', 'ａ'].map(accepted)).toEqual(Array(7).fill(false))
})

test('a name of a participant has up to 64 characters of any kind but those that mark up a prompt', () => {
  const accepted = (text: string) => participantName.safeParse(text).success
  expect(['Ada', 'é', 'a.b', '李', '😀'.repeat(64), 'x'.repeat(64), '"'].map(accepted)).toEqual(
    Array(7).fill(true),
  )
  expect(
    ['', 'x'.repeat(65), '😀'.repeat(65), 'a b', 'a\u00a0b', 'a\n', '<', '|', '\\', '/', '>'].map(accepted),
  ).toEqual(Array(11).fill(false))
})
