import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import { adaptConcurrency, MAX_CONCURRENCY, WINDOW } from './adaptive-concurrency.ts'

const answer = (status: number, firstByteMs: number) => ({
  ...madeExchange({ status }),
  timings: { firstByteMs, totalMs: firstByteMs },
})

/** The limits after each window of answers with these latencies. */
function limitsAfter(latenciesMs: readonly number[], status = 200): readonly number[] {
  const concurrency = adaptConcurrency()
  return latenciesMs.map((latencyMs) => {
    for (let count = 0; count < WINDOW; count++) concurrency.see(answer(status, latencyMs))
    return concurrency.limit()
  })
}

test('rises to the maximum while the latency stays the same', () => {
  expect(limitsAfter([200, 205, 210, 220, 200])).toEqual([8, 16, 32, MAX_CONCURRENCY, MAX_CONCURRENCY])
})

test('stays the same for a service that answers at once, and between fast and slow', () => {
  expect(limitsAfter([2, 3, 2])).toEqual([4, 4, 4])
  expect(limitsAfter([200, 300, 300])).toEqual([8, 8, 8])
})

test('falls when the answers become slow, but not below the start, and then rises by one', () => {
  expect(limitsAfter([200, 200, 500, 500, 500])).toEqual([8, 16, 8, 8, 4])
  expect(limitsAfter([200, 200, 500, 200, 200, 200])).toEqual([8, 16, 8, 8, 9, 10])
})

test('halves for refusals for load, once for all that were in flight, down to one', () => {
  const concurrency = adaptConcurrency()
  for (let count = 0; count < WINDOW; count++) concurrency.see(answer(200, 200))
  const limits = [429, 429, 503, 429, 429, 429, 429, 429, 429, 503, 429, 429, 429, 429, 429].map((status) => {
    concurrency.see(answer(status, 1))
    return concurrency.limit()
  })
  expect(limits).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 1])
})

test('compares answers with answers, and refusals with refusals', () => {
  const concurrency = adaptConcurrency()
  for (let count = 0; count < 3 * WINDOW; count++) {
    concurrency.see(answer(200, 900))
    concurrency.see(answer(400, 30))
  }
  expect(concurrency.limit()).toBe(MAX_CONCURRENCY)
})
