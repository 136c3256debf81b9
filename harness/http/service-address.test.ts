import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { asBase, isVersioned, pathAt, shownAddress, targetOf, urlAt } from './service-address.ts'

const AZURE = 'https://a.example/openai/deployments/name'

test.each([
  ['http://h', '/v1/models', 'http://h/v1/models'],
  ['http://h/team/a', '/v1/models', 'http://h/team/a/v1/models'],
  ['http://h/v1', '/v1/models', 'http://h/v1/models'],
  ['http://h/openai/v1', '/v1/models', 'http://h/openai/v1/models'],
  ['http://h/api/v3', '/v1/models/a%2Fb', 'http://h/api/v3/models/a%2Fb'],
  ['http://h/v4', '/v1/chat/completions', 'http://h/v4/chat/completions'],
  ['http://h/v1.1', '/v1/models', 'http://h/v1.1/models'],
  ['http://h/v1beta/openai', '/v1/models', 'http://h/v1beta/openai/models'],
  ['http://h/', '/v1/models', 'http://h/models'],
  [`${AZURE}/?api-version=1`, '/v1/chat/completions', `${AZURE}/chat/completions?api-version=1`],
  [`${AZURE}/?api-version=1`, '/v1/models?a=b', `${AZURE}/models?api-version=1&a=b`],
  ['http://h/v2?k=/v1', '/v1/models?%#x', 'http://h/v2/models?k=/v1&%#x'],
  ['http://h/v2?a=1', '/v1/models?a=1', 'http://h/v2/models?a=1'],
  ['http://h/v2?a=1', '/v1/models?a=12', 'http://h/v2/models?a=1&a=12'],
  // Odd paths stay odd, under the base of the service.
  ['http://h/api/v3', '/v1', 'http://h/api/v3'],
  ['http://h/api/v3', '/v1//models', 'http://h/api/v3//models'],
  ['http://h/api/v3', '/v1?x', 'http://h/api/v3?x'],
  // Paths outside of the API are under the root.
  ['http://h', '/models', 'http://h/models'],
  ['http://h/api/v3', '/models', 'http://h/api/models'],
  ['http://h/v1beta/openai', '/models', 'http://h/openai/models'],
  ['http://h/', '/v12', 'http://h/v12'],
])('the URL at %s of %s is %s', (address, path, url) => expect(urlAt(address, path)).toBe(url))

test.each([
  'http://h/v1',
  'http://h/api/v3',
  'http://h/v1beta/openai',
  'http://h/V2',
  'http://h/v1alpha1?a=/b',
])('%s ends in a version', (address) => expect(isVersioned(address)).toBe(true))

test.each(['http://h', 'http://v1', 'http://h/v1/x', 'http://h/vision', 'http://h/?a=/v1', 'http://h/dev1'])(
  '%s does not end in a version',
  (address) => expect(isVersioned(address)).toBe(false),
)

test('a base has its operations directly under it, before its query', () => {
  expect(asBase('http://h')).toBe('http://h/')
  expect(asBase(`${AZURE}?api-version=1`)).toBe(`${AZURE}/?api-version=1`)
})

test('a root is shown without its `/v1`, and a base as it is', () => {
  expect(['http://h', 'http://h/v1', 'http://h/api/v3', 'http://h/v1?a'].map(shownAddress)).toEqual([
    'http://h',
    'http://h',
    'http://h/api/v3',
    'http://h/v1?a',
  ])
})

test('every path reaches a service in the same way, whatever its address is', () => {
  const segment = fc.stringMatching(/^[\w%.-]{1,8}$/)
  const query = fc.constantFrom('', '?a', '?api-version=1&b=2')
  forAll(fc.array(segment, { maxLength: 3 }), query, fc.string({ maxLength: 8 }), (segments, own, rest) => {
    const base = `http://h/${segments.join('/')}`.replace(/\/$/, '')
    const url = urlAt(asBase(base + own), `/v1/models/${encodeURIComponent(rest)}`)
    expect(url).toBe(`${base}/models/${encodeURIComponent(rest)}${own}`)
    const address = asBase(base + own)
    // Under no path, `/v1` is the way to name an operation.
    if (base !== 'http://h') expect(urlAt(address, pathAt(address, targetOf(url)))).toBe(url)
  })
})
