// Each fault turns red the row that it breaks; what the row allows stays green.
import { describe, expect, it } from 'vitest'
import {
  type Answer,
  type Fault,
  type Handler,
  type Received,
  answer,
  refuse,
  rightly,
  startService,
} from '../scripted/scripted-service.fixture.ts'
import { judge, judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { cases } from './versioning.ts'

/** Answers outside /v1 what the same path under it would answer. */
const everywhere = (request: Received, next: Handler): Answer =>
  next(request.path.startsWith('/v1') ? request : { ...request, path: `/v1${request.path}` })

/** Answers outside /v1. */
function outside(where: string, given: Parameters<typeof answer>): Fault {
  return (request, next) => (request.path === where ? answer(...given) : next(request))
}

const broken: Readonly<Record<string, { fault: Fault; check: string }>> = {
  'all paths without /v1': { fault: everywhere, check: 'versioning.chat-without-v1' },
  'a stream without /v1': {
    fault: (request, next) =>
      request.body.includes('"stream":true') ? everywhere(request, next) : next(request),
    check: 'versioning.stream-without-v1',
  },
  'a model list without /v1': {
    fault: outside('/models', [200, { object: 'list', data: [{ id: 'a' }] }]),
    check: 'versioning.models-without-v1',
  },
  'a model list of another shape': {
    fault: outside('/models', [200, [{ id: 'a' }]]),
    check: 'versioning.models-without-v1',
  },
}

const odd: Readonly<Record<string, Fault>> = {
  'a page': rightly,
  'a 404': (request, next) => (request.path.startsWith('/v1') ? next(request) : refuse(404, 'no', 'No.')),
  'a 401': (request, next) => (request.path.startsWith('/v1') ? next(request) : refuse(401, 'no', 'No.')),
  'a way to /v1': (request, next) =>
    request.path.startsWith('/v1')
      ? next(request)
      : { status: 308, headers: { location: `/v1${request.path}` }, body: '' },
  'other JSON': outside('/models', [200, { status: 'alive', data: [1, 2] }]),
}

describe('versioning', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, check }) => {
    const verdicts = await judgeFault(fault, cases)
    expect(redRows(verdicts)).toEqual(['VERS-1'])
    expect(verdicts.find(({ id }) => id === check)).toMatchObject({ outcome: 'fail' })
  })

  it.each(Object.entries(odd))('allows: %s', async (_, fault) => {
    const verdicts = await judgeFault(fault, cases)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })

  it('only reports a model id without a version', async () => {
    await using service = await startService()
    const verdicts = await judge(service, cases, { target: { model: 'plain' } })
    expect(verdicts.find(({ requirement }) => requirement === 'VERS-2')).toMatchObject({
      outcome: 'not-applicable',
    })
  })
})
