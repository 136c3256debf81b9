import { expect, test } from 'vitest'
import { escapePattern } from './escape-pattern.ts'

const CHARACTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  'é',
  '\u2028',
  '𝄞',
]

test.each(['', 'i', 'u', 'v'])('with the flags "%s" an escaped character matches itself alone', (flags) => {
  for (const character of CHARACTERS) {
    const escaped = escapePattern(character)
    expect(new RegExp(`^a${escaped}b$`, flags).test(`a${character}b`)).toBe(true)
    expect(new RegExp(`^${escaped}$`, flags).test(`${character}${character}`)).toBe(false)
    expect(new RegExp(`^[${escaped}~]+$`, flags || 'u').test(`${character}~`)).toBe(true)
  }
})
