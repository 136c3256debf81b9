// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { cases as recordCases } from './records.ts'
import { cases as modelCases } from './models.ts'
import {
  type Answer,
  type Fault,
  type Received,
  MODELS,
  answer,
  changeError,
  refuse,
  rightly,
} from '../scripted/scripted-service.fixture.ts'
import { judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { redRows } from '../scripted/scripted-verdicts.fixture.ts'

const cases = [...modelCases, ...recordCases]

const [model = '', other = ''] = MODELS

const isList = (request: Received): boolean => request.path === '/v1/models' && request.method === 'GET'
const isRecord = (request: Received): boolean => request.path.startsWith('/v1/models/')

/** Changes the text of answers to some requests. */
function rewrite(where: (request: Received) => boolean, change: (body: string) => string): Fault {
  return (request, next) => {
    const given = next(request)
    return where(request) && given.status === 200 ? { ...given, body: change(given.body) } : given
  }
}

/** Reads the model of a chat request as another one. */
function readsModel(change: (id: string) => string): Fault {
  return (request, next) =>
    next({
      ...request,
      body: request.body.replace(/"model":("(?:[^"\\]|\\.)*")/, (_, id: string) => {
        return `"model":${JSON.stringify(change(String(JSON.parse(id))))}`
      }),
    })
}

/** Changes what is answered about the model that the restricted key may not use. */
function onRestricted(change: (given: Answer, request: Received) => Answer): Fault {
  return (request, next, keys) => {
    const given = next(request)
    const key = keys.all.find(({ secret }) => request.headers['authorization'] === `Bearer ${secret}`)
    const asks = request.body.includes(`"${other}"`) || request.path.endsWith(encodeURIComponent(other))
    return key?.models && asks && given.status === 404 ? change(given, request) : given
  }
}

