import { expect, test } from 'vitest'
import { fc, forAllWith } from '../../spec/property.fixture.ts'
import { anyCharacter, anyText } from './hostile-text.ts'

test('is well-formed, of the asked length, and reaches all of Unicode', () => {
  const planes = new Set<number>()
  forAllWith({ numRuns: 1000 }, anyText({ minLength: 1, maxLength: 20 }), (text) => {
    expect(text.isWellFormed()).toBe(true)
    const characters = [...text]
    expect(characters.length).toBeGreaterThan(0)
    expect(characters.length).toBeLessThanOrEqual(20)
    for (const character of characters) planes.add((character.codePointAt(0) ?? 0) >> 16)
  })
  expect([...planes].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, plane) => plane))
})

test('shrinks to the plainest character', () => {
  const { counterexample } = fc.check(fc.property(anyCharacter, () => false))
  expect(counterexample).toEqual(['a'])
})
