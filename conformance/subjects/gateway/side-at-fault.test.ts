// The side at fault, from what is known of both.
import { expect, test } from 'vitest'
import { madeExchange } from '../../../harness/exchange.fixture.ts'
import { sideAtFault } from './side-at-fault.ts'

const exchange = (body: object) => madeExchange({ requestBody: JSON.stringify(body) })

const asked = exchange({ model: 'm', messages: [{ content: 'x' }] })
const repaired = exchange({ model: 'n', messages: [{ role: 'user', content: 'x' }] })
const refusal = { expected: 'status 400', actual: 'status 200' }
const usage = { expected: 'usage above 0', actual: '0' }

test.each([
  ['the gateway, if it answered by itself', refusal, undefined, asked, undefined, 'gateway'],
  ['the gateway, if the upstream is right', usage, undefined, asked, asked, 'gateway'],
  ['the gateway, if it repaired what should be refused', refusal, refusal, asked, repaired, 'gateway'],
  ['the upstream, if it got that request and took it', refusal, refusal, asked, asked, 'upstream'],
  ['the upstream, if its answer is wrong, whatever it was asked', usage, usage, asked, repaired, 'upstream'],
  ['both, if each breaks another expectation', usage, refusal, asked, asked, 'both'],
] as const)('%s', (_, atClient, atUpstream, client, upstream, side) => {
  expect(sideAtFault(atClient, atUpstream, { client, upstream })).toBe(side)
})
