// The side at fault, from what is known of both.
import { expect, test } from 'vitest'
import type { Exchange } from '../../harness/http/exchange.ts'
import { sideAtFault } from './side-at-fault.ts'

const exchange = (body: object): Exchange => ({
  request: { method: 'POST', url: '', path: '', headers: [], body: Buffer.from(JSON.stringify(body)) },
  response: { status: 200, headers: [], body: Buffer.alloc(0), chunks: [], end: 'complete' },
  timings: { firstByteMs: 0, totalMs: 0 },
})

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
