// A value is loaded once for all who use it, stays while one of them does, and goes when it was idle for long enough.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleCache } from './idle-cache.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function idleCacheOf(idleMs: number | null, { failures = 0 } = {}) {
  const log: string[] = []
  let left = failures
  const cache = createIdleCache<string>({
    idleMs,
    async load(id) {
      log.push(`load ${id}`)
      await Promise.resolve()
      left -= 1
      if (left >= 0) throw new Error('it cannot be loaded')
      return id.toUpperCase()
    },
    async unload(value) {
      log.push(`unload ${value}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      log.push(`gone ${value}`)
    },
  })
  return { cache, log }
}

test('two who need a value share it, and it goes after the last of them', async () => {
  const { cache, log } = idleCacheOf(1000)
  const [one, two] = await Promise.all([cache.take('a'), cache.take('a')])
  expect([one.value, two.value]).toEqual(['A', 'A'])
  one.release()
  one.release()
  await vi.advanceTimersByTimeAsync(5000)
  expect(log).toEqual(['load a'])
  two.release()
  await vi.advanceTimersByTimeAsync(999)
  expect(log).toEqual(['load a'])
  await vi.advanceTimersByTimeAsync(101)
  expect(log).toEqual(['load a', 'unload A', 'gone A'])
})

test('use puts the end off, and a value that is wanted again while it goes is loaded after that', async () => {
  const { cache, log } = idleCacheOf(1000)
  ;(await cache.take('a')).release()
  await vi.advanceTimersByTimeAsync(900)
  ;(await cache.take('a')).release()
  await vi.advanceTimersByTimeAsync(900)
  expect(log).toEqual(['load a'])
  await vi.advanceTimersByTimeAsync(150)
  const again = cache.take('a')
  await vi.advanceTimersByTimeAsync(100)
  expect((await again).value).toBe('A')
  expect(log).toEqual(['load a', 'unload A', 'gone A', 'load a'])
})

test('what cannot be loaded is tried again by the next who needs it', async () => {
  const { cache, log } = idleCacheOf(null, { failures: 1 })
  await expect(cache.take('a')).rejects.toThrow('it cannot be loaded')
  const { value, release } = await cache.take('a')
  expect(value).toBe('A')
  release()
  await vi.advanceTimersByTimeAsync(1_000_000)
  expect(log).toEqual(['load a', 'load a'])
})
