import { expect, test } from 'vitest'
import { everyHardText, hardNames, hardNumbers, hardObjectText, hardTexts, nulTexts } from './hard-values.ts'

test('texts are well-formed, and no two are the same', () => {
  const texts = Object.values({ ...hardTexts, ...nulTexts })
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([])
  expect(new Set(texts).size).toBe(texts.length)
  expect(everyHardText).not.toContain('\0')
})

test('texts have characters of two, three and four bytes, and the ends of lines that only some readers know', () => {
  for (const character of [
    '\u00FC',
    '\u6771',
    '\u{1F600}',
    '\u2028',
    '\u2029',
    '\u0085',
    '\v',
    '\f',
    '"',
    '\\',
  ])
    expect(everyHardText).toContain(character)
})

test('numbers are JSON, and at least half of them do not keep their text in JavaScript', () => {
  const numbers = Object.values(hardNumbers)
  const changed = numbers.filter((text) => JSON.stringify(JSON.parse(text)) !== text)
  expect(changed.length).toBeGreaterThan(numbers.length / 2)
})

test('the object has every value, and its numbers by their text', () => {
  const value: unknown = JSON.parse(hardObjectText)
  expect(value).toMatchObject({ ...hardTexts, ...nulTexts, null: null })
  for (const name of hardNames) expect(value).toHaveProperty([name])
  for (const [name, text] of Object.entries(hardNumbers))
    expect(hardObjectText).toContain(`"${name}":${text}`)
})
