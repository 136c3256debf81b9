import { expect, test } from 'vitest'
import { readBounds } from './bounds.ts'

test('a bound has its default, and the value of its variable', () => {
  expect(readBounds({ CONFORMANCE_MAX_DEPTH: '' })).toMatchObject({ depth: 512, answerBytes: 16 * 2 ** 20 })
  expect(readBounds({ CONFORMANCE_MAX_DEPTH: '20', CONFORMANCE_MAX_SCHEMA_MS: '50' })).toMatchObject({
    depth: 20,
    schemaMs: 50,
  })
})

test.each([
  [
    'CONFORMANCE_MAX_DEPTH',
    '15',
    /^CONFORMANCE_MAX_DEPTH: expected a whole number from 16 to 20000, got '15'$/,
  ],
  ['CONFORMANCE_MAX_BUNDLE_BYTES', '1 GB', /^CONFORMANCE_MAX_BUNDLE_BYTES: expected a whole number/],
])('%s=%s is refused in one line', (name, value, message) => {
  expect(() => readBounds({ [name]: value })).toThrow(message)
})
