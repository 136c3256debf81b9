import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

/** A progress line with a fake clock, on a stream that keeps what is written. */
function made(isTTY: boolean) {
  let written = ''
  let now = 0
  const stream = { isTTY, columns: 40, write: (text: string) => (written += text) }
  const progress = createProgress(stream, () => now)
  return { progress, at: (ms: number) => (now = ms), written: () => written }
}

test('writes nothing for two seconds, then the progress, and clears the line at the end', () => {
  const { progress, at, written } = made(true)
  progress.update(1, 90, 'auth.a')
  expect(written()).toBe('')
  at(2_000)
  progress.update(2, 90, 'auth.a-very-long-name-of-a-check')
  expect(written()).toBe('\r\u001b[2K2 of 90 checks, auth.a-very-long-name-o')
  progress.update(3, 90, 'auth.c')
  expect(written()).not.toContain('auth.c')
  at(2_200)
  progress.update(4, 90, 'auth.d')
  progress.end()
  expect(written().endsWith('4 of 90 checks, auth.d\r\u001b[2K')).toBe(true)
})

test('estimates the time left from the checks that are done', () => {
  const { progress, at, written } = made(true)
  at(10_000)
  progress.update(30, 90, 'a')
  expect(written()).toContain('30 of 90 checks, about 20 s left, a')
  at(600_000)
  progress.update(60, 90, 'b')
  expect(written()).toContain('60 of 90 checks, about 5 min left, b')
})

test('writes nothing if the output is not a terminal', () => {
  const { progress, at, written } = made(false)
  at(10_000)
  progress.update(1, 9, 'auth.a')
  progress.end()
  expect(written()).toBe('')
})
