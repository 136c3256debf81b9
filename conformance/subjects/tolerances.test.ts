// Each odd server has a scenario for gateways, or a written reason, and the same for clients.
import { expect, test } from 'vitest'
import { oddities } from '../../fixtures/faulty/oddities/odd-servers.ts'
import { scenarios as clientScenarios } from './client/catalogue.ts'
import { scenarios as gatewayScenarios } from './gateway/catalogue.ts'
import { tolerances } from './tolerances.ts'

test('the table has every odd server, and no other', () => {
  expect(Object.keys(tolerances)).toEqual(oddities.map(({ id }) => id))
})

test.each([
  ['gateway', gatewayScenarios],
  ['client', clientScenarios],
] as const)('every scenario for a %s exists, and every reason is a sentence', (subject, scenarios) => {
  const names = new Set<string>(scenarios.map(({ name }) => name))
  const wrong = Object.entries(tolerances).filter(([, { [subject]: sent }]) =>
    typeof sent === 'string' ? !names.has(sent) : sent.reason.split(' ').length < 5,
  )
  expect(wrong.map(([id, { [subject]: sent }]) => [id, sent])).toEqual([])
})
