// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { Inconclusive } from '../../runner/outcomes.ts'
import { cases } from './authentication.ts'
import {
  type Answer,
  type Fault,
  type Keys,
  changeError,
  refuse,
  rightly,
  startService,
  withAuthorization,
} from '../scripted/scripted-service.fixture.ts'
import { judge, judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { redRows } from '../scripted/scripted-verdicts.fixture.ts'

/** Accepts a header that `unwrap` finds a good key in. */
function alsoAccepts(unwrap: (authorization: string) => string | undefined): Fault {
  return (request, next, keys) => {
    const key = unwrap(request.headers['authorization'] ?? '')
    return next(key !== undefined && keys.find(key) ? withAuthorization(request, `Bearer ${key}`) : request)
  }
}

/** Accepts a good key in the place that `find` looks at, if there is no header. */
function alsoReads(find: (request: Parameters<Fault>[0]) => string | null | undefined): Fault {
  return (request, next, keys) => {
    const key = request.headers['authorization'] === undefined ? find(request) : undefined
    return next(key && keys.find(key) ? withAuthorization(request, `Bearer ${key}`) : request)
  }
}

/** Takes a key for a good one where `alike` says that it is like one. */
function confuses(alike: (given: string, key: string) => boolean): Fault {
  return (request, next, keys) => {
    const given = /^Bearer (svc_sk_\S+)$/.exec(request.headers['authorization'] ?? '')?.[1]
    const key = keys.all.find(
      ({ secret, revoked }) => given !== undefined && !revoked && alike(given, secret),
    )
    return next(key === undefined ? request : withAuthorization(request, `Bearer ${key.secret}`))
  }
}

const captured = (pattern: RegExp) => (authorization: string) => pattern.exec(authorization)?.[1]

/** Lets a request in as if it carried the first key. */
function letIn(request: Parameters<Fault>[0], keys: Keys): Parameters<Fault>[0] {
  return withAuthorization(request, `Bearer ${keys.all[0]?.secret}`)
}

const isBare = (request: Parameters<Fault>[0]): boolean => request.headers['authorization'] === undefined

/** Changes the refusals of one kind. */
function onRefusal(kind: 'missing_api_key' | 'invalid_api_key', change: (given: Answer) => Answer): Fault {
  return (request, next) => {
    const given = next(request)
    return given.status === 401 && given.body.includes(kind) ? change(given) : given
  }
}

interface Broken {
  readonly fault: Fault
  /** The rows whose text it breaks. */
  readonly rows: readonly string[]
  /** A check that must see it. */
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'a key without its prefix is completed': {
    fault: (request, next, keys) => {
      const rest = /^Bearer (\S+)$/.exec(request.headers['authorization'] ?? '')?.[1]
      const key = keys.all.find(({ secret }) => rest !== undefined && secret === `svc_sk_${rest}`)
      return next(key === undefined ? request : withAuthorization(request, `Bearer ${key.secret}`))
    },
    rows: ['AUTH-8'],
    check: 'auth.key-without-prefix',
  },
  'the model list needs no key': {
    fault: (request, next, keys) =>
      next(
        isBare(request) && request.method === 'GET' && request.path === '/v1/models'
          ? letIn(request, keys)
          : request,
      ),
    rows: ['AUTH-1', 'AUTH-3'],
    check: 'auth.models-without-a-key',
  },
  'the chat endpoint needs no key': {
    fault: (request, next, keys) =>
      next(isBare(request) && request.path.endsWith('completions') ? letIn(request, keys) : request),
    rows: ['AUTH-1', 'AUTH-3'],
    check: 'auth.chat-without-a-key',
  },
  'a stream needs no key': {
    fault: (request, next, keys) =>
      next(isBare(request) && request.body.includes('"stream":true') ? letIn(request, keys) : request),
    rows: ['AUTH-1'],
    check: 'auth.stream-without-a-key',
  },
  'a record needs no key': {
    fault: (request, next, keys) =>
      next(isBare(request) && request.path.startsWith('/v1/models/svc') ? letIn(request, keys) : request),
    rows: ['AUTH-1'],
    check: 'auth.record-without-a-key',
  },
  'a completion comes with the refusal': {
    fault: onRefusal('missing_api_key', (given) => ({
      ...given,
      body: JSON.stringify({ ...JSON.parse(given.body), choices: [] }),
    })),
    rows: ['AUTH-1'],
    check: 'auth.chat-without-a-key',
  },
  'lower-case bearer': {
    fault: alsoAccepts(captured(/^bearer (\S+)$/)),
    rows: ['AUTH-2'],
    check: 'auth.lower-case-bearer',
  },
  'upper-case bearer': {
    fault: alsoAccepts(captured(/^BEARER (\S+)$/)),
    rows: ['AUTH-2'],
    check: 'auth.upper-case-bearer',
  },
  'two spaces': {
    fault: alsoAccepts(captured(/^Bearer {2}(\S+)$/)),
    rows: ['AUTH-2'],
    check: 'auth.two-spaces',
  },
  'a tab': { fault: alsoAccepts(captured(/^Bearer\t(\S+)$/)), rows: ['AUTH-2'], check: 'auth.tab' },
  'no space': { fault: alsoAccepts(captured(/^Bearer(svc\S+)$/)), rows: ['AUTH-2'], check: 'auth.no-space' },
  'a quoted key': {
    fault: alsoAccepts(captured(/^Bearer "(\S+)"$/)),
    rows: ['AUTH-2'],
    check: 'auth.quoted-key',
  },
  'a bare key': { fault: alsoAccepts(captured(/^(svc\S+)$/)), rows: ['AUTH-2'], check: 'auth.bare-key' },
  'another scheme': {
    fault: alsoAccepts(captured(/^Token (\S+)$/)),
    rows: ['AUTH-2'],
    check: 'auth.token-scheme',
  },
  'the first of a list': {
    fault: alsoAccepts(captured(/^Bearer ([^,\s]+)/)),
    rows: ['AUTH-2'],
    check: 'auth.key-list',
  },
  'the last word': { fault: alsoAccepts(captured(/ (\S+)$/)), rows: ['AUTH-2'], check: 'auth.bearer-twice' },
  'a form refused with 400': {
    fault: (request, next) =>
      request.headers['authorization']?.startsWith('Token')
        ? refuse(400, 'bad_header', 'No.')
        : next(request),
    rows: ['AUTH-2'],
    check: 'auth.token-scheme',
  },
  'a form refused with another type': {
    fault: (request, next) =>
      request.headers['authorization']?.startsWith('Bearer  ')
        ? changeError(next(request), { type: 'invalid_request_error' })
        : next(request),
    rows: ['AUTH-2'],
    check: 'auth.two-spaces',
  },
  'a malformed header called missing': {
    fault: (request, next) =>
      request.headers['authorization']?.startsWith('Bearer "')
        ? changeError(next(request), { code: 'missing_api_key' })
        : next(request),
    rows: ['AUTH-4'],
    check: 'auth.quoted-key-code',
  },
  'a missing header called invalid': {
    fault: onRefusal('missing_api_key', (given) => changeError(given, { code: 'invalid_api_key' })),
    rows: ['AUTH-3'],
    check: 'auth.missing-header-models',
  },
  'a missing header refused with 403': {
    fault: onRefusal('missing_api_key', (given) => ({ ...given, status: 403 })),
    // On paths that nobody knows there is nothing but the order of checks to blame.
    rows: ['AUTH-1', 'AUTH-3', 'AUTH-7'],
    check: 'auth.missing-header-chat',
  },
  'a missing header with another type': {
    fault: onRefusal('missing_api_key', (given) => changeError(given, { type: 'invalid_request_error' })),
    rows: ['AUTH-3'],
    check: 'auth.missing-header-chat',
  },
  'another code for a wrong key': {
    fault: onRefusal('invalid_api_key', (given) => changeError(given, { code: 'wrong_api_key' })),
    rows: ['AUTH-4'],
    check: 'auth.unknown-key',
  },
  'a revoked key called expired': {
    fault: (request, next, keys) => {
      const revoked = keys.all.some(
        (key) => key.revoked && request.headers['authorization']?.endsWith(key.secret),
      )
      return revoked ? refuse(401, 'expired_api_key', 'Expired.') : next(request)
    },
    rows: ['AUTH-4'],
    check: 'auth.revoked-key',
  },
  'a table of keys that is a plain object': {
    fault: (request, next, keys) =>
      next(request.headers['authorization'] === 'Bearer constructor' ? letIn(request, keys) : request),
    rows: ['AUTH-4'],
    check: 'auth.property-name',
  },
  'a header of its own for the chat endpoint': {
    fault: (request, next) =>
      request.path.endsWith('completions') && request.headers['x-chat-key'] === undefined
        ? refuse(401, request.headers['authorization'] ? 'invalid_api_key' : 'missing_api_key', 'No.')
        : next(request),
    rows: ['AUTH-5'],
    check: 'auth.one-header-chat',
  },
  'a query parameter': {
    fault: alsoReads(({ query }) => query.get('api_key')),
    rows: ['AUTH-6'],
    check: 'auth.query-api-key',
  },
  'x-api-key': {
    fault: alsoReads(({ headers }) => headers['x-api-key']),
    rows: ['AUTH-6'],
    check: 'auth.x-api-key',
  },
  'api-key': {
    fault: alsoReads(({ headers }) => headers['api-key']),
    rows: ['AUTH-6'],
    check: 'auth.api-key',
  },
  'a cookie': {
    fault: alsoReads(({ headers }) => /token=([^;]+)/.exec(headers['cookie'] ?? '')?.[1]),
    rows: ['AUTH-6'],
    check: 'auth.cookie',
  },
  Basic: {
    fault: alsoAccepts(
      (authorization) =>
        Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
          .toString()
          .split(':')[1],
    ),
    rows: ['AUTH-6'],
    check: 'auth.basic',
  },
  'a member of the body': {
    fault: alsoReads(({ body }) => /"api_key":"([^"]+)"/.exec(body)?.[1]),
    rows: ['AUTH-6'],
    check: 'auth.body-member',
  },
  'JSON is parsed before the key is looked at': {
    fault: (request, next) =>
      request.body === '{"model":' ? refuse(400, 'invalid_json', 'No.') : next(request),
    rows: ['AUTH-7'],
    check: 'auth.before-bad-json',
  },
  'unknown paths are found first': {
    fault: (request, next) =>
      request.path.startsWith('/v1/x') ? refuse(404, 'unknown_url', 'No.') : next(request),
    rows: ['AUTH-7'],
    check: 'auth.before-unknown-path',
  },
  'wrong methods are refused first': {
    fault: (request, next) =>
      request.path.endsWith('completions') && request.method !== 'POST'
        ? refuse(405, 'no', 'No.')
        : next(request),
    rows: ['AUTH-7'],
    check: 'auth.before-get-chat',
  },
  'only the end of a key counts': {
    fault: confuses((given, key) => given.slice(-8) === key.slice(-8)),
    rows: ['AUTH-8'],
    check: 'auth.key-first-character',
  },
  'only the beginning of a key counts': {
    fault: confuses((given, key) => given.slice(0, 20) === key.slice(0, 20)),
    rows: ['AUTH-8'],
    check: 'auth.key-last-character',
  },
  'a key in the other case': {
    fault: confuses((given, key) => given.toLowerCase() === key.toLowerCase()),
    rows: ['AUTH-8'],
    check: 'auth.key-other-case',
  },
  'keys that decode alike': {
    fault: confuses((given, key) =>
      Buffer.from(given.slice(7), 'base64').equals(Buffer.from(key.slice(7), 'base64')),
    ),
    rows: ['AUTH-8'],
    check: 'auth.key-same-bytes',
  },
  'the beginning of a key is enough': {
    fault: confuses((given, key) => given.length > 12 && key.startsWith(given)),
    rows: ['AUTH-8'],
    check: 'auth.key-truncated-by-one',
  },
  'a key is cut to its length': {
    fault: (request, next) => {
      const cut = request.headers['authorization']?.slice(0, 'Bearer '.length + 50)
      return next(withAuthorization(request, cut))
    },
    rows: ['AUTH-8'],
    check: 'auth.key-extended-by-one',
  },
  'more behind a key': {
    fault: confuses((given, key) => given.startsWith(key)),
    rows: ['AUTH-8'],
    check: 'auth.key-extended-by-one',
  },
  'one place of a key does not count': {
    fault: confuses(
      (given, key) => given.length === key.length && [...given].every((c, i) => i === 23 || c === key[i]),
    ),
    rows: ['AUTH-8'],
    check: 'auth.key-every-character',
  },
  'a 500 for a key of another length': {
    fault: (request, next) =>
      /^Bearer svc_sk_.{1,42}$/.test(request.headers['authorization'] ?? '')
        ? refuse(500, 'internal', 'Sorry.')
        : next(request),
    rows: ['AUTH-4', 'AUTH-8'],
    check: 'auth.key-truncated-by-one',
  },
}

