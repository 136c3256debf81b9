import { expect, test } from 'vitest'
import { comesFromOwnPage } from './own-page.ts'

test.each([
  [true, { 'sec-fetch-site': 'same-origin' }],
  [true, { 'sec-fetch-site': 'same-origin', origin: 'https://proxied.test' }],
  [true, { origin: 'http://dashboard.test:8080' }],
  // A proxy ends TLS.
  [true, { origin: 'https://dashboard.test:8080' }],
  [false, {}],
  [false, { 'sec-fetch-site': 'none' }],
  [false, { 'sec-fetch-site': 'same-site' }],
  [false, { 'sec-fetch-site': 'cross-site', origin: 'http://dashboard.test:8080' }],
  [false, { 'sec-fetch-site': '' }],
  [false, { origin: 'null' }],
  [false, { origin: 'http://dashboard.test' }],
  [false, { origin: 'http://evil.test:8080' }],
  [false, { origin: 'http://evil.test/dashboard.test:8080' }],
  [false, { origin: 'http://dashboard.test:8080@evil.test' }],
])('%s for %o', (own, headers) => {
  expect(comesFromOwnPage(new Headers(headers), 'http://dashboard.test:8080/dashboard/keys')).toBe(own)
})
