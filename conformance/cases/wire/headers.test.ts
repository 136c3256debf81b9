// A missing or repeated request id is seen, on whatever answer it is.
import { describe, expect, it } from 'vitest'
import { type Fault, type Received, rightly, without } from '../scripted/scripted-service.fixture.ts'
import { judgeFault } from '../scripted/judge-scripted-service.fixture.ts'
import { cases as modelCases } from '../models/models.ts'
import { headerCases as cases, headerObservers as observers } from './headers.ts'

/** Takes the id from some answers, or gives all of them this one. */
function requestId(where: (request: Received, status: number) => boolean, id?: string): Fault {
  return (request, next) => {
    const given = next(request)
    const headers = without(given.headers, 'x-request-id')
    if (!where(request, given.status)) return given
    return { ...given, headers: id === undefined ? headers : { ...headers, 'X-Request-ID': id } }
  }
}

async function failing(fault: Fault): Promise<readonly string[]> {
  const verdicts = await judgeFault(fault, [...cases, ...modelCases], { observers })
  return verdicts
    .filter(
      ({ requirement, outcome }) => requirement === 'WIRE-21' && (outcome === 'fail' || outcome === 'warn'),
    )
    .map(({ id }) => id)
}

const observer = 'wire.request-id-on-every-answer'
const differs = 'wire.every-request-id'

describe('x-request-id', () => {
  it('passes where every answer has its own', async () => {
    expect(await failing(rightly)).toEqual([])
  })

  it('is missed on any answer, with whatever status', async () => {
    expect(await failing(requestId(() => true))).toEqual(['wire.request-id-differs', observer])
    expect(await failing(requestId((_, status) => status === 404))).toEqual([observer])
    expect(await failing(requestId(({ body }) => body.includes('"stream":true')))).toEqual([observer])
  })

  it('must differ, and not be empty', async () => {
    expect(await failing(requestId(() => true, 'always-this'))).toEqual(['wire.request-id-differs', differs])
    expect(await failing(requestId((_, status) => status === 404, 'always-this'))).toEqual([differs])
    expect(await failing(requestId(() => true, ''))).toContain(observer)
  })
})
