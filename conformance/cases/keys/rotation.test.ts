// A rotation that loses a request is seen, whichever it is; what a rotation may do to traffic is allowed.
import { describe, expect, it } from 'vitest'
import { Inconclusive } from '../../runner/outcomes.ts'
import { cases } from './rotation.ts'
import { cases as inBrowsers } from './browsers.ts'
import {
  type Fault,
  type Key,
  type Keys,
  type Received,
  refuse,
  rightly,
  startService,
  withAuthorization,
} from '../scripted/scripted-service.fixture.ts'
import { judge, judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { redRows } from '../scripted/scripted-verdicts.fixture.ts'

function keyOf(request: Received, keys: Keys): Key | undefined {
  return keys.all.find(({ secret }) => request.headers['authorization'] === `Bearer ${secret}`)
}

const isStream = (request: Received): boolean => request.body.includes('"stream":true')
const noKey = () => refuse(401, 'invalid_api_key', 'No.')

/** The keys of the rotation: the last one made, and the one before it. */
function newest(keys: Keys): Key | undefined {
  return keys.all.at(-1)
}

/** Answers otherwise once, at the first request for which `when` holds. */
function onceWhen(when: (request: Received, keys: Keys) => boolean, otherwise: Fault): () => Fault {
  return () => {
    let isDone = false
    return (request, next, keys) => {
      if (isDone || !when(request, keys)) return next(request)
      isDone = true
      return otherwise(request, next, keys)
    }
  }
}

/** The rotation has begun: the two keys that the target has from the start, the old one, and more. */
const hasBegun = (keys: Keys): boolean => keys.all.length > 3

const broken: Readonly<Record<string, () => Fault>> = {
  'one request with the old key is refused when a new one was made': onceWhen(
    (request, keys) => hasBegun(keys) && keyOf(request, keys) === keys.all[2],
    noKey,
  ),
  'a new key is refused at first': onceWhen(
    (request, keys) => hasBegun(keys) && keyOf(request, keys) === newest(keys),
    noKey,
  ),
  'one stream is cut': onceWhen(
    (request, keys) => hasBegun(keys) && isStream(request),
    (request, next) => ({ ...next(request), body: 'data: {"choices":[]}\n\n' }),
  ),
  'one request is answered with 500': onceWhen(
    (_, keys) => hasBegun(keys),
    () => refuse(500, 'internal_error', 'No.'),
  ),
  'the revocation takes the new key along': onceWhen(
    (request, keys) => keys.all[2]?.revoked === true && keyOf(request, keys) === newest(keys),
    noKey,
  ),
  'each new key and each revocation brings a 503': () => {
    let changes = ''
    return (request, next, keys) => {
      const seen = keys.all
        .slice(2)
        .map(({ revoked }) => revoked)
        .join()
      if (seen === changes) return next(request)
      changes = seen
      return refuse(503, 'busy', 'No.', { headers: { 'retry-after': '0.1' } })
    }
  },
  'the first refusal of each old key brings a 503': () => {
    const refused = new Set<Key>()
    let isBusy = false
    return (request, next, keys) => {
      const key = keyOf(request, keys)
      if (key?.revoked === true && keys.all.indexOf(key) >= 2 && !refused.has(key)) {
        refused.add(key)
        isBusy = true
        return next(request)
      }
      if (!isBusy || key?.revoked === true) return next(request)
      isBusy = false
      return refuse(503, 'busy', 'No.', { headers: { 'retry-after': '0.1' } })
    }
  },
  'the old key goes on': () => (request, next, keys) => {
    const main = keys.all[0]
    return next(
      main !== undefined && keyOf(request, keys)?.revoked
        ? withAuthorization(request, `Bearer ${main.secret}`)
        : request,
    )
  },
  'the old key goes on for streams alone': () => (request, next, keys) => {
    const main = keys.all[0]
    return next(
      main !== undefined && isStream(request) && keyOf(request, keys)?.revoked
        ? withAuthorization(request, `Bearer ${main.secret}`)
        : request,
    )
  },
}

const odd: Readonly<Record<string, () => Fault>> = {
  'everything right': () => rightly,
  'a 429 in the middle of it': onceWhen(
    (_, keys) => hasBegun(keys),
    () => refuse(429, 'rate_limit_exceeded', 'No.', { headers: { 'retry-after': '0.1' } }),
  ),
  'an overload in the middle of it': onceWhen(
    (_, keys) => hasBegun(keys),
    () => refuse(503, 'busy', 'No.', { headers: { 'retry-after': '0.1' } }),
  ),
  'another code for a revoked key': () => (request, next, keys) =>
    keyOf(request, keys)?.revoked ? refuse(401, 'revoked', 'No.') : next(request),
}

describe.concurrent('rotation', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault(), cases)
    expect(verdicts).toMatchObject([{ outcome: 'fail' }])
    expect(redRows(verdicts)).toEqual(['KEY-7'])
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    expect(await judgeFault(fault(), cases)).toMatchObject([{ outcome: 'pass' }])
  })

  it('leaves open what a service does again and again, with a rotation and without', async () => {
    let heard = 0
    const fault: Fault = (request, next, keys) => {
      if (!hasBegun(keys)) return next(request)
      heard += 1
      return heard % 5 === 0
        ? refuse(503, 'busy', 'No.', { headers: { 'retry-after': '0.01' } })
        : next(request)
    }
    const [verdict] = await judgeFault(fault, cases)
    expect(verdict?.outcome).not.toBe('fail')
  })

  it('blames no rotation for what is broken without one', async () => {
    const fault: Fault = (request, next) => (isStream(request) ? refuse(500, 'no', 'No.') : next(request))
    expect(await judgeFault(fault, cases)).toMatchObject([{ outcome: 'inconclusive' }])
  })

  it('is left open where no key can be made', async () => {
    await using service = await startService()
    const createKey = async (): Promise<never> => {
      throw new Inconclusive('no key command', 'CONFORMANCE_KEY_COMMAND')
    }
    expect(await judge(service, cases, { target: { createKey } })).toMatchObject([
      { outcome: 'inconclusive' },
    ])
  })
})

function withCors(origin: string, when: (request: Received) => boolean = () => true, status?: number): Fault {
  return (request, next) => {
    const given = next(request)
    if (!when(request)) return given
    const headers = { ...given.headers, 'access-control-allow-origin': origin }
    return { ...given, status: status ?? given.status, headers }
  }
}

describe.concurrent('pages in browsers', () => {
  const isPreflight = ({ method }: Received): boolean => method === 'OPTIONS'
  it.each([
    ['every origin', withCors('*')],
    ['the origin that asks', withCors('https://pages.example')],
    ['every origin, before a request alone', withCors('*', isPreflight, 204)],
    ['every origin, in answers alone', withCors('*', (request) => !isPreflight(request))],
  ])('sees: %s is let in', async (_, fault) => {
    expect(redRows(await judgeFault(fault, inBrowsers))).toEqual(['KEY-9'])
  })

  it.each([
    ['no header', rightly],
    ['one page of its own is let in', withCors('https://console.example')],
    ['a preflight is answered, and lets nobody in', withCors('null', isPreflight, 204)],
  ])('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault, inBrowsers)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })
})
