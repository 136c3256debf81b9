import { expect, test } from 'vitest'
import { requirements } from '../../spec/catalogue/requirements.ts'
import { runCli } from './cli.fixture.ts'
import { splitText } from './explain.ts'

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

test('a row of clients is explained as one', { tags: 'slow' }, async () => {
  const { code, stdout } = await runCli(['explain', 'RETRY-4'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/client .*-- COMMAND/)])
  expect(stdout).toMatch(/retry n \(n from 0\) is 1000 ms/)
  expect(stdout).toMatch(/Accepted, or not judged\n +Judged with a tolerance/)
  expect(stdout).not.toContain('No case stands')
})
