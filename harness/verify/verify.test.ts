import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { madeExchange } from '../exchange.fixture.ts'
import type { TargetFacts } from '../target-facts.ts'
import {
  type Verifier,
  completeAnswer,
  errorEnvelope,
  jsonBody,
  jsonContentType,
  refused,
  status,
  statusOk,
} from './verify.ts'
import { at, show } from '../json-value.ts'

const service: TargetFacts = { baseUrl: 'http://h', profile: 'service', model: 'm' }
const wire: TargetFacts = { ...service, profile: 'wire' }

const failed = (code: number, error: unknown): ReturnType<typeof madeExchange> =>
  madeExchange({ status: code, body: { error } })

test('accepts the listed statuses and no others', () => {
  forAll(fc.integer({ min: 100, max: 599 }), fc.array(fc.integer({ min: 100, max: 599 })), (code, codes) => {
    const mismatch = status(...codes)(madeExchange({ status: code }), service)
    expect(mismatch === undefined).toBe(codes.includes(code))
  })
  expect(statusOk(madeExchange({ status: 201 }), service)).toMatchObject({ expected: 'status 200' })
})

const right = { message: 'No.', type: 'authentication_error', code: 'invalid_api_key' }

test('a refusal is judged on its status, and on type and code if they are given', () => {
  const verify = refused(401, { type: right.type, code: ['missing_api_key', 'invalid_api_key'] })
  expect(verify(failed(401, right), service)).toBeUndefined()
  expect(verify(failed(403, right), service)?.expected).toBe('status 401')
  expect(verify(failed(401, { ...right, type: 'x' }), service)?.expected).toBe(
    'error.type "authentication_error"',
  )
  expect(verify(failed(401, { ...right, code: 'x' }), service)).toEqual({
    expected: 'error.code "missing_api_key" or "invalid_api_key"',
    actual: '"x"',
  })
  expect(refused(401)(failed(401, 'anything'), service)).toBeUndefined()
})

test('a refusal in place of a 400 is named as one', () => {
  const actual = (verify: Verifier, code: number) => verify(failed(code, 'No.'), service)?.actual
  expect(actual(refused(400), 422)).toBe('refused, but with 422, {"error":"No."}')
  expect(actual(status(400, 404), 409)).toMatch(/^refused, but with 409, /)
  for (const [verify, code] of [
    [refused(400), 200],
    [refused(400), 500],
    [refused(401), 403],
    [statusOk, 400],
  ] as const)
    expect(actual(verify, code)).toMatch(new RegExp(`^status ${code}, `))
})

test('profile wire judges a refusal on its status and message alone', () => {
  const verify = refused([400, 404], { type: 'a', code: 'b' })
  expect(verify(failed(404, { message: 'No.', type: 'x' }), wire)).toBeUndefined()
  expect(verify(failed(404, 'No.'), wire)?.expected).toBe('an error object with a message')
  expect(verify(failed(500, { message: 'No.' }), wire)?.expected).toBe('status 400 or 404')
})

test('the answer to a HEAD request has no body to judge', () => {
  const head = madeExchange({ method: 'HEAD', status: 401, body: '' })
  expect(refused(401, { type: 'a' })(head, service)).toBeUndefined()
})

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON', true],
  ['application/jsonp', false],
  ['text/html', false],
])('%s is JSON: %s', (value, holds) => {
  const exchange = madeExchange({ headers: [['content-type', value]] })
  expect(jsonContentType(exchange, service) === undefined).toBe(holds)
})

test('a body that is not JSON fails, and predicates are checked in order', () => {
  expect(jsonBody()(madeExchange({ body: '{' }), service)).toEqual({
    expected: 'a JSON body',
    actual: '1 bytes: "{"',
  })
  expect(jsonBody()(madeExchange({ body: '' }), service)?.actual).toBe('an empty body')
  const verify = jsonBody(
    () => undefined,
    () => ({ expected: 'first', actual: '' }),
    () => ({ expected: 'second', actual: '' }),
  )
  expect(verify(madeExchange({ body: {} }), service)?.expected).toBe('first')
})

test('the envelope needs its three strings, whatever else is there', () => {
  expect(errorEnvelope(failed(400, { ...right, param: null }), service)).toBeUndefined()
  forAll(
    fc.constantFrom('message', 'type', 'code'),
    fc.constantFrom(null, 7, {}, undefined),
    (member, value) => {
      const mismatch = errorEnvelope(failed(400, { ...right, [member]: value }), service)
      expect(mismatch?.expected).toBe(`error.${member}, a string`)
    },
  )
})

test.each([
  ['complete', true],
  ['left-open', true],
  ['hung-up', true],
  ['broken', false],
  ['timeout', false],
  ['too-large', false],
] as const)('an answer that is %s is complete: %s', (end, holds) => {
  expect(completeAnswer(madeExchange({ end }), service) === undefined).toBe(holds)
})

test('at follows a path through objects and arrays, and no further than their own members', () => {
  const value = { a: [{ b: null }] }
  expect(at(value, 'a', 0, 'b')).toBeNull()
  expect([at(value, 'a', 1, 'b'), at(value, 'a', 'length'), at(value, 'constructor'), at('text', 0)]).toEqual(
    [undefined, undefined, undefined, undefined],
  )
})

test('whatever came can be shown, in bounds', () => {
  forAll(fc.anything(), (value) => {
    expect(show(value).length).toBeLessThan(350)
  })
  expect(show(JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)))).toMatch(/nested too deeply/)
})
