// Each odd server has a scenario for gateways, or a written reason, and the same for clients.
import { expect, test } from 'vitest'
import { oddities } from '../../fixtures/faulty/oddities/odd-servers.ts'
import { scenarios } from './gateway/catalogue.ts'
import { tolerances } from './tolerances.ts'

test('the table has every odd server, and no other', () => {
  expect(Object.keys(tolerances)).toEqual(oddities.map(({ id }) => id))
})

test('every scenario for gateways exists, and every reason is a sentence', () => {
  const names = new Set(scenarios.map(({ name }) => name))
  const wrong = Object.entries(tolerances).filter(([, { gateway }]) =>
    typeof gateway === 'string' ? !names.has(gateway) : gateway.reason.split(' ').length < 5,
  )
  expect(wrong.map(([id, { gateway }]) => [id, gateway])).toEqual([])
})
