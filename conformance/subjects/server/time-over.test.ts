// A run whose time is over still judges every answer that it has received.
import { expect, test } from 'vitest'
import { systemClock } from '../../../harness/clock.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { faults } from '../../../fixtures/faulty/fault-table.ts'
import { settingsOf } from '../../contract/settings.ts'
import { type RunTransport, live } from '../../contract/transport.ts'
import { startService } from './cases/scripted/start-service.fixture.ts'
import { fullCatalogue } from './catalogue.ts'
import { judge } from './judge.ts'

/** A transport whose clock is an hour later from this number of answers on. */
function lateAfter(answers: number): RunTransport {
  let [count, addedMs] = [0, 0]
  return {
    ...live,
    clock: { ...systemClock, now: () => systemClock.now() + addedMs },
    connect(options) {
      const transport = live.connect(options)
      return {
        ...transport,
        async exchange(...sending) {
          const exchange = await transport.exchange(...sending)
          count += 1
          if (count === answers) addedMs = 3_600_000
          return exchange
        },
      }
    },
  }
}

test.each([
  ['the service', undefined, 'pass'],
  ['a service that changes `created` in a stream', 'stream-changes-created', 'fail'],
])('%s', async (_, id, outcome) => {
  await using service = await startService(faults.find((fault) => fault.id === id)?.start)
  const settings = settingsOf({
    baseUrl: service.baseUrl,
    credentials: { CONFORMANCE_API_KEY: service.key },
    maxMinutes: 30,
    seed: 1,
    runs: 1,
  })
  const events = { onBegin() {}, onProgress() {}, onFault() {} }
  const signal = new AbortController().signal
  const report = await judge(settings, fullCatalogue(), createRedactor(), signal, events, lateAfter(150))
  const outcomeOf = (check: string) => report.checks.find((each) => each.id === check)?.outcome
  expect(report.endedEarly).toContain('--max-minutes')
  expect([outcomeOf('stream.every-head'), outcomeOf('wire.every-completion')]).toEqual([outcome, 'pass'])
  expect(report.checks.filter((check) => check.outcome === 'inconclusive').length).toBeGreaterThan(100)
})
