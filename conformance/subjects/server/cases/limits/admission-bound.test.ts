// The bound holds for every honest limiter, whenever it is asked; and it is not so wide that it says nothing.
import { expect, it } from 'vitest'
import { fc, forAll } from '../../../../../spec/property.fixture.ts'
import { mostAdmitted } from './admission-bound.ts'

type Limiter = (now: number) => boolean
type MakeLimiter = (n: number, w: number, phase: number) => Limiter

const limiters: Readonly<Record<string, MakeLimiter>> = {
  'fixed windows by the clock': (n, w, phase) => {
    const used = new Map<number, number>()
    return (now) => {
      const window = Math.floor((now + phase) / w)
      used.set(window, (used.get(window) ?? 0) + 1)
      return (used.get(window) ?? 0) <= n
    }
  },
  'a fixed window from the first request': (n, w) => {
    let [endsAt, used] = [-Infinity, 0]
    return (now) => {
      if (now >= endsAt) [endsAt, used] = [now + w, 0]
      used += 1
      return used <= n
    }
  },
  'a sliding window': (n, w) => {
    let admitted: number[] = []
    return (now) => {
      admitted = admitted.filter((at) => at > now - w)
      const isAdmitted = admitted.length < n
      if (isAdmitted) admitted.push(now)
      return isAdmitted
    }
  },
  'a sliding window, counted in two': (n, w, phase) => {
    const used = new Map<number, number>()
    return (now) => {
      const window = Math.floor((now + phase) / w)
      const share = 1 - ((now + phase) / w - window)
      const isAdmitted = (used.get(window - 1) ?? 0) * share + (used.get(window) ?? 0) + 1 <= n
      if (isAdmitted) used.set(window, (used.get(window) ?? 0) + 1)
      return isAdmitted
    }
  },
  'a bucket': (n, w) => {
    let [tokens, at] = [n, 0]
    return (now) => {
      tokens = Math.min(n, tokens + ((now - at) * n) / w)
      at = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    }
  },
  GCRA: (n, w) => {
    let expected = 0
    return (now) => {
      const next = Math.max(expected, now) + w / n
      if (next - now > w) return false
      expected = next
      return true
    }
  },
}

const given = fc.record({
  requests: fc.integer({ min: 1, max: 20 }),
  windowSeconds: fc.double({ min: 0.5, max: 100, noNaN: true }),
  phase: fc.double({ min: 0, max: 100, noNaN: true }),
  gaps: fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 150 }),
  from: fc.nat(100),
})

it.each(Object.entries(limiters))('%s stays within it, from whichever request on (LIMIT-4)', (_, make) => {
  forAll(given, ({ requests, windowSeconds, phase, gaps, from }) => {
    const limiter = make(requests, windowSeconds, phase)
    let now = 0
    const times = gaps.map((gap) => (now += gap))
    const asked = times.map((at) => ({ at, isAdmitted: limiter(at) })).slice(from)
    const seconds = (asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0)
    const admitted = asked.filter(({ isAdmitted }) => isAdmitted).length
    expect(admitted).toBeLessThanOrEqual(mostAdmitted({ requests, windowSeconds }, seconds))
  })
})

it('is twice the limit for requests at the same time', () => {
  expect(mostAdmitted({ requests: 5, windowSeconds: 10 }, 0)).toBe(10)
})
