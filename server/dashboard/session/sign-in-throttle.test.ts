import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSignInThrottle, type SignInLimits } from './sign-in-throttle.ts'

const limits: SignInLimits = {
  failuresPerAddress: 3,
  maxDelaySeconds: 40,
  windowSeconds: 60,
  pauseMs: 0,
  waiting: 4,
  waitingPerAddress: 4,
}
const right = async () => true
const wrong = async () => false

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  // The cache takes the time 0 for none.
  vi.advanceTimersByTime(1)
})
afterEach(() => {
  vi.useRealTimers()
})

describe('failures', () => {
  test('of one address double its wait, up to a maximum, and delay no other address', async () => {
    const throttle = createSignInThrottle({ ...limits, windowSeconds: 600 })
    for (const _ of [1, 2]) expect(await throttle.attempt('a', wrong)).toBe('wrong')
    for (const delay of [1, 2, 4, 8, 16, 32, 40, 40]) {
      expect(await throttle.attempt('a', wrong)).toBe('wrong')
      const verify = vi.fn(right)
      const refusal = { refused: 'too many failures', retryAfterSeconds: delay }
      expect(await throttle.attempt('a', verify)).toEqual(refusal)
      vi.advanceTimersByTime(delay * 1000 - 1)
      expect(await throttle.attempt('a', verify)).toEqual({ ...refusal, retryAfterSeconds: 1 })
      expect(verify).not.toHaveBeenCalled()
      expect(await throttle.attempt('b', right)).toBe('right')
      vi.advanceTimersByTime(1)
    }
    expect(await throttle.attempt('a', right)).toBe('right')
    expect(await throttle.attempt('a', wrong)).toBe('wrong')
    expect(await throttle.attempt('a', right)).toBe('right')
  })

  test('expire one window after the last one', async () => {
    const throttle = createSignInThrottle(limits)
    for (const _ of [1, 2, 3]) await throttle.attempt('a', wrong)
    vi.advanceTimersByTime(60_001)
    for (const _ of [1, 2]) expect(await throttle.attempt('a', wrong)).toBe('wrong')
    expect(await throttle.attempt('a', right)).toBe('right')
  })

  test('of one IPv6 network count together', async () => {
    const throttle = createSignInThrottle(limits)
    for (const host of [1, 2, 3]) expect(await throttle.attempt(`2001:db8::${host}`, wrong)).toBe('wrong')
    expect(await throttle.attempt('2001:db8::4', right)).toMatchObject({ refused: 'too many failures' })
    expect(await throttle.attempt('2001:db8:0:1::4', right)).toBe('right')
  })

  test('of an address are cleared when it signs in', async () => {
    const throttle = createSignInThrottle(limits)
    for (const verify of [wrong, wrong, right, wrong, wrong, right])
      expect(await throttle.attempt('a', verify)).toBe(verify === right ? 'right' : 'wrong')
  })

  test('are counted exactly when attempts arrive together', async () => {
    const throttle = createSignInThrottle({ ...limits, waiting: 100, waitingPerAddress: 100 })
    const verify = vi.fn(wrong)
    await Promise.all(Array.from({ length: 50 }, () => throttle.attempt('a', verify)))
    expect(verify).toHaveBeenCalledTimes(3)
  })
})

describe('attempts', () => {
  test('with the right password never count', async () => {
    const throttle = createSignInThrottle({ ...limits, failuresPerAddress: 1 })
    for (let attempt = 0; attempt < 30; attempt += 1) expect(await throttle.attempt('a', right)).toBe('right')
  })

  test('are verified one at a time, with a bounded queue', async () => {
    const throttle = createSignInThrottle(limits)
    let running = 0
    let most = 0
    const verify = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return true
    }
    const verdicts = await Promise.all(Array.from({ length: 6 }, () => throttle.attempt('a', verify)))
    expect(verdicts.slice(0, 4)).toEqual(['right', 'right', 'right', 'right'])
    const busy = { refused: 'busy', retryAfterSeconds: 1 }
    expect(verdicts.slice(4)).toEqual([busy, busy])
    expect(most).toBe(1)
  })

  test('of one address leave room in the queue for others', async () => {
    const throttle = createSignInThrottle({ ...limits, waiting: 4, waitingPerAddress: 2 })
    const flood = Promise.all(Array.from({ length: 10 }, () => throttle.attempt('a', right)))
    expect(await throttle.attempt('b', right)).toBe('right')
    expect((await flood).filter((verdict) => verdict === 'right')).toHaveLength(2)
    expect(await throttle.attempt('a', right)).toBe('right')
  })

  test('continue after a verification that throws', async () => {
    const throttle = createSignInThrottle({ ...limits, waiting: 1 })
    await expect(throttle.attempt('a', () => Promise.reject(new Error('no memory')))).rejects.toThrow(
      'no memory',
    )
    expect(await throttle.attempt('a', right)).toBe('right')
  })
})