/** What the rows allow, though it is not what most services do. */
const odd: Readonly<Record<string, Fault>> = {
  'everything right': rightly,
  'nothing behind `Bearer` is called missing': (request, next) =>
    request.headers['authorization']?.startsWith('Bearer ')
      ? next(request)
      : changeError(next(request), { code: 'missing_api_key' }),
  'no records': (request, next) => {
    const given = next(request)
    return given.status !== 401 && request.path.startsWith('/v1/models/') ? refuse(404, 'no', 'No.') : given
  },
  'no streams': (request, next) => {
    const given = next(request)
    return given.headers['content-type'] === 'text/event-stream'
      ? refuse(400, 'no', 'No.', { param: 'stream' })
      : given
  },
  'a challenge and a cookie with the refusal': (request, next) => {
    const given = next(request)
    const headers = { 'www-authenticate': 'Bearer', 'set-cookie': 'visit=1' }
    return given.status === 401 ? { ...given, headers: { ...given.headers, ...headers } } : given
  },
  'unknown query parameters are refused': (request, next) =>
    request.query.size > 0 ? refuse(400, 'unknown_parameter', 'No.') : next(request),
}

describe('authentication', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeFault(fault, cases)
    expect(redRows(verdicts)).toEqual(rows)
    expect(verdicts.find(({ id }) => id === check)).toMatchObject({ outcome: 'fail' })
    expect(verdicts.filter(({ outcome }) => outcome === 'error')).toEqual([])
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault, cases)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')).toEqual([])
  })

  it('does not call it a refusal of wrong forms when every request is refused', async () => {
    const verdicts = await judgeFault(() => refuse(401, 'invalid_api_key', 'No.'), cases)
    const of = (row: string): Set<string> =>
      new Set(verdicts.filter(({ requirement }) => requirement === row).map(({ outcome }) => outcome))
    expect(of('AUTH-2')).toEqual(new Set(['inconclusive']))
    expect(of('AUTH-8')).toEqual(new Set(['inconclusive']))
    expect(of('AUTH-6')).toEqual(new Set(['inconclusive']))
    expect(of('AUTH-5')).toContain('fail')
  })

  it('leaves AUTH-6 open where no key is asked for at all', async () => {
    const verdicts = await judgeFault((request, next, keys) => next(letIn(request, keys)), cases)
    expect(redRows(verdicts)).not.toContain('AUTH-6')
    expect(redRows(verdicts)).toContain('AUTH-1')
  })

  it('judges what it can where no revoked key is known', async () => {
    await using service = await startService()
    const revokedKey = async (): Promise<string> => {
      throw new Inconclusive('none was given')
    }
    const verdicts = await judge(service, cases, { target: { revokedKey } })
    const open = verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')
    expect(open).toMatchObject([{ id: 'auth.revoked-key', outcome: 'inconclusive' }])
  })
})
