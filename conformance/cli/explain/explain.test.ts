import { expect, test } from 'vitest'
import { runCli } from '../cli.fixture.ts'

test('a row of clients is explained as one', { tags: 'slow' }, async () => {
  const { code, stdout } = await runCli(['explain', 'RETRY-4'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/client .*-- COMMAND/)])
  expect(stdout).toMatch(/retry n \(n from 0\) is 1000 ms/)
  expect(stdout).toMatch(/Accepted, or not judged\n +Judged with a tolerance/)
  expect(stdout).not.toContain('No case stands')
})

test.each([
  ['chat.every-recorded-failure', 'CHAT-9'],
  ['retry.every-jitter', 'RETRY-11'],
])('a check of recordings alone is explained: %s', async (id, row) => {
  const { code, stdout } = await runCli(['explain', id])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`recorded FILE --only ${id}`)])
  expect(stdout).toContain(row)
})
