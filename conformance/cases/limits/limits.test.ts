// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import { cases, observers } from './limits.ts'
import { cases as underLoad } from './under-load.ts'
import {
  type Answer,
  type Fault,
  type Received,
  changeError,
  refuse,
  rightly,
  startService,
  without,
} from '../scripted/scripted-service.fixture.ts'
import {
  TEST_LIMIT,
  type JudgeOptions,
  judge,
  judgeFault,
} from '../scripted/judge-scripted-service.fixture.ts'
import { type Verdict, redRows } from '../scripted/scripted-verdicts.fixture.ts'

const options = { observers }

/** Changes every 429. */
function onLimit(change: (given: Answer) => Answer): () => Fault {
  return () => (request, next) => {
    const given = next(request)
    return given.status === 429 ? change(given) : given
  }
}

/** Gives another answer to what is meant, from a key that was over its limit once. */
function onceOver(isMeant: (request: Received) => boolean, other: Answer): () => Fault {
  return () => {
    const keys = new Set<unknown>()
    return (request, next) => {
      const key = request.headers['authorization']
      const given = next(request)
      if (given.status === 429) keys.add(key)
      return keys.has(key) && isMeant(request) ? other : given
    }
  }
}

function retryAfter(value: string): () => Fault {
  return onLimit((given) => ({ ...given, headers: { ...given.headers, 'retry-after': value } }))
}

interface Broken {
  readonly fault: () => Fault
  readonly rows: readonly string[]
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'a 403 over the limit': {
    fault: onLimit((given) => ({ ...given, status: 403 })),
    rows: ['LIMIT-1'],
    check: 'limits.form',
  },
  'a 503 over the limit': {
    fault: onLimit(() => refuse(503, 'busy', 'Too busy.', { headers: { 'retry-after': '1' } })),
    rows: ['LIMIT-1'],
    check: 'limits.form',
  },
  'a 400 over the limit, for the model list alone': {
    fault: onceOver(({ path }) => path === '/v1/models', refuse(400, 'quota', 'No.')),
    rows: ['LIMIT-1'],
    check: 'limits.form',
  },
  'a 503 over the limit, for streams alone': {
    fault: onceOver(({ body }) => body.includes('"stream":true'), refuse(503, 'busy', 'Too busy.')),
    rows: ['LIMIT-1'],
    check: 'limits.form',
  },
  'another type': {
    fault: onLimit((given) => changeError(given, { type: 'requests' })),
    rows: ['LIMIT-1'],
    check: 'limits.form',
  },
  'another code': {
    fault: onLimit((given) => changeError(given, { code: 'too_many_requests' })),
    rows: ['LIMIT-1'],
    check: 'limits.every-form',
  },
  'no limit, though one was asked for': {
    fault: () => (request, next, keys) => {
      for (const key of keys.all) key.used = 0
      return next(request)
    },
    rows: ['LIMIT-1'],
    check: 'limits.form',
  },
  'no Retry-After': {
    fault: onLimit((given) => ({ ...given, headers: without(given.headers, 'retry-after') })),
    rows: ['LIMIT-2'],
    check: 'limits.retry-after',
  },
  'a Retry-After of zero': {
    fault: retryAfter('0'),
    rows: ['LIMIT-7'],
    check: 'limits.retry-after-readable',
  },
  'a negative Retry-After': {
    fault: retryAfter('-1'),
    rows: ['LIMIT-7'],
    check: 'limits.retry-after-readable',
  },
  'a Retry-After with a unit': {
    fault: retryAfter('1s'),
    rows: ['LIMIT-7'],
    check: 'limits.retry-after-readable',
  },
  'a date as Retry-After': {
    fault: retryAfter('Sat, 21 Nov 2026 08:00:00 GMT'),
    rows: ['LIMIT-7'],
    check: 'limits.every-retry-after-readable',
  },
  'a Retry-After in milliseconds': {
    fault: retryAfter('60000'),
    rows: ['LIMIT-6'],
    check: 'limits.retry-after-in-seconds',
  },
  'a Retry-After that is not kept': {
    fault: () => {
      let refusedAt = Infinity
      return (request, next) => {
        const given = next(request)
        if (given.status === 429) refusedAt = Math.min(refusedAt, performance.now())
        return performance.now() > refusedAt
          ? refuse(429, 'rate_limit_exceeded', 'No.', { headers: { 'retry-after': '0.1' } })
          : given
      }
    },
    rows: ['LIMIT-3'],
    check: 'limits.admitted-after-the-wait',
  },
}

