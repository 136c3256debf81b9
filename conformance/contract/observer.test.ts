import { expect, test } from 'vitest'
import { type Observer, watch } from './observer.ts'
import { type MadeExchange, madeExchange } from '../../harness/exchange.fixture.ts'
import { madeTarget } from '../facts/target.fixture.ts'
import { status } from '../../harness/verify/verify.ts'

const observer: Observer = {
  id: 'test.observer',
  requirement: 'ERR-1',
  title: 'every error is a teapot',
  applies: ({ response }) => response.status >= 400,
  verifiers: [status(418)],
}

function observed(exchanges: readonly MadeExchange[], watched: Observer = observer, strict = false) {
  const watching = watch([watched], madeTarget, { strict })
  for (const exchange of exchanges) watching.see(madeExchange(exchange))
  return watching.results()[0]
}

test('nothing of the kind seen is not applicable', () => {
  expect(observed([{ status: 200 }])).toMatchObject({
    outcome: 'not-applicable',
    reason: expect.stringMatching(/nothing/),
  })
})

test('what holds on every exchange passes', () => {
  expect(observed([{ status: 418 }, { status: 200 }, { status: 418 }])).toMatchObject({ outcome: 'pass' })
})

test('the first that does not hold is the evidence', () => {
  const result = observed([{ status: 418 }, { status: 404, body: 'a' }, { status: 500, body: 'b' }])
  expect(result).toMatchObject({ outcome: 'fail', mismatch: { expected: 'status 418' } })
  expect(result?.exchanges.map(({ response }) => response.status)).toEqual([404])
})

test('only what is under /v1 is watched', () => {
  const paths = ['/', '/healthz', '/v10/models', '/openapi.json']
  expect(observed(paths.map((path) => ({ path, status: 500 })))).toMatchObject({ outcome: 'not-applicable' })
  for (const path of ['/v1', '/v1/models', '/v1?x=1'])
    expect(observed([{ path, status: 500 }])).toMatchObject({ outcome: 'fail' })
})

test('a preflight of a browser is not watched, and another OPTIONS is', () => {
  const preflight = [['Access-Control-Request-Method', 'POST']] as const
  const seen = (requestHeaders: MadeExchange['requestHeaders'] = []) =>
    observed([{ method: 'OPTIONS', status: 500, requestHeaders }])
  expect([seen(preflight)?.outcome, seen()?.outcome]).toEqual(['not-applicable', 'fail'])
})

test('a SHOULD warns, and fails if it is judged strictly', () => {
  const should: Observer = { ...observer, requirement: 'ERR-7' }
  expect(observed([{ status: 500 }], should)).toMatchObject({ outcome: 'warn' })
  expect(observed([{ status: 500 }], should, true)).toMatchObject({ outcome: 'fail' })
})

test('a verifier with a fault of its own is an error of the suite', () => {
  const faulty: Observer = {
    ...observer,
    verifiers: [
      () => {
        throw new TypeError('x is undefined')
      },
    ],
  }
  expect(observed([{ status: 500 }], faulty)).toMatchObject({
    outcome: 'error',
    reason: expect.stringMatching(/x is undefined/),
  })
})
