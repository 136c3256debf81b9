// A real model of ten tokens per second that answers one request at a time: the judge measures that, asks for short
// answers, and judges the same.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chain, editRequest } from '../../fixtures/faulty/edits.ts'
import { createProxy } from '../../fixtures/faulty/proxy.ts'
import { onSmallMachine } from '../../fixtures/services/small-machine.ts'
import { listening } from '../../harness/http-server.fixture.ts'
import { startServerWithKey } from '../../harness/reference-server.fixture.ts'
import { type ConformanceOptions, type Report, runConformance } from '../run-conformance.ts'

const paceOf = ({ target }: Report): unknown => target.facts.find(({ name }) => name === 'pace')?.value

test('a slow model is judged like a fast one', { tags: ['llama', 'slow'], timeout: 300_000 }, async () => {
  await using server = await startServerWithKey({ LLAMA_TINY: 'on' })
  const tools = { key: '', now: () => performance.now(), sleep }
  // A text that the tiny model samples can be longer than a quick run has time for: its likeliest one is short.
  const likeliest = editRequest((body) => ({ ...body, temperature: 0 }))
  const machine = chain(onSmallMachine(tools), likeliest)
  await using slow = await listening(createProxy(new URL(server.baseUrl), machine))
  const judge = (options: ConformanceOptions) =>
    runConformance({
      profile: 'wire',
      model: 'svc-0.1-tiny',
      credentials: { CONFORMANCE_API_KEY: server.key },
      quick: true,
      only: 'CHAT-1,CHAT-7,STREAM-2,STREAM-11,WIRE-2,WIRE-7,WIRE-14,WIRE-18',
      ...options,
    })
  const report = await judge({ baseUrl: slow.baseUrl })
  // The number depends on what else the machine does: the measurement itself is proven with a clock of its own.
  expect(paceOf(report)).toMatch(/^\d+(\.\d)? tokens per second, one answer at a time$/)
  const notJudged = report.checks.filter(({ outcome }) => outcome !== 'pass')
  expect(notJudged.filter(({ outcome }) => outcome !== 'not-applicable')).toEqual([])
  const fast = await judge({ baseUrl: server.baseUrl })
  expect(paceOf(fast)).toBeUndefined()
  // A fast model answers at once, so that a row about time does not apply to it.
  const others = ({ checks }: Report) =>
    checks.filter(({ requirement }) => requirement !== 'STREAM-11').map(({ id, outcome }) => [id, outcome])
  expect(others(report)).toEqual(others(fast))
})
