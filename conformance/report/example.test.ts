import { expect, test } from 'vitest'
import { requirements } from '../../spec/catalogue/requirements.ts'
import { splitText } from './example.ts'

test('every row is split into whole sentences, or not at all', () => {
  for (const { id, text } of requirements) {
    const [rule, accepted] = splitText(text)
    for (const part of [rule, accepted ?? '']) {
      const count = (sign: string): number => part.split(sign).length
      expect([id, count('(')]).toEqual([id, count(')')])
    }
    expect(rule).toMatch(/[.)]$/)
    if (accepted !== undefined)
      expect([`${rule} (${accepted})`, `${rule} (${accepted}) (wire)`]).toContain(text)
  }
})
