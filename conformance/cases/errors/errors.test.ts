// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { cases as errorCases, observers } from './errors.ts'
import {
  type Answer,
  type Fault,
  type Received,
  answer,
  changeError,
  refuse,
  rightly,
} from '../scripted/scripted-service.fixture.ts'
import { judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { redRows } from '../scripted/scripted-verdicts.fixture.ts'

const options = { observers }
const cases = errorCases

/** Changes answers of these statuses. */
function on(status: number | 'any', change: (given: Answer, request: Received) => Answer): Fault {
  return (request, next) => {
    const given = next(request)
    return given.status === status || (status === 'any' && given.status >= 400)
      ? change(given, request)
      : given
  }
}

const html = (given: Answer): Answer => ({
  ...given,
  headers: { ...given.headers, 'content-type': 'text/html' },
  body: `<h1>${given.status}</h1>`,
})

/** Says something in the message of a 400 for a body that is not JSON. */
function says(message: string): Fault {
  return on(400, (given) => (given.body.includes('invalid_json') ? changeError(given, { message }) : given))
}

interface Broken {
  readonly fault: Fault
  readonly rows: readonly string[]
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'a page for a 404': {
    fault: on(404, html),
    rows: ['ERR-1', 'ERR-5'],
    check: 'errors.envelope-unknown-model',
  },
  'a page for an unknown path': {
    fault: (request, next) => {
      const given = next(request)
      return given.body.includes('unknown_url') ? html(given) : given
    },
    rows: ['ERR-1', 'ERR-5'],
    check: 'errors.unknown-path',
  },
  'the error is a string': {
    fault: on(401, (given) => ({ ...given, body: '{"error":"no"}' })),
    rows: ['ERR-1'],
    check: 'errors.envelope-no-key',
  },
  'the error is bare': {
    fault: on(400, (given) => ({ ...given, body: JSON.stringify(JSON.parse(given.body).error) })),
    rows: ['ERR-1', 'ERR-8'],
    check: 'errors.envelope-bad-json',
  },
  'the code is null': {
    fault: on(400, (given) => changeError(given, { code: null })),
    rows: ['ERR-1'],
    check: 'errors.envelope-missing-messages',
  },
  'the code is a number': {
    fault: on(404, (given) => changeError(given, { code: 404 })),
    rows: ['ERR-1', 'ERR-5'],
    check: 'errors.every-envelope',
  },
  'an error with status 200': {
    fault: on(400, (given) => ({ ...given, status: 200 })),
    rows: ['ERR-1'],
    check: 'errors.envelope-bad-json',
  },
  'the type of a 401 is that of a 400': {
    fault: on(401, (given) => changeError(given, { type: 'invalid_request_error' })),
    rows: ['ERR-2'],
    check: 'errors.type-wrong-key',
  },
  'the type of an unknown path is another': {
    fault: (request, next) => {
      const given = next(request)
      return given.body.includes('unknown_url')
        ? changeError(given, { type: 'invalid_request_error' })
        : given
    },
    rows: ['ERR-2', 'ERR-5'],
    check: 'errors.unknown-path-post',
  },
  'an empty message': {
    fault: on(404, (given) => changeError(given, { message: '' })),
    rows: ['ERR-3'],
    check: 'errors.message-unknown-model',
  },
  'a printed object': {
    fault: on(401, (given) => changeError(given, { message: '[object Object]' })),
    rows: ['ERR-3'],
    check: 'errors.message-no-key',
  },
  'a quoted key': {
    fault: on(401, (given, request) =>
      changeError(given, { message: `Not a header: ${request.headers['authorization']}` }),
    ),
    rows: ['ERR-4'],
    check: 'errors.no-key-for-bare-key',
  },
  'a revoked key told': {
    fault: (request, next, keys) => {
      const given = next(request)
      const key = keys.all.find(({ secret }) => request.headers['authorization'] === `Bearer ${secret}`)
      return key?.revoked ? changeError(given, { message: `${key.secret} is revoked.` }) : given
    },
    rows: ['ERR-4'],
    check: 'errors.no-key-for-revoked-key',
  },
  'a stack trace in a member': {
    fault: on(400, (given) => changeError(given, { stack: new Error('x').stack })),
    rows: ['ERR-4'],
    check: 'errors.no-inside-for-bad-json',
  },
  'a Python stack trace': {
    fault: says('Traceback (most recent call last):\n  File "app.py", line 3, in f\nValueError'),
    rows: ['ERR-4'],
    check: 'errors.no-inside-for-bad-json',
  },
  'a Java stack trace': {
    fault: says('bad\n\tat com.example.Chat.read(Chat.java:17)\n\tat com.example.Main.main(Main.java:3)'),
    rows: ['ERR-4'],
    check: 'errors.every-error-keeps-inside',
  },
  'a path of the machine': {
    fault: says('Cannot read /usr/src/app/models.json'),
    rows: ['ERR-4'],
    check: 'errors.no-inside-for-bad-json',
  },
  'a path of a source': {
    fault: says('failed in /app/chat/handler.py'),
    rows: ['ERR-4'],
    check: 'errors.no-inside-for-bad-json',
  },
  'a path of Windows': {
    fault: says('failed in C:\\service\\chat.cs'),
    rows: ['ERR-4'],
    check: 'errors.no-inside-for-bad-json',
  },
  'an unknown path is a page': {
    fault: (request, next) => {
      const given = next(request)
      return given.body.includes('unknown_url') ? html({ ...given, status: 200 }) : given
    },
    rows: ['ERR-5'],
    check: 'errors.unknown-path-delete',
  },
  'a GET of the chat endpoint lists': {
    fault: (request, next) =>
      request.path.endsWith('completions') && request.method === 'GET'
        ? answer(200, { object: 'list', data: [] })
        : next(request),
    rows: ['ERR-5'],
    check: 'errors.get-chat',
  },
  'any method lists models': {
    fault: (request, next) => next(request.path === '/v1/models' ? { ...request, method: 'GET' } : request),
    rows: ['ERR-5'],
    check: 'errors.post-models',
  },
  'an empty 405': {
    fault: (request, next) =>
      request.method === 'PUT' ? { status: 405, headers: {}, body: '' } : next(request),
    rows: ['ERR-1', 'ERR-5', 'ERR-7'],
    check: 'errors.put-chat',
  },
  'a 405': {
    fault: (request, next) =>
      request.method === 'PUT' ? refuse(405, 'method_not_allowed', 'No.') : next(request),
    rows: ['ERR-7'],
    check: 'errors.status-put-chat',
  },
  'a 422 for wrong values': {
    fault: on(400, (given) =>
      given.body.includes('invalid_json') ? given : { ...changeError(given, {}), status: 422 },
    ),
    rows: ['ERR-7'],
    check: 'errors.every-status',
  },
  'no field named': {
    fault: on(400, (given) => changeError(given, { param: null, message: 'The request is not valid.' })),
    rows: ['ERR-8'],
    check: 'errors.field-temperature-out-of-range',
  },
  'another field named': {
    fault: on(400, (given) => changeError(given, { param: 'body', message: 'The modelling is not valid.' })),
    rows: ['ERR-8'],
    check: 'errors.field-missing-model',
  },
}

const odd: Readonly<Record<string, Fault>> = {
  'everything right': rightly,
  'the field in the message alone': on(400, (given) => {
    const { error } = JSON.parse(given.body)
    return changeError(given, { param: undefined, message: `Invalid value at ${error.param}.` })
  }),
  'the field by another path': on(400, (given) => {
    const { error } = JSON.parse(given.body)
    const param = typeof error.param === 'string' ? `$.${error.param.replace('[0]', '/0')}` : null
    return changeError(given, { param, message: 'Invalid value.' })
  }),
  'more members': on('any', (given) =>
    changeError(given, { request_id: 'r', docs: 'https://x.example/usr/errors' }),
  ),
  'a message in another script': on('any', (given) =>
    changeError(given, { message: 'リクエストが無効です: messages role content stream temperature n model' }),
  ),
  'an answer nested deeper than the stack': on(400, (given) =>
    given.body.includes('invalid_json')
      ? { ...given, body: `${given.body.slice(0, -1)},"more":${'['.repeat(15_000)}${']'.repeat(15_000)}}` }
      : given,
  ),
  'the request quoted': on(400, (given, request) =>
    changeError(given, { message: `Cannot use ${request.body.slice(0, 500)}` }),
  ),
  'a masked key': on(401, (given, request) =>
    changeError(given, { message: `Wrong key ${request.headers['authorization']?.slice(0, 18)}…` }),
  ),
  'paths of the API': on('any', (given) =>
    changeError(given, {
      message: 'Use /v1/chat/completions, see https://docs.example.com/home/errors.html for n.',
    }),
  ),
  'wrong values are ignored': (request, next) =>
    next({ ...request, body: request.body.replace(/,"(temperature|n|stream)":("\w+"|\d+)/, '') }),
}

describe('errors', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeFault(fault, cases, options)
    expect(redRows(verdicts)).toEqual(rows)
    expect(verdicts.find(({ id }) => id === check)).toMatchObject({ outcome: 'fail' })
    expect(verdicts.filter(({ outcome }) => outcome === 'error')).toEqual([])
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault, cases, options)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')).toEqual([])
  })
})
