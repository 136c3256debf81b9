import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

/** A progress line on a stream that remembers, with a clock that is set by hand. */
function made(isTTY: boolean) {
  let written = ''
  let now = 0
  const stream = { isTTY, columns: 30, write: (text: string) => (written += text) }
  const progress = createProgress(stream, () => now)
  return { progress, at: (ms: number) => (now = ms), written: () => written }
}

test('says nothing for two seconds, then where it is, and clears the line at the end', () => {
  const { progress, at, written } = made(true)
  progress.update(1, 9, 'auth.a')
  expect(written()).toBe('')
  at(2_000)
  progress.update(2, 9, 'auth.a-very-long-name-of-a-check')
  expect(written()).toBe('\r\u001b[2K2 of 9 checks, auth.a-very-lo')
  progress.update(3, 9, 'auth.c')
  expect(written()).not.toContain('auth.c')
  at(2_200)
  progress.update(4, 9, 'auth.d')
  progress.end()
  expect(written().endsWith('4 of 9 checks, auth.d\r\u001b[2K')).toBe(true)
})

test('says nothing where no terminal reads it', () => {
  const { progress, at, written } = made(false)
  at(10_000)
  progress.update(1, 9, 'auth.a')
  progress.end()
  expect(written()).toBe('')
})
