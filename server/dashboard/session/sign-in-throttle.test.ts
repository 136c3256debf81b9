import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSignInThrottle, DEFAULT_SIGN_IN_LIMITS, type SignInLimits } from './sign-in-throttle.ts'

const limits: SignInLimits = {
  failuresPerAddress: 3,
  failures: 5,
  maxDelaySeconds: 40,
  windowSeconds: 60,
  pauseMs: 0,
  waiting: 4,
  waitingPerAddress: 4,
  maxWaitSeconds: 20,
}
const right = async () => true
const wrong = async () => false

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('failures', () => {
  test('of one address double its wait, up to a maximum, and delay no other address', async () => {
    const throttle = createSignInThrottle({ ...limits, failures: 100, windowSeconds: 600 })
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
    vi.advanceTimersByTime(60_000)
    for (const _ of [1, 2]) expect(await throttle.attempt('a', wrong)).toBe('wrong')
    expect(await throttle.attempt('a', right)).toBe('right')
  })

  test('of many addresses delay each address from its first failure on, and no other address', async () => {
    const throttle = createSignInThrottle(limits)
    for (const address of ['a', 'b', 'c', 'd', 'e'])
      expect(await throttle.attempt(address, wrong)).toBe('wrong')
    for (const address of ['a', 'e'])
      expect(await throttle.attempt(address, right)).toEqual({
        refused: 'too many failures',
        retryAfterSeconds: 1,
      })
    expect(await throttle.attempt('operator', right)).toBe('right')
    // One attempt is left to each of the others.
    expect(await throttle.attempt('f', wrong)).toBe('wrong')
    expect(await throttle.attempt('f', right)).toMatchObject({ refused: 'too many failures' })
    vi.advanceTimersByTime(1000)
    // The second failure of an address costs two seconds, and so on.
    expect(await throttle.attempt('f', wrong)).toBe('wrong')
    expect(await throttle.attempt('f', right)).toMatchObject({ retryAfterSeconds: 2 })
    expect(await throttle.attempt('a', right)).toBe('right')
  })

  test('of one IPv6 network count together', async () => {
    const throttle = createSignInThrottle(limits)
    for (const host of [1, 2, 3]) expect(await throttle.attempt(`2001:db8::${host}`, wrong)).toBe('wrong')
    expect(await throttle.attempt('2001:db8::4', right)).toMatchObject({ refused: 'too many failures' })
    expect(await throttle.attempt('2001:db8:0:1::4', right)).toBe('right')
  })

  test('of an address are cleared when it signs in', async () => {
    const throttle = createSignInThrottle({ ...limits, failures: 100 })
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
    const throttle = createSignInThrottle({ ...limits, failuresPerAddress: 1, failures: 1 })
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

/** Verifies each password in a turn of its own, so that the order of a full queue shows. */
const inTurn = (served: string[], address: string, result: boolean) => async () => {
  served.push(address)
  await new Promise((resolve) => setImmediate(resolve))
  return result
}

describe('the order of attempts', () => {
  const wide: SignInLimits = {
    ...limits,
    failures: 100,
    failuresPerAddress: 100,
    waiting: 100,
    waitingPerAddress: 100,
  }

  async function serve(throttle: ReturnType<typeof createSignInThrottle>, addresses: readonly string[]) {
    const served: string[] = []
    await Promise.all(
      addresses.map((address) => throttle.attempt(address, inTurn(served, address, address === 'operator'))),
    )
    return served
  }

  test('prefers the address with the fewest recent attempts, then the newest', async () => {
    const throttle = createSignInThrottle(wide)
    await serve(throttle, ['a', 'b', 'b', 'b', 'c', 'c'])
    // `a` runs at once; the others wait.
    expect(await serve(throttle, ['a', 'b', 'operator', 'c', 'd'])).toEqual(['a', 'd', 'operator', 'c', 'b'])
  })

  test('prefers an address that signed in before to addresses without attempts', async () => {
    const throttle = createSignInThrottle(wide)
    await serve(throttle, ['operator'])
    expect(await serve(throttle, ['a', 'operator', 'b', 'c'])).toEqual(['a', 'operator', 'c', 'b'])
  })

  test('counts the networks of one IPv6 site together', async () => {
    const throttle = createSignInThrottle(wide)
    for (const network of [1, 2, 3]) await serve(throttle, [`2001:db8:1:${network}::1`])
    const later = ['x', 'operator', '2001:db8:1:4::1', '2001:db8:1:5::1']
    expect((await serve(throttle, later))[1]).toBe('operator')
  })

  test('serves the operator next while 1,000 addresses fail, also after a mistyped password', async () => {
    const throttle = createSignInThrottle({ ...DEFAULT_SIGN_IN_LIMITS, pauseMs: 0 })
    expect(await throttle.attempt('mistyped', wrong)).toBe('wrong')
    const served: string[] = []
    const attackers = Array.from({ length: 1000 }, (_, host) => `198.18.${host >> 8}.${host & 255}`)
    const attack = (addresses: readonly string[]) =>
      addresses.map((address) => throttle.attempt(address, inTurn(served, address, false)))
    for (let round = 0; round < 10; round += 1) {
      const attacks = attack(attackers.slice(500))
      // An attacker is served from its third attempt on after an operator who tries for the first or second time.
      const address = round < 2 ? undefined : (['192.0.2.1', 'mistyped'] as const)[round % 2]
      const before = served.length
      const signIn = address && throttle.attempt(address, inTurn(served, address, true))
      attacks.push(...attack(attackers.slice(0, 500)))
      await Promise.all([...attacks, signIn])
      if (address === undefined) continue
      expect(await signIn).toBe('right')
      // One attempt is verified already.
      expect(served.slice(before).indexOf(address)).toBeLessThanOrEqual(1)
      vi.advanceTimersByTime(1000)
    }
  })

  test('counts refused attempts, and a full queue refuses the address with the most', async () => {
    const throttle = createSignInThrottle({ ...wide, waiting: 3 })
    const flood = ['a', 'b', 'c', 'd', 'e', 'f']
    expect(await serve(throttle, flood)).toEqual(['a', 'f', 'e'])
    const again = Promise.all([...flood, ...flood].map((address) => throttle.attempt(address, wrong)))
    expect(await throttle.attempt('operator', right)).toBe('right')
    expect((await again).filter((verdict) => verdict !== 'wrong')).not.toHaveLength(0)
  })

  test('leaves no attempt waiting longer than the maximum', async () => {
    const throttle = createSignInThrottle(wide)
    let finish = () => {}
    const first = throttle.attempt('a', () => new Promise((resolve) => (finish = () => resolve(true))))
    const verify = vi.fn(right)
    const second = throttle.attempt('b', verify)
    vi.advanceTimersByTime(20_001)
    finish()
    expect(await first).toBe('right')
    expect(await second).toEqual({ refused: 'busy', retryAfterSeconds: 1 })
    expect(verify).not.toHaveBeenCalled()
  })
})
