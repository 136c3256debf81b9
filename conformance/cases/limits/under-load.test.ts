// Each fault turns red its row and no other; what an honest limiter may do stays green.
import { describe, expect, it, vi } from 'vitest'
import { Inconclusive } from '../../runner/outcomes.ts'
import type { Target } from '../../target/target.ts'
import { cases } from './under-load.ts'
import {
  type Fault,
  type Handler,
  type Key,
  type Keys,
  type Received,
  refuse,
  rightly,
  startService,
} from '../scripted/scripted-service.fixture.ts'
import { judge, judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { redRows } from '../scripted/scripted-verdicts.fixture.ts'

function keyOf(request: Received, keys: Keys): Key | undefined {
  return keys.all.find(({ secret }) => request.headers['authorization'] === `Bearer ${secret}`)
}

const refusal = (retryAfter = '1') =>
  refuse(429, 'rate_limit_exceeded', 'No.', { headers: { 'retry-after': retryAfter } })

/** Limits keys in another way than the right service does: `admits` is asked for each request. */
function limitedBy(admits: (key: Key, now: number, limit: { n: number; w: number }) => boolean): Fault {
  return (request, next, keys) => {
    const key = keyOf(request, keys)
    if (key === undefined || key.limit === null) return next(request)
    const { requests: n, windowSeconds } = key.limit
    key.used = 0
    return admits(key, performance.now(), { n, w: windowSeconds * 1000 }) ? next(request) : refusal()
  }
}

/** A value for each key. */
function perKey<Value>(first: () => Value): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? first()
    values.set(key, value)
    return value
  }
}

const broken: Readonly<Record<string, { fault: () => Fault; rows: readonly string[] }>> = {
  'three times the limit is admitted': {
    fault: () => {
      const used = perKey(() => ({ count: 0 }))
      return limitedBy((key, _, { n }) => ++used(key).count <= 3 * n)
    },
    rows: ['LIMIT-4'],
  },
  'a 429 under load has another code': {
    fault: () => (request: Received, next: Handler) => {
      const given = next(request)
      return given.status === 429 ? refuse(429, 'busy', 'No.', { headers: { 'retry-after': '1' } }) : given
    },
    rows: ['LIMIT-4'],
  },
  'all keys have one count': {
    fault: () => {
      let used = 0
      return limitedBy((_key, _now, { n }) => ++used <= n)
    },
    rows: ['LIMIT-5'],
  },
}

const odd: Readonly<Record<string, () => Fault>> = {
  'everything right': () => rightly,
  'a bucket that is refilled': () => {
    const bucket = perKey(() => ({ tokens: Infinity, at: 0 }))
    return limitedBy((key, now, { n, w }) => {
      const own = bucket(key)
      own.tokens = Math.min(n, own.tokens + ((now - own.at) * n) / w)
      own.at = now
      if (own.tokens < 1) return false
      own.tokens -= 1
      return true
    })
  },
  'a sliding window': () => {
    const log = perKey(() => ({ admitted: [] as number[] }))
    return limitedBy((key, now, { n, w }) => {
      const own = log(key)
      own.admitted = own.admitted.filter((at) => at > now - w)
      return own.admitted.length < n && own.admitted.push(now) > 0
    })
  },
  'no burst at all: one request at a time': () => {
    const last = perKey(() => ({ at: -Infinity }))
    return limitedBy((key, now, { n, w }) => {
      if (now - last(key).at < w / n) return false
      last(key).at = now
      return true
    })
  },
  'a window that ends in the middle of the burst': () => {
    const used = perKey(() => ({ count: 0 }))
    return limitedBy((key, _, { n }) => ++used(key).count <= 2 * n)
  },
}

/** Only given keys: none can be made. */
function givenOnly(more: Partial<Target>): Partial<Target> {
  const createKey = async (): Promise<never> => {
    throw new Inconclusive('no key command', 'CONFORMANCE_KEY_COMMAND')
  }
  return { createKey, ...more }
}

describe.concurrent('limits under load', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, rows }) => {
    const verdicts = await judgeFault(fault(), cases)
    expect(redRows(verdicts)).toEqual(rows)
    expect(verdicts.filter(({ outcome }) => outcome === 'error')).toEqual([])
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault(), cases)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })

  it(
    'reads the limit of a given key from its header, and takes its window as the shortest',
    { concurrent: false },
    async () => {
      // All requests have to fit into one second, also on a busy machine: this clock runs slowly.
      const now = performance.now.bind(performance)
      using clock = vi.spyOn(performance, 'now').mockImplementation(() => now() / 50)
      let used = 0
      const fault: Fault = (request, next, keys) => {
        if (keyOf(request, keys)?.limit === null) return next(request)
        used += 1
        for (const key of keys.all) key.used = 0
        const given = used > 40 ? refusal() : next(request)
        return { ...given, headers: { ...given.headers, 'x-ratelimit-limit-requests': '10' } }
      }
      await using service = await startService(fault)
      const { secret: key } = service.keys.create({ limit: { requests: 10, windowSeconds: 60 } })
      const verdicts = await judge(service, cases.slice(0, 1), {
        target: givenOnly({ limited: async () => ({ key }) }),
      })
      expect(verdicts[0]).toMatchObject({ requirement: 'LIMIT-4', outcome: 'fail' })
      expect(verdicts[0]?.reason).toMatch(/29 of 30 admitted|30 of 30 admitted/)
      expect(clock).toHaveBeenCalled()
    },
  )

  it('leaves LIMIT-4 open where nothing tells the limit', async () => {
    await using service = await startService()
    const { secret: key } = service.keys.create({ limit: { requests: 10, windowSeconds: 60 } })
    const verdicts = await judge(service, cases, { target: givenOnly({ limited: async () => ({ key }) }) })
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['inconclusive', 'pass'])
    expect(verdicts[0]?.reason).toContain('--limit')
  })

  it('never blames a given key for its own traffic', async () => {
    const limit = { requests: 3, windowSeconds: 60 }
    await using service = await startService((request, next, keys) =>
      keyOf(request, keys) === keys.all[1] ? refusal() : next(request),
    )
    const limited = service.keys.create({ limit })
    const verdicts = await judge(service, cases.slice(1), {
      target: givenOnly({ limited: async () => ({ key: limited.secret, limit }) }),
    })
    expect(verdicts[0]).toMatchObject({ requirement: 'LIMIT-5', outcome: 'inconclusive' })
  })
})
