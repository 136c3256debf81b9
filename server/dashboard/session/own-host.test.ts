import { expect, test } from 'vitest'
import { openDashboard } from '../dashboard.fixture.ts'
import { isOwnHost } from './own-host.ts'

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
  'no page is served under %s, and the answer names the setting',
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