const odd: Readonly<Record<string, () => Fault>> = {
  'everything right': () => rightly,
  'whole seconds': retryAfter('1'),
  'more members and headers': onLimit((given) => ({
    ...changeError(given, { retry: true }),
    headers: { ...given.headers, 'retry-after-ms': '300', 'x-ratelimit-limit-requests': '3' },
  })),
  'a bucket that is refilled': () => {
    let tokens = 3
    let at = performance.now()
    return (request, next, keys) => {
      for (const key of keys.all) key.used = 0
      const now = performance.now()
      tokens = Math.min(3, tokens + (now - at) / 100)
      at = now
      if (tokens < 1) return refuse(429, 'rate_limit_exceeded', 'No.', { headers: { 'retry-after': '0.1' } })
      tokens -= 1
      return next(request)
    }
  },
  'an overload on the way': () => {
    let requests = 0
    return (request, next) => {
      requests += 1
      return requests % 7 === 2 ? refuse(503, 'busy', 'Too busy.') : next(request)
    }
  },
  'refused requests that count': () => {
    let until = 0
    return (request, next) => {
      const given = next(request)
      const isOver = given.status === 429 || performance.now() < until
      if (isOver) until = performance.now() + 300
      return isOver ? refuse(429, 'rate_limit_exceeded', 'No.', { headers: { 'retry-after': '0.3' } }) : given
    }
  },
}

function outcomes(verdicts: readonly Verdict[], row: RequirementId): readonly string[] {
  return [...new Set(verdicts.filter(({ requirement }) => requirement === row).map(({ outcome }) => outcome))]
}

describe.concurrent('limits', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeFault(fault(), cases, options)
    expect(redRows(verdicts)).toEqual(rows)
    expect(verdicts.find(({ id }) => id === check)).toMatchObject({ outcome: 'fail' })
    expect(verdicts.filter(({ outcome }) => outcome === 'error')).toEqual([])
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault(), cases, options)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })

  it('leaves the rows open where no limit is known and none is met', async () => {
    await using service = await startService()
    const { secret: key } = service.keys.create()
    const verdicts = await judge(service, cases, { target: { limited: async () => ({ key }) } })
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
    expect(verdicts[0]?.reason).toMatch(/no 429 came in \d+ requests/)
  })

  it.each([undefined, '600'])(
    'blames nobody where the key command ignores --limit, and the limit reported is %s',
    async (reported) => {
      const headers = reported === undefined ? {} : { 'x-ratelimit-limit-requests': reported }
      await using service = await startService((request, next) => {
        const given = next(request)
        return { ...given, headers: { ...given.headers, ...headers } }
      })
      const { secret: key } = service.keys.create()
      const limited = async () => ({ key, limit: TEST_LIMIT, isMade: true as const })
      const verdicts = await judge(service, [...cases, ...underLoad], {
        target: { limited, createKey: async () => service.keys.create() },
      })
      expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
      for (const { reason } of verdicts) expect(reason).toContain('the key command ignores --limit')
    },
  )

  it('blames a service that reports the limit of a key that was made, and does not keep it', async () => {
    const limit = String(TEST_LIMIT.requests)
    await using service = await startService((request, next) => {
      const given = next(request)
      return { ...given, headers: { ...given.headers, 'x-ratelimit-limit-requests': limit } }
    })
    const { secret: key } = service.keys.create()
    const limited = async () => ({ key, limit: TEST_LIMIT, isMade: true as const })
    expect(redRows(await judge(service, cases, { target: { limited } }))).toEqual(['LIMIT-1'])
  })

  it('leaves the rows open where the limit is more than the judge asks for', async () => {
    await using service = await startService()
    const limit = { requests: 5000, windowSeconds: 60 }
    const { secret: key } = service.keys.create({ limit })
    const target: JudgeOptions['target'] = { limited: async () => ({ key, limit }) }
    const verdicts = await judge(service, cases, { target })
    expect(verdicts[0]?.reason).toContain('5000')
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
  })

  it('asks as often as a limit that is known allows, and a margin', async () => {
    await using service = await startService()
    const limit = { requests: 250, windowSeconds: 60 }
    const { secret: key } = service.keys.create({ limit })
    const target: JudgeOptions['target'] = { limited: async () => ({ key, limit }) }
    const verdicts = await judge(service, cases.slice(0, 1), { target })
    expect(verdicts).toMatchObject([{ requirement: 'LIMIT-1', outcome: 'pass' }])
  })

  it('leaves the rows open where the limited key is no key', async () => {
    const target: JudgeOptions['target'] = { limited: async () => ({ key: 'svc_sk_no', limit: TEST_LIMIT }) }
    const verdicts = await judgeFault(rightly, cases, { target })
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
  })

  it('holds every 429 of a run against the form, whoever asked', async () => {
    let requests = 0
    const once: Fault = (request, next) => {
      requests += 1
      return requests === 1
        ? refuse(429, 'slow_down', 'No.', { headers: { 'retry-after': '0' } })
        : next(request)
    }
    const verdicts = await judgeFault(once, cases, options)
    expect(redRows(verdicts)).toEqual(['LIMIT-1', 'LIMIT-7'])
    expect(outcomes(verdicts, 'LIMIT-3')).toEqual(['pass'])
  })
})