/** The answer to a chat request for any model. */
function anyModel(request: Received, next: (request: Received) => Answer): Answer {
  return next({ ...request, body: request.body.replace(/"model":"[^"]*"/, `"model":"${model}"`) })
}

interface Broken {
  readonly fault: Fault
  readonly rows: readonly string[]
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'the list is bare': {
    fault: rewrite(isList, (body) => JSON.stringify(JSON.parse(body).data)),
    rows: ['MODEL-1', 'WIRE-15'],
    check: 'models.list',
  },
  'the list is under another name': {
    fault: rewrite(isList, (body) => body.replace('"data"', '"models"')),
    rows: ['MODEL-1', 'WIRE-15'],
    check: 'models.list',
  },
  'the list holds names': {
    fault: rewrite(isList, (body) => body.replaceAll('"id"', '"name"')),
    rows: ['MODEL-1'],
    check: 'models.list',
  },
  'the list is empty': {
    fault: rewrite(isList, () => '{"object":"list","data":[]}'),
    rows: ['MODEL-1'],
    check: 'models.list-holds-the-model-in-use',
  },
  'the list is answered with 203': {
    fault: (request, next) => (isList(request) ? { ...next(request), status: 203 } : next(request)),
    rows: ['MODEL-1', 'WIRE-15'],
    check: 'models.list',
  },
  'an empty id is listed': {
    fault: rewrite(isList, (body) =>
      body.replace('"data":[', '"data":[{"id":"","object":"model","created":1,"owned_by":"x"},'),
    ),
    // What is listed must be accepted, too.
    rows: ['MODEL-4', 'MODEL-5'],
    check: 'models.ids-not-empty',
  },
  'an unknown model is answered with 400': {
    fault: (request, next) => {
      const given = next(request)
      const isChat = !isRecord(request) && given.status === 404
      return isChat ? refuse(400, 'model_not_found', 'No such model.', { param: 'model' }) : given
    },
    rows: ['MODEL-2', 'MODEL-3', 'MODEL-5'],
    check: 'models.unknown',
  },
  'an unknown model is answered by another one': {
    fault: (request, next) =>
      /"model":"svc-0\.1-x/.test(request.body) ? anyModel(request, next) : next(request),
    rows: ['MODEL-2'],
    check: 'models.unknown',
  },
  'the 404 has another type': {
    fault: (request, next) => {
      const given = next(request)
      return given.status === 404 ? changeError(given, { type: 'invalid_request_error' }) : given
    },
    rows: ['MODEL-2', 'MODEL-3'],
    check: 'models.unknown',
  },
  'the 404 has a number for a code': {
    fault: (request, next) => {
      const given = next(request)
      return given.status === 404 ? changeError(given, { code: 404 }) : given
    },
    rows: ['MODEL-2'],
    check: 'models.unknown',
  },
  'a table of models that is a plain object': {
    fault: (request, next) =>
      request.body.includes('"model":"constructor"') ? refuse(500, 'internal', 'Sorry.') : next(request),
    rows: ['MODEL-2'],
    check: 'models.unknown-property-name',
  },
  'a restricted model is forbidden with 403': {
    fault: onRestricted((given) => ({ ...given, status: 403 })),
    rows: ['MODEL-3'],
    check: 'models.restricted',
  },
  'a restricted model is open': {
    fault: onRestricted((_, request) =>
      isRecord(request) ? refuse(404, 'x', 'No.') : answer(200, { choices: [] }),
    ),
    rows: ['MODEL-3', 'MODEL-6'],
    check: 'models.restricted',
  },
  'the message tells that the model exists': {
    fault: onRestricted((given) => changeError(given, { message: `You may not use '${other}'.` })),
    rows: ['MODEL-6'],
    check: 'models.restricted-not-told-apart',
  },
  'the code tells that the model exists': {
    fault: onRestricted((given) => changeError(given, { code: 'model_not_allowed' })),
    rows: ['MODEL-6'],
    check: 'models.restricted-not-told-apart',
  },
  'a member more tells that the model exists': {
    fault: onRestricted((given) => changeError(given, { hint: 'ask for it' })),
    rows: ['MODEL-6'],
    check: 'models.restricted-not-told-apart',
  },
  'a stream tells that the model exists': {
    fault: onRestricted((given, request) =>
      request.body.includes('"stream":true') ? changeError(given, { param: null }) : given,
    ),
    rows: ['MODEL-6'],
    check: 'models.restricted-stream-not-told-apart',
  },
  'a record tells that the model exists': {
    fault: onRestricted((given, request) => (isRecord(request) ? answer(200, { id: other }) : given)),
    rows: ['MODEL-3'],
    check: 'models.restricted-record',
  },
  'other checks come first for a restricted model': {
    fault: (request, next, keys) => {
      const key = keys.all.find(({ secret }) => request.headers['authorization'] === `Bearer ${secret}`)
      const isUnknown =
        key?.models && request.body.includes('"temperature":99') && !request.body.includes(other)
      return isUnknown ? refuse(404, 'model_not_found', 'No such model.') : next(request)
    },
    rows: ['MODEL-6'],
    check: 'models.restricted-bad-value-not-told-apart',
  },
  'a listed model is refused': {
    fault: (request, next, keys) => {
      const isMain = request.headers['authorization'] === `Bearer ${keys.all[0]?.secret}`
      const minimal = request.body.includes(`"model":"${other}"`) && !request.body.includes('temperature')
      return isMain && minimal ? refuse(400, 'not_for_chat', 'No.') : next(request)
    },
    rows: ['MODEL-4'],
    check: 'models.listed-2',
  },
  'all models are listed for a restricted key': {
    fault: (request, next, keys) => {
      const main = `Bearer ${keys.all[0]?.secret}`
      return next(
        isList(request) ? { ...request, headers: { ...request.headers, authorization: main } } : request,
      )
    },
    rows: ['MODEL-4'],
    check: 'models.listed-for-a-restricted-key',
  },
  'ids in any case': {
    fault: readsModel((id) => MODELS.find((known) => known.toLowerCase() === id.toLowerCase()) ?? id),
    rows: ['MODEL-5'],
    check: 'models.id-other-case',
  },
  'ids are trimmed': {
    fault: readsModel((id) => id.trim()),
    rows: ['MODEL-5'],
    check: 'models.id-space-behind',
  },
  'ids with any suffix': {
    fault: readsModel((id) => MODELS.find((known) => id.startsWith(`${known}-`)) ?? id),
    rows: ['MODEL-5'],
    check: 'models.id-suffix',
  },
  'a part of an id is enough': {
    fault: readsModel((id) => MODELS.find((known) => id !== '' && known.startsWith(id)) ?? id),
    rows: ['MODEL-5'],
    check: 'models.id-one-letter-less',
  },
  'no id means the first model': {
    fault: readsModel((id) => (id === '' ? model : id)),
    rows: ['MODEL-5'],
    check: 'models.id-empty',
  },
  'the list has another object': {
    fault: rewrite(isList, (body) => body.replace('"list"', '"models"')),
    rows: ['WIRE-15'],
    check: 'models.list-object',
  },
  'the records have another object': {
    fault: rewrite(
      () => true,
      (body) => body.replaceAll('"object":"model"', '"object":"engine"'),
    ),
    rows: ['WIRE-15'],
    check: 'models.record-in-list-object',
  },
  'created is a date': {
    fault: rewrite(
      () => true,
      (body) => body.replaceAll('1700000000', '"2023-11-14"'),
    ),
    rows: ['WIRE-15'],
    check: 'models.record-in-list-created',
  },
  'created has a fraction': {
    fault: rewrite(
      () => true,
      (body) => body.replaceAll('1700000000', '1700000000.5'),
    ),
    rows: ['WIRE-15'],
    check: 'models.record-in-list-created',
  },
  'no owner': {
    fault: rewrite(
      () => true,
      (body) => body.replaceAll(',"owned_by":"tests"', ''),
    ),
    rows: ['WIRE-15'],
    check: 'models.record-in-list-owned-by',
  },
  'only ids are listed': {
    fault: rewrite(isList, (body) => {
      const { object, data } = JSON.parse(body)
      return JSON.stringify({ object, data: data.map(({ id }: { id: string }) => ({ id })) })
    }),
    rows: ['WIRE-15'],
    check: 'models.record-in-list-object',
  },
  'no records': {
    fault: (request, next) => (isRecord(request) ? refuse(404, 'unknown_url', 'No.') : next(request)),
    rows: ['WIRE-16'],
    check: 'models.record',
  },
  'the record of another model': {
    fault: rewrite(isRecord, (body) => body.replace(other, model)),
    rows: ['WIRE-16'],
    check: 'models.record',
  },
  'created has a fraction in the record alone': {
    fault: rewrite(isRecord, (body) => body.replaceAll('1700000000', '1700000000.5')),
    rows: ['WIRE-16'],
    check: 'models.record',
  },
  'ids are not decoded': {
    fault: (request, next) =>
      isRecord(request) && request.path.includes('%') ? refuse(404, 'model_not_found', 'No.') : next(request),
    rows: ['WIRE-16'],
    check: 'models.record-percent-encoded',
  },
  'a record of any model': {
    fault: (request, next) => {
      const given = next(request)
      const id = request.path.split('/').at(-1)
      const found = answer(200, { id, object: 'model', created: 1, owned_by: 'tests' })
      return isRecord(request) && given.status === 404 && id?.startsWith('x') ? found : given
    },
    rows: ['WIRE-16'],
    check: 'models.record-unknown',
  },
}

let asked = 0

const odd: Readonly<Record<string, Fault>> = {
  'a header of the routing to a restricted model': onRestricted((given) => ({
    ...given,
    headers: { ...given.headers, 'x-model-state': 'closed' },
  })),
  'white space behind the 404 of a restricted model': onRestricted((given) => ({
    ...given,
    body: `${given.body}\n`,
  })),
  'everything right': rightly,
  'more members': rewrite(
    (request) => isList(request) || isRecord(request),
    (body) => body.replaceAll('"object":"model"', '"object":"model","shutdown_date":null,"permission":[]'),
  ),
  'created at the moment of asking': rewrite(
    () => true,
    (body) => body.replaceAll('1700000000', String(++asked)),
  ),
  'an empty id is a bad request': (request, next) =>
    request.body.includes('"model":""')
      ? refuse(400, 'invalid_request_error', 'No model.', { param: 'model' })
      : next(request),
  'an id and a time in every error': (request, next) => {
    const given = next(request)
    const id = `req-${String(++asked).repeat(9)}`
    const changed = changeError(given, { message: `No. Ask us about ${id}.`, request_id: id, at: Date.now() })
    return given.status === 404
      ? {
          ...changed,
          headers: { ...changed.headers, 'x-request-id': id, 'x-served-by': `instance-${asked % 2}` },
        }
      : given
  },
  'a time of work in every answer': (request, next) => {
    const given = next(request)
    const headers = { 'openai-processing-ms': String(++asked % 3), 'x-response-time': `${asked % 5} ms` }
    return { ...given, headers: { ...given.headers, ...headers } }
  },
}

describe('models', () => {
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

  it('leaves a restricted model open that nobody may use', async () => {
    const verdicts = await judgeFault(
      (request, next) =>
        request.body.includes(other) ? refuse(404, 'model_not_found', 'No.') : next(request),
      cases,
      { target: { models: async () => [model] } },
    )
    const ofRow = verdicts.filter(({ requirement }) => requirement === 'MODEL-3' || requirement === 'MODEL-6')
    expect(new Set(ofRow.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
  })
})
