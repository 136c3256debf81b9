// Failures while the judge itself was late: a run tries them again, alone, and blames no gateway.
import { expect, test } from 'vitest'
import { madeExchange } from '../../../harness/exchange.fixture.ts'
import { fail } from '../../contract/outcome.ts'
import type { Crossing } from './crossing.ts'
import { scenario } from './crossing.ts'
import { runScenarios } from './run-scenarios.ts'

const crossed = (status: number, busyMs?: number): Crossing => ({
  scenario: 'one',
  words: '',
  sent: {},
  sentMs: 0,
  sentAtMs: 0,
  answer: madeExchange({ status }),
  failure: undefined,
  leftMs: undefined,
  calls: [],
  strays: [],
  busyMs,
  held: [],
})

const one = scenario('gate.one', 'GATE-14', 'one')
  .with({ phase: 'bodies' })
  .verify(({ answer }) => {
    if (answer?.response.status !== 200) fail('200', String(answer?.response.status))
  })

/** The outcome of a check whose requests get these crossings in turn, and the number of requests. */
async function outcomeOf(...crossings: readonly Crossing[]) {
  const left = [...crossings]
  const { results, requests } = await runScenarios({
    selection: { checks: [...one.checks], scenarios: [one], properties: [], everywhere: [] },
    gateway: {
      cross: async () => left.splice(0, 1),
      stopUpstream: async () => {},
      signal: new AbortController().signal,
    },
    facts: { clientKey: '', upstreamKey: '', upstreamHost: '', timeoutMs: 1, listed: undefined },
    settings: { concurrency: 2, runs: 1, strict: false },
    seed: 1,
    onProgress() {},
  })
  return [results[0]?.outcome, requests]
}

test.each<[string, readonly Crossing[], string, number]>([
  ['a failure', [crossed(504)], 'fail', 1],
  ['a failure while the judge was late, and none alone', [crossed(504, 900), crossed(200)], 'pass', 2],
  ['a failure while the judge was late, and another alone', [crossed(504, 900), crossed(504)], 'fail', 2],
  ['failures while the judge was late', [crossed(504, 900), crossed(504, 900)], 'inconclusive', 2],
  ['a success while the judge was late', [crossed(200, 900)], 'pass', 1],
  ['a failure that no delay explains', [crossed(400, 900)], 'fail', 1],
])('%s', async (_, crossings, outcome, requests) => {
  expect(await outcomeOf(...crossings)).toEqual([outcome, requests])
})
