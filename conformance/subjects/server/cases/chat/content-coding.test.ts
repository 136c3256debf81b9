// The codings that a request allows (WIRE-31; RFC 9110, 12.5.3).
import { expect, test } from 'vitest'
import { allowsCoding } from './content-coding.ts'

test.each([
  [undefined, 'gzip', true],
  ['', 'gzip', false],
  ['identity', 'gzip', false],
  ['gzip', 'gzip', true],
  ['GZIP;Q=0.1', 'x-gzip', true],
  ['x-gzip', 'gzip', true],
  ['br, deflate', 'gzip', false],
  ['gzip;q=0', 'gzip', false],
  ['gzip; q=0.000, *', 'gzip', false],
  ['*', 'br', true],
  ['gzip, *;q=0', 'br', false],
  ['gzip, *;q=0', 'gzip', true],
])('Accept-Encoding: %s, and %s: %s', (accepted, coding, allowed) => {
  expect(allowsCoding(accepted, coding)).toBe(allowed)
})
