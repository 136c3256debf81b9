import { expect, test } from 'vitest'
import { openDashboard } from '../dashboard.fixture.ts'
import { comesFromOwnPage, isOwnHost } from './protection.ts'

test.each([
  '127.0.0.1',
  '192.0.2.7:8080',
  '[::1]:8080',
  'localhost:8080',
  'a.localhost',
  'ops.test',
  'OPS.test:1',
])('a page is served under %s', (host) =>
  expect(isOwnHost(`http://${host}/dashboard`, ['ops.test'])).toBe(true),
)

test.each(['evil.test', 'ops.test.evil.test', 'localhost.evil.test', 'xlocalhost', '127.0.0.1.evil.test'])(
  '%s gets a 421 that names the setting',
  async (host) => {
    expect(isOwnHost(`http://${host}/dashboard`, ['ops.test'])).toBe(false)
    const { app } = openDashboard({ hosts: ['ops.test'] })
    for (const method of ['GET', 'POST']) {
      const answer = await app.request(`http://${host}/dashboard/sign-in`, { method })
      expect(answer.status).toBe(421)
      expect(await answer.text()).toContain('DASHBOARD_HOSTS')
    }
  },
)

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
  [false, { origin: '' }],
  [false, { origin: 'null' }],
  [false, { origin: 'http://dashboard.test.evil.test:8080' }],
  [false, { origin: 'http://dashboard.test' }],
  [false, { origin: 'http://evil.test:8080' }],
  [false, { origin: 'http://evil.test/dashboard.test:8080' }],
  [false, { origin: 'http://dashboard.test:8080@evil.test' }],
])('comes from an own page: %s for %o', (own, headers) => {
  expect(comesFromOwnPage(new Headers(headers), 'http://dashboard.test:8080/dashboard/keys')).toBe(own)
})
