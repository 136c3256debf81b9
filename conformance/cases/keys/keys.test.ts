// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { Inconclusive } from '../../runner/outcomes.ts'
import { cases } from './keys.ts'
import {
  type Fault,
  type Key,
  type Keys,
  type Received,
  answer,
  changeError,
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

/** Lets a revoked key in where `when` says so. */
function letRevokedIn(when: (key: Key, request: Received, keys: Keys) => boolean): () => Fault {
  return () => (request, next, keys) => {
    const key = keyOf(request, keys)
    const main = keys.all[0]
    return next(
      key?.revoked && main && when(key, request, keys)
        ? withAuthorization(request, `Bearer ${main.secret}`)
        : request,
    )
  }
}

const isChat = (request: Received): boolean => request.path.endsWith('completions')
const isStream = (request: Received): boolean => request.body.includes('"stream":true')

interface Broken {
  /** Made again for each run, since some count. */
  readonly fault: () => Fault
  readonly rows: readonly string[]
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'only the latest key works, the main one aside': {
    fault: () => (request, next, keys) => {
      const key = keyOf(request, keys)
      const stale = key !== undefined && key !== keys.all[0] && key !== keys.all.at(-1)
      return stale && !key.revoked ? refuse(401, 'invalid_api_key', 'No.') : next(request)
    },
    rows: ['KEY-3'],
    check: 'keys.creation-disables-none',
  },
  'using one key logs the other one out': {
    fault: () => {
      const owners = new Map<string, Key>()
      return (request, next, keys) => {
        const key = keyOf(request, keys)
        if (key === undefined || !isChat(request)) return next(request)
        const pair = key === keys.all[0] ? owners.get('main') : undefined
        owners.set('main', key)
        return pair !== undefined && pair !== key && !pair.revoked
          ? refuse(401, 'invalid_api_key', 'No.')
          : next(request)
      }
    },
    rows: ['KEY-3'],
    check: 'keys.two-at-once-chat',
  },
  'a used key is remembered for one request after its revocation': {
    fault: () => {
      const used = new Set<Key>()
      return (request, next, keys) => {
        const key = keyOf(request, keys)
        if (key?.revoked && used.delete(key)) return answer(200, { object: 'list', data: [] })
        if (key !== undefined && !key.revoked) used.add(key)
        return next(request)
      }
    },
    // A key that was used is KEY-5's to try, too.
    rows: ['KEY-4', 'KEY-5'],
    check: 'keys.revoked-then-chat',
  },
  'streams take revoked keys': {
    fault: letRevokedIn((_, request) => isStream(request)),
    rows: ['KEY-4', 'KEY-5'],
    check: 'keys.revoked-then-stream',
  },
  'revoked keys are called expired': {
    fault: () => (request, next, keys) => {
      const given = next(request)
      return keyOf(request, keys)?.revoked ? changeError(given, { code: 'expired_api_key' }) : given
    },
    rows: ['KEY-4'],
    check: 'keys.revoked-then-chat',
  },
  'one of several instances hears of a revocation late': {
    fault: () => {
      let requests = 0
      return (request, next, keys) => {
        const key = keyOf(request, keys)
        // The first request after the revocation meets an instance that knows; a later one does not.
        if (!key?.revoked) return next(request)
        requests += 1
        return requests % 5 === 4 ? answer(200, { object: 'list', data: [] }) : next(request)
      }
    },
    rows: ['KEY-4', 'KEY-5'],
    check: 'keys.revoked-everywhere',
  },
  'a revoked key comes back with the third try': {
    fault: () => {
      const tries = new Map<Key, number>()
      return (request, next, keys) => {
        const key = keyOf(request, keys)
        if (!key?.revoked || isStream(request)) return next(request)
        tries.set(key, (tries.get(key) ?? 0) + 1)
        return tries.get(key) === 3 ? answer(200, {}) : next(request)
      }
    },
    rows: ['KEY-4', 'KEY-5'],
    check: 'keys.revoked-stays-refused-models',
  },
  'a revoked key comes back, once it was used and refused': {
    fault: () => {
      const states = new Map<Key, 'used' | 'refused'>()
      return (request, next, keys) => {
        const key = keyOf(request, keys)
        if (key === undefined) return next(request)
        if (!key.revoked) states.set(key, 'used')
        else if (states.get(key) === 'refused') return answer(200, { object: 'list', data: [] })
        else if (states.get(key) === 'used') states.set(key, 'refused')
        return next(request)
      }
    },
    rows: ['KEY-4', 'KEY-5'],
    check: 'keys.revoked-after-use',
  },
  'a new key brings revoked ones back': {
    fault: () => {
      const known = new Map<Key, number>()
      return (request, next, keys) => {
        const key = keyOf(request, keys)
        if (!key?.revoked) return next(request)
        const before = known.get(key) ?? keys.all.length
        known.set(key, before)
        return keys.all.length > before ? answer(200, { object: 'list', data: [] }) : next(request)
      }
    },
    rows: ['KEY-5'],
    check: 'keys.revoked-after-use',
  },
  'keys are listed': {
    fault: () => (request, next) =>
      request.path === '/v1/api_keys' && request.method === 'GET' ? answer(200, { data: [] }) : next(request),
    rows: ['KEY-6'],
    check: 'keys.no-list-at-api-keys',
  },
  'keys are created': {
    fault: () => (request, next) =>
      request.path === '/v1/keys' && request.method === 'POST' ? answer(201, { id: 'key_9' }) : next(request),
    rows: ['KEY-6'],
    check: 'keys.no-creation-at-keys',
  },
  'keys are revoked, if they exist': {
    fault: () => (request, next, keys) => {
      const id = /^\/v1\/organization\/api_keys\/(.+)$/.exec(request.path)?.[1]
      const known = request.method === 'DELETE' && keys.all.some((key) => key.id === id)
      return known ? { status: 204, headers: {}, body: '' } : next(request)
    },
    rows: ['KEY-6'],
    check: 'keys.no-revocation',
  },
}

const odd: Readonly<Record<string, Fault>> = {
  'everything right': rightly,
  'key paths are forbidden': (request, next) =>
    /keys/.test(request.path) ? refuse(403, 'forbidden', 'Keys are made in the dashboard.') : next(request),
  'key paths lead to the dashboard': (request, next) =>
    /keys/.test(request.path)
      ? { status: 303, headers: { location: '/dashboard' }, body: '' }
      : next(request),
  'methods are refused': (request, next) =>
    /keys/.test(request.path) ? refuse(405, 'method_not_allowed', 'No.') : next(request),
}

describe('keys', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeFault(fault(), cases, { concurrency: 1 })
    expect(redRows(verdicts)).toEqual(rows)
    expect(verdicts.find(({ id }) => id === check)).toMatchObject({ outcome: 'fail' })
    expect(verdicts.filter(({ outcome }) => outcome === 'error')).toEqual([])
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault, cases)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })

  it('blames ERR-5, and not KEY-6, where every path is answered alike', async () => {
    const everywhere: Fault = (request, next) => {
      const given = next(request)
      return given.status === 404 ? answer(200, {}) : given
    }
    const verdicts = await judgeFault(everywhere, cases)
    const ofKey6 = verdicts.filter(({ requirement }) => requirement === 'KEY-6')
    expect(new Set(ofKey6.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
    expect(redRows(verdicts)).toEqual([])
  })

  it('judges given keys where none can be made, and leaves open what needs one', async () => {
    await using service = await startService()
    const createKey = async (): Promise<never> => {
      throw new Inconclusive('no key command', 'CONFORMANCE_KEY_COMMAND')
    }
    const verdicts = await judge(service, cases, { target: { createKey } })
    const outcomes = (row: string): readonly string[] => [
      ...new Set(verdicts.filter(({ requirement }) => requirement === row).map(({ outcome }) => outcome)),
    ]
    expect(outcomes('KEY-3')).toEqual(['pass', 'not-applicable'])
    expect(outcomes('KEY-4')).toEqual(['inconclusive'])
    expect(outcomes('KEY-5')).toEqual(['pass', 'not-applicable'])
    expect(outcomes('KEY-6')).toEqual(['pass'])
  })
})
