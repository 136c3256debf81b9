import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProgress } from './progress.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

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

test('shows what a file says without its control characters', () => {
  const { progress, at, written } = made(false)
  progress.update(1, 2, 'a\u001b[2J\n')
  at(30_000)
  progress.update(1, 2, 'a\u001b[2J\n')
  expect(written()).toMatch(/, a\\u001b\[2J\\n\n$/)
})

test('estimates the time left from the checks that are done, which only falls', () => {
  const { progress, at, written } = made(true)
  at(10_000)
  progress.update(30, 90, 'a')
  expect(written()).toContain('30 of 90 checks, about 20 s left, a')
  at(45_000)
  progress.update(60, 90, 'b')
  expect(written()).toContain('60 of 90 checks, about 20 s left, b')
  at(50_000)
  progress.update(75, 90, 'c')
  expect(written()).toContain('75 of 90 checks, about 10 s left, c')
  at(600_000)
  progress.update(80, 90, 'd')
  expect(written()).toContain('80 of 90 checks, longer than expecte')
})

describe('if the output is not a terminal', () => {
  test('writes nothing for half a minute, then a line each half minute, also while nothing happens', () => {
    const { progress, at, written } = made(false)
    at(29_999)
    progress.update(1, 9, 'auth.a')
    expect(written()).toBe('')
    at(30_000)
    vi.advanceTimersByTime(30_000)
    expect(written()).toBe('1 of 9 checks, about 4 min left, auth.a\n')
    at(59_000)
    progress.update(2, 9, 'auth.b')
    at(60_000)
    progress.update(3, 9, 'auth.c')
    progress.end()
    at(90_000)
    vi.advanceTimersByTime(60_000)
    expect(written().split('\n').slice(1)).toEqual(['3 of 9 checks, about 2 min left, auth.c', ''])
  })

  test('the first wait for a service is reported at once, with its time in the estimate', () => {
    const { progress, at, written } = made(false)
    at(4_000)
    progress.update(10, 100, 'the service answered 429: waiting', 1_000)
    expect(written()).toBe('')
    progress.update(10, 100, 'the service answered 429: waiting', 56_000)
    expect(written()).toBe('10 of 100 checks, about 9 min left, the service answered 429: waiting for 56 s\n')
    at(34_000)
    vi.advanceTimersByTime(30_000)
    expect(written()).toMatch(/waiting for 26 s\n$/)
    progress.update(11, 100, 'the service answered 429: waiting', 56_000)
    expect(written().split('\n')).toHaveLength(3)
  })
})
